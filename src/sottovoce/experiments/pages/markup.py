"""HTML with every text escaped, because titles and names come from outside."""

import html
from typing import Any

from sottovoce.printable import printable


class Html(str):
    """Text that is already HTML."""

    __slots__ = ()


_VOID = {"meta", "link", "br", "hr", "img", "input"}


def element(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. Children that are not `Html` are escaped; `class_` stands for `class`."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"' for key, value in attributes.items()
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: Any) -> Html:
    """Children one after the other, each escaped unless it is `Html`."""
    return Html("".join(c if isinstance(c, Html) else _escaped(c) for c in children))


def _escaped(text: Any) -> str:
    return html.escape(printable(text, keep="\n\t"))


def table(header: list[Any], rows: list[list[Any]], caption: str) -> Html:
    """A table whose first column names its rows; a wide table scrolls below its caption."""
    head = element("tr", *(element("th", h, scope="col") for h in header))
    body = [element("tr", element("th", r[0], scope="row"), *(element("td", c) for c in r[1:])) for r in rows]
    inner = element("table", element("thead", head), element("tbody", *body))
    scroll = element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return element("div", element("p", caption, class_="caption"), scroll, class_="table")


def definitions(pairs: list[tuple[Any, Any]]) -> Html:
    """Names and their values."""
    return element(
        "dl", *(element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    )
