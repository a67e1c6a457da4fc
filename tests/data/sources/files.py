"""Small made-up files of data sets, and what is read from them."""

import gzip
import zipfile
from collections.abc import Mapping
from pathlib import Path


def write(folder: Path, files: Mapping[str, str | bytes], form: str = "plain") -> Path:
    """The files in a folder: plain, each compressed, or all in an archive."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {n: c if isinstance(c, bytes) else c.encode() for n, c in files.items()}
    if form == "zip":
        with zipfile.ZipFile(folder / "original.zip", "w") as packed:
            packed.writestr("__MACOSX/._" + next(iter(content)), b"shadow")
            for name, raw in content.items():
                packed.writestr(f"inner/{name}", raw)
        return folder
    for name, raw in content.items():
        (folder / (name + ".gz" * (form == "gz"))).write_bytes(gzip.compress(raw) if form == "gz" else raw)
    return folder
