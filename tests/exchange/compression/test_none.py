"""`none` leaves messages as they are."""

from sottovoce.exchange.compression.interface import Whole, chain
from sottovoce.exchange.compression.none import Everything
from sottovoce.exchange.compression.quantize import Quantize


def test_it_adds_nothing_to_a_chain():
    assert isinstance(chain([Everything()]), Whole)
    assert chain([Everything(), Quantize(16), Everything()]) == chain([Quantize(16)])
