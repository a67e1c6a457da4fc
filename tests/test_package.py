"""What is in the wheel, built as pip would build it."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = ["ckks", "dp", "paillier", "pandas", "references", "torch"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    pytest.importorskip("hatchling", reason="building a wheel needs the dev extra")
    place = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(place.glob("*.whl")))


def test_wheel_holds_code_recipes_and_everything_they_need(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "sottovoce").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    recipes = {f"sottovoce/{p.relative_to(ROOT).as_posix()}" for p in (ROOT / "recipes").rglob("*.toml")}
    assert "sottovoce/recipes/quickstart.toml" in recipes
    assert source | recipes <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if not name.startswith("sottovoce")]


def test_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert extras["torch"] == ["torch>=2.2"], "torch stands alone"
    optional = set(extras) - {"all", "dev", "docs", "torch"}
    assert extras["all"] == [f"sottovoce[{','.join(sorted(optional))}]"], "all is every part except torch"
    assert not [d for d in project["dependencies"] if "torch" in d or "pandas" in d]


def test_what_is_installed_without_extras_can_run_every_shipped_protocol() -> None:
    """A run of the default must not need what an extra brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    brought = [
        "tenseal",
        "dp_accounting",
        "gmpy2",
        "pandas",
        "pyarrow",
        "implicit",
        "scipy",
        "threadpoolctl",
        "torch",
    ]
    assert len(brought) == sum(len(project["optional-dependencies"][e]) for e in EXTRAS)
    code = f"""
import sys
for name in {brought}:
    sys.modules[name] = None
import sottovoce.experiments.runs.start, sottovoce.simulate.engine, sottovoce.node.node, sottovoce.cli.demo
from sottovoce.registry import names
print(len(names("protocol")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
