"""Table 3 of Anelli et al. (2020): what an epoch costs and how fresh models are, by arithmetic."""

from sottovoce.experiments.reproduce.papers import measurement
from sottovoce.metrics.communication_cost import communication_cost
from sottovoce.metrics.freshness import freshness, normalized_freshness

MEBI = 2**20


@measurement("fpl_table_3.costs")
def costs(
    seed: int,
    *,
    people: int,
    items: int,
    interactions: int,
    everybody: bool,
    more: bool,
    disclosed: float,
    factors: int,
) -> dict[str, float]:
    """An epoch with |U⁻| of everybody or of one person, with T of X⁺ / |U| (`more`) or one, and with π."""
    clients = people if everybody else 1
    triples = interactions / people if more else 1
    rounds = freshness(interactions, clients)
    cost = communication_cost(
        items=items, clients=clients, rounds=rounds, triples=triples, disclosed=disclosed
    )
    return {
        "CCE": cost.total,
        "MiB per person": cost.in_bytes(factors) / people / MEBI,
        "U⁻": clients,
        "T": triples,
        "rpe": rounds,
        "nFresh in %": 100 * normalized_freshness(rounds, interactions),
    }
