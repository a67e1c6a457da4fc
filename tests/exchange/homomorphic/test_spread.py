"""The secret key reaches those in the roster, from those in the roster, and nobody else."""

import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.spread import OVERHEAD, fingerprint, identity, maker, unwrap, wrap

PEOPLE = [identity() for _ in range(4)]
ROSTER = {number: person.public for number, person in enumerate(PEOPLE)}
SECRET = b"the primes"
WRAPPED_KEY = wrap(SECRET, PEOPLE[0], 0, 1, ROSTER)


def test_the_recipient_reads_it() -> None:
    assert unwrap(WRAPPED_KEY, PEOPLE[1], 1, 0, ROSTER) == SECRET
    assert len(WRAPPED_KEY) == len(SECRET) + OVERHEAD
    assert SECRET not in WRAPPED_KEY
    assert wrap(SECRET, PEOPLE[0], 0, 1, ROSTER) != WRAPPED_KEY, "another key each time"


@pytest.mark.parametrize(("reader", "number", "sender"), [(2, 2, 0), (2, 1, 0), (1, 1, 2), (0, 1, 0)])
def test_nobody_else_reads_it_or_takes_it_for_anothers(reader: int, number: int, sender: int) -> None:
    with pytest.raises(MessageError, match="was not encrypted by"):
        unwrap(WRAPPED_KEY, PEOPLE[reader], number, sender, ROSTER)


def test_a_sender_outside_the_roster_cannot_pass_for_one_in_it() -> None:
    stranger = identity()
    forged = wrap(b"my own key", stranger, 0, 1, ROSTER | {0: stranger.public})
    with pytest.raises(MessageError, match="was not encrypted by"):
        unwrap(forged, PEOPLE[1], 1, 0, ROSTER)
    for to, sender in ((9, 0), (1, 9)):
        with pytest.raises(MessageError, match="9 is not in the roster"):
            wrap(SECRET, PEOPLE[0], sender, to, ROSTER)


def test_damaged_and_short_parcels_are_refused() -> None:
    for at in range(0, len(WRAPPED_KEY), 7):
        bad = bytearray(WRAPPED_KEY)
        bad[at] ^= 1
        with pytest.raises(MessageError):
            unwrap(bytes(bad), PEOPLE[1], 1, 0, ROSTER)
    for length in (0, 31, OVERHEAD - 1, len(WRAPPED_KEY) - 1):
        with pytest.raises(MessageError):
            unwrap(WRAPPED_KEY[:length], PEOPLE[1], 1, 0, ROSTER)


@pytest.mark.parametrize("point", [bytes(32), b"\1" + bytes(31), bytes(5)])
def test_public_keys_that_agree_with_everybody_are_refused(point: bytes) -> None:
    """Points of low order (RFC 7748, Section 6.1) would give a key that everybody knows."""
    with pytest.raises(MessageError, match="not valid"):
        wrap(SECRET, PEOPLE[0], 0, 1, ROSTER | {1: point})
    if len(point) == 32:
        with pytest.raises(MessageError, match="not valid"):
            unwrap(point + WRAPPED_KEY[32:], PEOPLE[1], 1, 0, ROSTER)


def test_everybody_finds_the_same_maker_and_any_can_be_it() -> None:
    assert maker(ROSTER) == maker(dict(reversed(ROSTER.items())))
    makers = {maker({number: bytes([seed, number]) * 16 for number in range(4)}) for seed in range(60)}
    assert makers == {0, 1, 2, 3}


def test_the_fingerprint_tells_rosters_apart() -> None:
    swapped = ROSTER | {0: ROSTER[1], 1: ROSTER[0]}
    assert len({fingerprint(one) for one in (ROSTER, swapped, ROSTER | {4: bytes(32)})}) == 3
    assert fingerprint(ROSTER) == fingerprint(dict(reversed(ROSTER.items())))
