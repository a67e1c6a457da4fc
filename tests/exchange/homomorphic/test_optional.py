"""A library that is missing is named, with the extra that brings it."""

import sys

import pytest

from sottovoce.errors import RecipeError
from sottovoce.exchange.homomorphic import paillier
from sottovoce.exchange.homomorphic.ckks import CKKS


@pytest.mark.parametrize(
    ("library", "use", "extra"),
    [
        ("gmpy2", lambda: paillier.generate(1024), "paillier"),
        ("tenseal", lambda: CKKS().make(), "ckks"),
    ],
)
def test_what_is_missing_says_how_to_install_it(
    library: str, use: object, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(RecipeError, match=rf"pip install 'sottovoce\[{extra}\]'"):
        use()  # type: ignore[operator]
