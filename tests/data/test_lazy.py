import subprocess
import sys

import pytest

import sottovoce.data


def test_readers_and_compiler_are_imported_when_used() -> None:
    code = (
        "import sys, sottovoce.data, sottovoce.data.load\n"
        "from sottovoce.data import Catalog, Interactions, Split, build\n"
        "sys.exit(str([m for m in ('numba', 'polars', 'pydantic', 'rich') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


def test_public_names() -> None:
    assert dir(sottovoce.data) == ["Catalog", "Interactions", "Split", "build"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = sottovoce.data.nothing
