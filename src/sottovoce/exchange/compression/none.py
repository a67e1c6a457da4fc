"""Send everything (COMPRESSNONE of Algorithm 7, Hegedűs et al. 2019), as where no chain is given."""

from typing import NamedTuple

from sottovoce.exchange.compression.interface import Chain, link
from sottovoce.registry import component


@component("compression", "none")
class Everything(NamedTuple):
    """All rows as they are."""


@link.rule(Everything)
def _link(compression: Everything, chain: Chain) -> Chain:
    return chain
