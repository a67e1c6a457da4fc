"""Communication cost: the cells of Table 3 of Anelli et al. 2020, and bytes counted message by message."""

import pytest

from sottovoce.metrics.communication_cost import communication_cost

PEOPLE, ITEMS, POSITIVE = 17_473, 47_270, 599_958
"""Brazil in Table 1."""
FEW = [28360614618, 28360734610, 28360854601, 28360974593, 28361094584, 28361214576]
MANY = [28380614992, 28384735058, 28388855125, 28392975191, 28397095258, 28401215324]
TABLE_3 = {"sFPL": (1, False), "sFPL+": (1, True), "pFPL": (PEOPLE, False), "pFPL+": (PEOPLE, True)}


@pytest.mark.parametrize("name", TABLE_3)
def test_table_3(name: str) -> None:
    """All 24 cells as printed, with rpe = X⁺ / |U⁻| and T = 1 or X⁺ / |U|, not rounded."""
    clients, local = TABLE_3[name]
    costs = [
        communication_cost(
            items=ITEMS,
            clients=clients,
            rounds=POSITIVE / clients,
            triples=POSITIVE / PEOPLE if local else 1,
            disclosed=tenths / 10,
        )
        for tenths in range(0, 11, 2)
    ]
    assert [round(cost.total) for cost in costs] == (MANY if local else FEW)
    assert {round(cost.exchanges) for cost in costs} == {POSITIVE}


def test_bytes_of_every_message() -> None:
    """Three rounds of two clients over five items: four triples each, half of the positive rows are sent."""
    cost = communication_cost(items=5, clients=2, rounds=3, triples=4, disclosed=0.5)
    factors, sent = 3, 0
    for _message in range(3 * 2):
        sent += 5 * (factors + 1) * 4
        sent += 4 * ((factors + 1) * 4 + 4) + 2 * ((factors + 1) * 4 + 4)
    assert cost == (6, 30, 36)
    assert cost.in_bytes(factors) == sent
