"""`reproduction.html`: curves, statements and figures of a reproduction on one page."""

from collections.abc import Mapping
from typing import Any

from sottovoce.experiments.pages.markup import Html, element, join, table
from sottovoce.experiments.pages.page import page
from sottovoce.experiments.reproduce import words


def render(found: Mapping[str, Any]) -> str:
    """The page for the content of `reproduction.json`."""
    title = words.title(found)
    return page(
        title,
        join(
            _header(found),
            element(
                "main",
                _leaks(found),
                _curves(found),
                _people(found),
                _claims(found),
                _figures(found),
                _disclosures(found),
                _about(found),
            ),
        ),
    )


def _header(found: Mapping[str, Any]) -> Html:
    return element(
        "header",
        element("p", "Sottovoce", class_="brand"),
        element("h1", words.title(found)),
        element("p", "".join(words.about(found)), class_="subtitle"),
        element(
            "p",
            element("strong", words.verdict(found)),
            words.scope(found),
            class_=f"verdict {words.outcome(found)}",
        ),
    )


def _curves(found: Mapping[str, Any]) -> Html:
    drawn = [element("figure", element("h3", title), svg) for title, svg in words.panels(found)]
    inside = element("div", *drawn, class_="charts")
    return (
        element("section", element("h2", "Curves"), element("p", words.BAND), inside) if drawn else Html("")
    )


def _people(found: Mapping[str, Any]) -> Html:
    drawn = [element("figure", element("h3", title), svg) for title, svg in words.distributions(found)]
    told = "The height is the share of people, or nodes, with at most this value, over all seeds."
    inside = element("div", *drawn, class_="charts")
    return element("section", element("h2", "People"), element("p", told), inside) if drawn else Html("")


def _leaks(found: Mapping[str, Any]) -> Html:
    parts = [
        table(columns, lines, f"{who[0].upper()}{who[1:]}")
        for who, columns, lines in words.leak_tables(found)
    ]
    if not parts:
        return Html("")
    return element("section", element("h2", "Who sees what"), element("p", words.LEAKS), *parts)


def _claims(found: Mapping[str, Any]) -> Html:
    parts = []
    for claim in found["claims"]:
        looked = [
            element("li", element("strong", words.mark(finding["holds"])), f" · {finding['said']}")
            for finding in claim["findings"]
        ]
        source = words.source(found, claim)
        parts += [
            element("h3", f"{words.judgement(claim).capitalize()}: {claim['claim']}"),
            element("p", f"{source[0].upper()}{source[1:]}.", class_="subtitle") if source else Html(""),
            element("ul", *looked) if looked else element("p", f"{claim['evidence'].capitalize()}."),
        ]
    return element("section", element("h2", "Statements"), *parts) if parts else Html("")


def _figures(found: Mapping[str, Any]) -> Html:
    drawn = [table(one.header, one.lines, one.caption) for one in words.tables(found)]
    return element("section", element("h2", "Figures"), *drawn) if drawn else Html("")


def _disclosures(found: Mapping[str, Any]) -> Html:
    shown = words.disclosures(found)
    if shown is None:
        return Html("")
    told = table(shown.header, shown.lines, shown.caption)
    return element("section", element("h2", "What leaves a device"), told)


def _about(found: Mapping[str, Any]) -> Html:
    return element(
        "section",
        element("h2", "What was done"),
        element("p", found["tuned"]),
        element("ul", *(element("li", note) for note in [*found["notes"], *words.machines(found)])),
        element("h2", "Again"),
        element("pre", words.command(found)),
        element("ul", *(element("li", f"{data['name']}: {data['terms']}") for data in found["data"])),
        element("p", f"Made with Sottovoce {found['version']}.", class_="subtitle"),
    )
