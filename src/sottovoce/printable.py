"""Make text from files safe to print.

Ids, titles, column names and file names were written by somebody else, and a terminal obeys control
characters in them: an escape sequence can move the cursor, hide text or open a link, and a bidirectional
override shows letters in another order. In an HTML page such characters are not valid.
"""

import re

# Control characters (C0, DEL, C1), line and paragraph separators, bidirectional embeddings, overrides and
# isolates, halves of surrogate pairs (bytes of a file name that are not UTF-8), and noncharacters.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def printable(text: object, keep: str = "") -> str:
    r"""The text with invisible characters written as Python escapes. Characters in `keep` stay.

    >>> printable("Heat\x1b[2J")
    'Heat\\x1b[2J'
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] in keep else repr(found[0])[1:-1], str(text))
