"""Text from outside, made safe to print.

Ids, titles, column names and file names come from files that somebody else wrote. A terminal obeys what
it finds in them: an escape sequence moves the cursor, hides text or opens a link, and a bidirectional
override shows letters in another order than they are in. In a page such characters are not valid.
"""

import re

# Control characters (C0, DEL, C1), line and paragraph separators, bidirectional embeddings, overrides and
# isolates, halves of surrogate pairs (bytes of a file name that are not UTF-8), and noncharacters.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def printable(text: object, keep: str = "") -> str:
    r"""Text in which what could not be seen is written as Python would write it; `keep` stays as it is.

    >>> printable("Heat\x1b[2J")
    'Heat\\x1b[2J'
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] in keep else repr(found[0])[1:-1], str(text))
