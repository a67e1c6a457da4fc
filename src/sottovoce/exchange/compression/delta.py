"""Send differences to the common start, which everybody can compute.

A row that nobody has trained is then zero, and what is left has a smaller range: the same bits say
more. A federated client's Update is the difference to the server's last broadcast by itself.
"""

from typing import NamedTuple

from sottovoce.exchange.compression.interface import Chain, link
from sottovoce.registry import component


@component("compression", "delta")
class Delta(NamedTuple):
    """Differences to the start instead of weights."""


@link.rule(Delta)
def _link(compression: Delta, chain: Chain) -> Chain:
    return chain._replace(delta=True)
