"""Communication cost per epoch of federated pair-wise learning (Equations 9 and 10, Anelli et al. 2020).

    CCE = ρ · (ω_S2C + ω_C2S),   ρ = |U⁻| · rpe,   ω_S2C = |I|,   ω_C2S = T (1 + π)

ρ is how often a client and the server talk in an epoch, |U⁻| the number of clients in a round, rpe the rounds
of an epoch. The server sends the vectors of all |I| items. A client sends the updates of T items that it has
not consumed, and of πT that it has. The unit is an item's vector with its bias. The cost is an expectation: a
client may draw an item twice, and T need not be whole. Table 3 uses T = X⁺/|U| as it is, 34.3363 for Brazil,
where training draws ⌊T⌋ triples.
"""

from typing import NamedTuple


class CommunicationCost(NamedTuple):
    """What an epoch costs, in item vectors."""

    exchanges: float
    """ρ, how often a client and the server talk."""
    down: float
    """ρ ω_S2C, item vectors that the server sends."""
    up: float
    """ρ ω_C2S, item vectors that clients send."""

    @property
    def total(self) -> float:
        """CCE."""
        return self.down + self.up

    def in_bytes(self, factors: int, number: int = 4, name: int = 4) -> float:
        """CCE in bytes, without the headers of messages.

        A vector is `factors` numbers and a bias of `number` bytes each. The server sends the whole catalogue
        in order; a client names each item that it sends, in `name` bytes.

        >>> CommunicationCost(exchanges=2, down=20, up=3).in_bytes(factors=10)
        1024.0
        """
        vector = (factors + 1) * number
        return float(self.total * vector + self.up * name)


def communication_cost(
    *, items: int, clients: int, rounds: float, triples: float, disclosed: float
) -> CommunicationCost:
    """The cost of an epoch of `rounds` rounds (rpe) with `clients` clients each (|U⁻|).

    `items` is |I|, `triples` is T, and `disclosed` is π.

    >>> rounds = 599_958 / 17_473
    >>> cost = communication_cost(items=47_270, clients=17_473, rounds=rounds, triples=1, disclosed=0.2)
    >>> f"{cost.total:.0f}"
    '28360734610'
    """
    exchanges = clients * rounds
    return CommunicationCost(exchanges, exchanges * items, exchanges * triples * (1 + disclosed))
