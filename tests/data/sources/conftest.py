"""Fixtures of tests of sources."""

from pathlib import Path

import pytest


@pytest.fixture
def nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data is looked for in the directory of the test alone."""
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SOTTOVOCE_DATA", raising=False)
