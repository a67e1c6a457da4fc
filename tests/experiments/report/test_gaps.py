"""Nothing in a report is mostly dashes, and nothing is lost by that."""

import re

import pytest

from sottovoce.experiments.report.gaps import filled
from sottovoce.experiments.report.layout import NONE, Cell, Column, Table
from sottovoce.experiments.report.report import report


def table(*rows: str) -> Table:
    cells = [[Cell(text) for text in row.split()] for row in rows]
    columns = [Column(""), *(Column(f"c{n}") for n in range(1, len(cells[0])))]
    return Table("t", columns, cells, "Told.")


def test_a_full_table_stays():
    whole = table("a 1 2", f"b {NONE} 4")
    assert filled(whole) == [whole]


def test_columns_and_rows_that_are_mostly_empty_become_sentences():
    found = filled(table(f"a 1 {NONE} 3", f"b 4 5 {NONE}", f"c {NONE} {NONE} {NONE}", f"d 7 {NONE} 9"))[0]
    assert [column.name for column in found.columns] == ["", "c1", "c3"]
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["a", "1", "3"],
        ["b", "4", NONE],
        ["d", "7", "9"],
    ]
    assert found.caption == "Told. C2: b 5. C: no figures."


def test_where_nothing_is_left_there_is_a_sentence():
    assert filled(table(f"a {NONE}")) == ["<p>C1: no figures.</p>"]


@pytest.mark.parametrize("which", ["finished", "several"])
def test_no_table_of_a_report_has_more_gaps_than_figures(request, which):
    for section in report([request.getfixturevalue(which)]).sections:
        for part in section.parts:
            if isinstance(part, Table):
                for line in [*(row[1:] for row in part.rows), *list(zip(*part.rows, strict=True))[1:]]:
                    assert 2 * sum(cell.text == NONE for cell in line) <= len(line), part.identity


def test_the_only_method_has_its_best_round_in_a_sentence(finished):
    assert re.search(r"The best HR@5 seen was [\d.]+ %, in round \d+\.", report([finished]).html)
