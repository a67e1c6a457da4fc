"""What leaves a device: what each method lets others see, and what that tells them."""

from sottovoce.experiments.pages.markup import element
from sottovoce.experiments.report.layout import Cell, Column, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study
from sottovoce.experiments.runs.dp import sentences
from sottovoce.experiments.runs.result import Seen

_AGREED = "Private data leaves devices here; the recipe agrees to that (disclose = true)."
_KEPT = "People's data and their vectors stay on their devices."
_CENTRAL = "All data is in one place."


def leaving(study: Study) -> list[Section]:
    """One section, if the runs say what leaves a device; methods that disclose the same share a table."""
    groups: list[tuple[list[Seen], list[Method]]] = []
    for method in study.methods:
        seen = method.runs[0].figures.privacy
        alike = next((methods for known, methods in groups if known == seen), None)
        if alike is not None:
            alike.append(method)
        elif seen:
            groups.append((seen, [method]))
    parts: list[Part] = []
    for number, (seen, methods) in enumerate(groups, 1):
        if len(groups) > 1:
            parts.append(element("h3", "; ".join(method.name for method in methods)))
        parts += [element("p", told) for method in methods for told in _promise(method)]
        parts.append(_table(seen, _summary(seen, methods[0]), f"privacy-{number}" * (len(groups) > 1)))
    return [Section("What leaves a device", parts, "words")] if parts else []


def _promise(method: Method) -> list[str]:
    """What a method promises by differential privacy, over the runs of it; nothing if it promises nothing."""
    spent = [run.figures.dp for run in method.runs if run.figures.dp is not None]
    if not spent:
        return []
    return sentences(max(spent, key=lambda one: one.epsilon))


def _summary(seen: list[Seen], method: Method) -> str:
    if any(one.private for one in seen):
        return _AGREED
    return _KEPT if method.runs[0].figures.nodes > 1 else _CENTRAL


def _table(seen: list[Seen], summary: str, identity: str) -> Table:
    columns = [Column("what others see"), Column("who"), Column("what it tells them")]
    rows = [
        [
            Cell(_begun(one.what), "private by design" if one.private else ""),
            Cell(_begun(one.to)),
            Cell(one.tells),
        ]
        for one in seen
    ]
    return Table(identity or "privacy", columns, rows, summary)


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
