"""Tables without gaps: a row or column that is mostly empty becomes a sentence."""

from collections.abc import Sequence

from sottovoce.experiments.pages.markup import element
from sottovoce.experiments.report.layout import NONE, Cell, Part, Table


def filled(table: Table) -> list[Part]:
    """The table without rows and columns that are more than half empty; a sentence says what they hold.

    If no cell is left, only the sentences remain.
    """
    rows, told = list(table.rows), []
    kept = [0]
    for n in range(1, len(table.columns)):
        cells = [row[n] for row in rows]
        if _sparse(cells):
            told += _said(table.columns[n].name, [row[0].text for row in rows], cells)
        else:
            kept.append(n)
    whole = []
    for row in rows:
        cells = [row[n] for n in kept]
        if _sparse(cells[1:]):
            told += _said(row[0].text, [table.columns[n].name for n in kept[1:]], cells[1:])
        else:
            whole.append(cells)
    caption = " ".join([table.caption, *told])
    if not whole or len(kept) == 1:
        return [element("p", " ".join(told) or "There are no figures.")]
    return [table._replace(columns=[table.columns[n] for n in kept], rows=whole, caption=caption)]


def _sparse(cells: Sequence[Cell]) -> bool:
    return 2 * sum(cell.text in ("", NONE) for cell in cells) > len(cells)


def _said(what: str, names: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """`Never online: gossip 3.0 %.`, or that there are no figures."""
    held = [
        f"{name} {cell.text}" for name, cell in zip(names, cells, strict=True) if cell.text not in ("", NONE)
    ]
    begun = what[:1].upper() + what[1:]
    return [f"{begun}: {'; '.join(held)}."] if held else [f"{begun}: no figures."]
