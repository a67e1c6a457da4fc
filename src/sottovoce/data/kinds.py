"""Recognize files that are not tables of text, by their first bytes."""

from __future__ import annotations

from sottovoce.errors import DataError

PARQUET = b"PAR1"
_SAVE = "Save or export the table as CSV and use that file."
_UNPACK = "Unpack it and use the file in it."
_STARTS: dict[bytes, tuple[str, str]] = {
    b"SQLite format 3\0": ("a SQLite database", "Export the table of interactions as CSV and use that file."),
    b"%PDF-": ("a PDF document", _SAVE),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel or other Office document", _SAVE),
    b"{\\rtf": ("a rich text document", "Save it as plain text and use that file."),
    b"PK\x03\x04": ("a zip archive", _UNPACK),
    b"BZh": ("compressed with bzip2", _UNPACK),
    b"\xfd7zXZ\0": ("compressed with xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", _UNPACK),
    b"\x04\x22\x4d\x18": ("compressed with lz4", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": ("a rar archive", _UNPACK),
    b"ARROW1": ("an Arrow file", "Save it as Parquet or CSV and use that file."),
    b"FEA1": ("a Feather file", "Save it as Parquet or CSV and use that file."),
    b"Obj\x01": ("an Avro file", "Save it as Parquet or CSV and use that file."),
    b"\x89HDF\r\n": ("an HDF5 file", _SAVE),
    b"\x93NUMPY": ("a NumPy array", _SAVE),
    b"%%MatrixMarket": ("a Matrix Market file", "Write its entries as CSV, with columns user,item,rating."),
    b"RDX": ("an R data file", "Write the table with write.csv in R and use that file."),
    b"\x89PNG": ("an image", "Use a file with the data that it shows."),
    b"\xff\xd8\xff": ("an image", "Use a file with the data that it shows."),
    b"GIF8": ("an image", "Use a file with the data that it shows."),
    b"\x7fELF": ("a program", "Use a file with interactions."),
}
_MARKUP = {
    "<!doctype html": ("a web page, perhaps a log-in or an error page", "Download the file itself."),
    "<html": ("a web page, perhaps a log-in or an error page", "Download the file itself."),
    "<?xml": ("an XML document", _SAVE),
}


def refuse(where: str, raw: bytes) -> None:
    """Refuse a file of another kind, and say what it is."""
    found = next((said for start, said in _STARTS.items() if raw.startswith(start)), None)
    if found is None and raw[257:262] == b"ustar":
        found = ("a tar archive", _UNPACK)
    if found is None and raw[:1] == b"\x80" and raw[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        found = ("a Python pickle, which is never opened because it could run any program", _SAVE)
    if found is None and raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        start = raw[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")[:20].decode("latin-1").lower()
        found = next((said for mark, said in _MARKUP.items() if start.startswith(mark)), None)
    if found is not None:
        raise DataError(f"{where} is {found[0]}.", found[1])
