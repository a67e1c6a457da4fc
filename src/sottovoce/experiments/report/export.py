"""Every table of a report as .csv and .tex, and the points of every figure as .csv."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sottovoce.errors import RunError
from sottovoce.experiments.report.layout import Cell, Choice, Grid, Section, Table
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.printable import printable

_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": "$-$", "±": r"$\pm$", "—": "---", "–": "--", "×": r"$\times$", "≥": r"$\geq$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "…": r"\dots{}", "·": r"$\cdot$",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}  # fmt: skip


def export(sections: Iterable[Section], out: Path) -> list[Path]:
    """Write all files into `out`, each entirely or not at all, and return their paths."""
    files: dict[str, str] = {}
    for section in sections:
        for part in section.parts:
            if isinstance(part, Table):
                files |= {f"{part.identity}.csv": part.csv(), f"{part.identity}.tex": tex(part)}
            elif isinstance(part, Grid | Choice):
                files |= {f"figure-{figure.identity}.csv": figure.csv() for figure in part.figures}
    return [save(out / name, text) for name, text in files.items()]


def save(path: Path, text: str) -> Path:
    """Write a file entirely or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        RunDirectory(path.parent).write(path.name, text)
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: {error.strerror or os.strerror(error.errno or 0)}.",
            "Choose another path, in a folder that you may write to.",
        ) from None
    return path


def tex(table: Table) -> str:
    """A table for LaTeX, with the package booktabs."""
    header = " & ".join(escape(column.name) for column in table.columns)
    rows = [_row(row) for row in table.rows]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            f"\\caption{{{escape(table.caption)}}}",
            f"\\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            "\\toprule",
            f"{header} \\\\",
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _row(row: Sequence[Cell]) -> str:
    cells = [escape(f"{cell.text} ({cell.detail})" if cell.detail else cell.text) for cell in row]
    return " & ".join(cells) + " \\\\"


def escape(text: str) -> str:
    """Text escaped for LaTeX."""
    return "".join(_SPECIAL.get(sign, sign) for sign in printable(text))
