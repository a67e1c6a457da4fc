"""What a terminal would obey is shown, and what people write is left as it is."""

import pytest

from sottovoce.errors import DataError
from sottovoce.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b[1;31m", r"\x1b[2J\x1b[1;31m"),
        (
            "\x1b]8;;http://evil.example\x07here\x1b]8;;\x07",
            r"\x1b]8;;http://evil.example\x07here\x1b]8;;\x07",
        ),
        ("\x9b2J\x9d0;title\x9c", r"\x9b2J\x9d0;title\x9c"),
        ("a\x00b\rc\x08d\x7f", r"a\x00b\rc\x08d\x7f"),
        ("a\nb\tc\u2028d\x85e", r"a\nb\tc\u2028d\x85e"),
        ("gpj.\u202egnp", r"gpj.\u202egnp"),
        ("\u2066x\u2069 \u202bx\u202c", r"\u2066x\u2069 \u202bx\u202c"),
        ("not utf-8: \udcff", r"not utf-8: \udcff"),
        ("\ufffe\uffff\ufdd0", r"\ufffe\uffff\ufdd0"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).encode()


@pytest.mark.parametrize(
    "text", ["Amélie (2001)", "羅生門", "ואלס עם באשיר", "می‌خواهم", "👩‍👩‍👧", "C:\\x1b", "a\xa0b", ""]
)
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text


def test_lines_can_be_kept() -> None:
    assert printable("a\nb\r\x1b", keep="\n") == "a\nb\\r\\x1b"
    assert printable(7) == "7"


def test_errors_are_printable_wherever_they_end_up() -> None:
    error = DataError("Nobody is called \x1b[2J.", "Ids look like \u202ex.")
    assert str(error) == r"Nobody is called \x1b[2J. Ids look like \u202ex."
    assert error.args == (str(error),)
    assert "\x1b" not in error.problem + error.remedy
