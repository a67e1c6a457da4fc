"""The direction of imports, and what may be imported or called at all, read from the source.

The order is the one of docs/explanation/design.md: data flows down the list, imports go up.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce

PACKAGE = Path(sottovoce.__file__).parent
LAYERS = [
    {"plural", "printable"},
    {"errors", "allowed"},
    {"files"},
    {"kernel_cache"},
    {"kernels"},
    {"registry", "disclosure"},
    {"privacy"},
    {"data"},
    {"metrics"},
    {"state"},
    {"timing"},
    {"models"},
    {"exchange"},
    {"combine"},
    {"peers"},
    {"protocols"},
    {"simulate", "network"},
    {"evaluate"},
    {"node"},
    {"extend", "testing"},
    {"experiments"},
    {"app"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FREE = {"", "__version__", "__file__"}  # of the package itself, for everybody
UNSAFE = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}

MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported or taken from the package, wherever that stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "sottovoce":
            yield node.lineno, f"sottovoce.{node.attr}"


def faults(path: Path) -> Iterator[str]:
    """What a module does that it must not."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    home = layer(path)
    for line, name in imported(tree):
        root, _, rest = name.partition(".")
        if root == "sottovoce" and rest not in FREE:
            target = rest.partition(".")[0]
            if target not in LEVEL:
                yield f"line {line}: imports {name}, which is in no layer"
            elif LEVEL[target] > LEVEL[home] or (LEVEL[target] == LEVEL[home] and target != home):
                yield f"line {line}: {home} must not import {target}"
        if root in ("numba", "llvmlite") and home != "kernels":
            yield f"line {line}: only kernels imports Numba"
        if root in UNSAFE:
            yield f"line {line}: {root} runs what it reads"
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec", "compile", "__import__"):
            yield f"line {node.lineno}: calls {node.func.id}"
        if any(k.arg == "allow_pickle" and getattr(k.value, "value", True) for k in node.keywords):
            yield f"line {node.lineno}: allows pickle"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_keeps_to_the_layers(path: Path) -> None:
    assert layer(path) in LEVEL, f"{path.name} is in no layer"
    assert not list(faults(path))


@pytest.mark.parametrize(
    ("place", "code", "fault"),
    [
        ("data/x.py", "from sottovoce.models import mf", "data must not import models"),
        ("network/x.py", "import sottovoce.simulate.engine", "network must not import simulate"),
        ("models/x.py", "def f():\n    from sottovoce import network", "models must not import network"),
        ("models/x.py", "from numba import njit", "only kernels imports Numba"),
        ("cli/x.py", "from sottovoce import load", "imports sottovoce.load, which is in no layer"),
        ("data/x.py", "import sottovoce\nsottovoce.run()", "imports sottovoce.run, which is in no layer"),
        ("data/x.py", "import pickle", "pickle runs what it reads"),
        ("data/x.py", "eval('1')", "calls eval"),
        ("data/x.py", "np.load(p, allow_pickle=True)", "allows pickle"),
        ("cli/x.py", "from sottovoce import __version__\nfrom sottovoce.data.load import load", None),
    ],
)
def test_faults_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, code: str, fault: str | None
) -> None:
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    path = tmp_path / place
    path.parent.mkdir()
    path.write_text(code)
    assert [f.partition(": ")[2] for f in faults(path)] == ([fault] if fault else [])


def test_public_names_resolve() -> None:
    for name in sottovoce.__all__:
        assert getattr(sottovoce, name) is not None
    assert dir(sottovoce) == sorted(sottovoce.__all__)
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        sottovoce.laod  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import sottovoce",
        "import sys; sys.argv = ['sottovoce', '--help']; from sottovoce.cli import main; main()",
        "import sys; sys.argv = ['sottovoce', 'run', '--help']; from sottovoce.cli import main; main()",
    ],
    ids=["import", "help", "run-help"],
)
def test_start_is_light(code: str) -> None:
    """`import sottovoce` and `--help` are instant because they import nothing that is not."""
    script = f"""
import sys
try:
    {code}
except SystemExit as stop:
    assert not stop.code
import json
print()
print(json.dumps(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"numpy", "numba", "polars", "pandas", "pydantic", "rich", "torch"}
