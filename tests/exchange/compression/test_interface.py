"""Chains of compressions, and what they say about themselves."""

from sottovoce.disclosure import discloses
from sottovoce.exchange.compression.delta import Delta
from sottovoce.exchange.compression.interface import Chain, Whole, chain, rows
from sottovoce.exchange.compression.none import Everything
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample


def test_links_make_a_chain_in_any_order():
    made = Chain(0.2, 16, True)
    links = Subsample(0.2), Quantize(16), Delta()
    assert chain(links) == chain(links[::-1]) == made
    assert chain([]) == chain([Subsample(1.0)]) == chain([Everything()]) == Whole()
    assert chain([Everything(), *links]) == made
    assert isinstance(chain([]), Whole)


def test_at_least_one_row_is_sent():
    assert [rows(Chain(share=0.1), items) for items in (5, 20, 29)] == [1, 2, 2]
    assert rows(Whole(), 29) == rows(Chain(bits=8), 29) == 29


def test_a_chain_says_what_it_reveals():
    (found,) = discloses(Chain(0.25, 8, True))
    for said in ("at most 25 % of the rows", "rounded to 8 bits", "differences to the common start"):
        assert said in found.tells
    (found,) = discloses(Chain(bits=16))
    assert found.tells == "Numbers are rounded to 16 bits, which hides little."
