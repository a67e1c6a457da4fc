"""Freshness of the model that clients train (Section 3.3 and Equation 11, Anelli et al. 2020).

    FRSH = rpe,   nFRSH = FRSH / FRSH_ideal

FRSH is the number of updated models that the server delivers in an epoch: a model for each round. The ideal
is central training, where each of the X⁺ steps of an epoch uses a fresh model. With ρ = X⁺, nFRSH = 1 /
|U⁻|.
"""


def freshness(exchanges: float, clients: int) -> float:
    """FRSH = rpe: the rounds of an epoch with `exchanges` (ρ), of `clients` clients each (|U⁻|).

    >>> f"{freshness(599_958, 17_473):.4f}"
    '34.3363'
    """
    return exchanges / clients


def normalized_freshness(rounds: float, steps: float) -> float:
    """nFRSH: the share of `steps` (X⁺, those of an epoch of central training) that begin with a fresh model.

    >>> f"{normalized_freshness(34.3363, 599_958):.4%}"
    '0.0057%'
    """
    return rounds / steps
