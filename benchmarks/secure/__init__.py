"""Sums that the server cannot read: masks beside the paper, runs beside plain ones, packed ciphertexts."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from benchmarks.measure import Result

NEEDS = {
    "masks": ("cryptography",),
    "run": ("cryptography",),
    "homomorphic": ("cryptography", "gmpy2", "tenseal"),
}


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them, as far as their packages are installed."""
    for name, packages in NEEDS.items():
        missing = [package for package in packages if find_spec(package) is None]
        if missing:
            remedy = "pip install 'sottovoce[secure,paillier,ckks]'"
            told = f"{', '.join(missing)} not installed: {remedy}"
            yield Result(f"secure-{name}", None, "the same in plain", None, told)
        else:
            yield from import_module(f"benchmarks.secure.{name}").benchmarks(prefix)
