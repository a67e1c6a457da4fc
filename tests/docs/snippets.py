"""The fenced blocks of a page, what is to be done with them, and whether their output is as shown.

`python` and `sh` blocks are run as they stand. In a `console` block every line after `$ ` is run, and
what it prints must be what the block shows below it. A comment right before a block changes that:

    <!-- test: this => that -->                  replace text, to make a run small
    <!-- test: file NAME -->                     keep the block as a file of this name
    <!-- test: prints -->                        this is what the Python blocks of the page print
    <!-- test: not run here, because … -->       leave the block out, with the reason

and `<!-- test: needs real data -->` anywhere makes the page one that is run where data sets are.
In shown output `…` stands for any text, and alone on a line for any lines.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

BLOCK = re.compile(
    r"((?:^<!-- test: [^\n]* -->\n)*)^```(python|sh|console|text|toml|csv)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
NOTE = re.compile(r"<!-- test: (.*) -->")
DATA = "<!-- test: needs real data -->"
RUN = ("python", "sh", "console")


class Block(NamedTuple):
    """A block with its replacements made."""

    kind: str
    """`python`, `sh`, `console`, `prints` or `file`."""
    code: str
    name: str = ""
    """Of a file."""


class Command(NamedTuple):
    """A line of a console, and what is shown below it."""

    line: str
    output: str

    @property
    def fails(self) -> bool:
        """Whether the page shows that this does not work."""
        return self.output.startswith("error: ")


def blocks(text: str) -> list[Block]:
    """The blocks of a page with which something is to be done."""
    found = []
    for notes, language, code in BLOCK.findall(text):
        kind, name = language, ""
        for note in NOTE.findall(notes):
            if note.startswith("not run here, because "):
                kind = ""
            elif note == "prints":
                kind = note
            elif note.startswith("file "):
                kind, name = "file", note.removeprefix("file ")
            else:
                this, arrow, that = note.partition(" => ")
                assert arrow, f"neither a replacement nor a reason: {note}"
                assert this in code, f"there is nothing to replace: {this}"
                code = code.replace(this, that)
        if kind in (*RUN, "prints", "file"):
            found.append(Block(kind, code, name))
    return found


def commands(code: str) -> Iterator[Command]:
    """The commands of a console block; one that ends with a backslash goes on in the next line."""
    for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        found = re.match(r"((?:.*\\\n)*.*)\n?((?s:.*))", part)
        assert found is not None
        yield Command(found[1], found[2])


def matches(shown: str, printed: str) -> bool:
    """Whether `printed` is what is `shown`, however wide the space between words and lines is."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else r".*?".join(map(re.escape, line.split("…"))) + r"\n"
        for line in _lines(shown)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]
