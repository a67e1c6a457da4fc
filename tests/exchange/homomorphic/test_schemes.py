"""Every scheme: encrypted sums are sums of integers, and what does not belong is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.fixed import Fixed
from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
from sottovoce.exchange.homomorphic.scheme import Holder
from tests.exchange.homomorphic.groups import SCHEMES, WEAK

KEYS: dict[str, Holder] = {name: scheme.make() for name, scheme in SCHEMES.items()}
EACH = pytest.mark.parametrize("name", SCHEMES)


@EACH
@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 40))
def test_encrypted_sums_are_sums_of_integers(name: str, seed: int, terms: int, length: int) -> None:
    rng, scheme, keys = np.random.default_rng(seed), SCHEMES[name], KEYS[name]
    fixed = Fixed(int(rng.integers(0, 25)), float(rng.choice([1.0, 3.7, 8.0])), terms)
    assert scheme.error(fixed) == 0, "exact"
    values = rng.uniform(-1, 1, (terms, length)) * fixed.limit
    values[rng.random(values.shape) < 0.2] = fixed.limit
    adder = scheme.adder(keys.public)
    total = adder.parse((keys if seed % 2 else adder).seal(values[0], fixed), length, fixed)
    for vector in values[1:]:
        total = adder.add(total, adder.parse(keys.seal(vector, fixed), length, fixed))
    data = adder.write(total)
    assert len(data) <= scheme.longest(length, fixed)
    integers = np.rint(values * 2.0**fixed.fraction).sum(axis=0)
    np.testing.assert_array_equal(keys.open(data, length, fixed), integers / 2.0**fixed.fraction)


@EACH
def test_the_secret_key_can_be_handed_on(name: str) -> None:
    scheme, keys, fixed = SCHEMES[name], KEYS[name], Fixed(8, 2.0, 3)
    other = scheme.holder(keys.secret)
    sealed = keys.seal(np.array([1.5, -2.0]), fixed)
    np.testing.assert_array_equal(other.open(sealed, 2, fixed), [1.5, -2.0])
    assert len(keys.secret) <= scheme.longest_keys()
    assert len(keys.public) <= scheme.longest_keys()


@EACH
@pytest.mark.parametrize("bad", [np.nan, np.inf, 2.01, -2.01])
def test_nothing_is_encrypted_that_could_spoil_a_sum(name: str, bad: float) -> None:
    with pytest.raises(MessageError, match=r"not finite|2 is the largest"):
        KEYS[name].seal(np.array([0.0, bad]), Fixed(8, 2.0, 3))


@EACH
def test_more_terms_than_agreed_are_noticed(name: str) -> None:
    """Five at the limit where two were agreed: an error, not a wrapped number."""
    keys, fixed = KEYS[name], Fixed(0, 7.0, 2)
    one = keys.seal(np.array([7.0, 0.0]), fixed)
    total = keys.parse(one, 2, fixed)
    for _ in range(4):
        total = keys.add(total, keys.parse(one, 2, fixed))
    with pytest.raises(MessageError, match=r"participants can have added|has 5 terms|does not fit its slots"):
        keys.open(keys.write(total), 2, fixed)


@EACH
def test_other_keys_are_refused(name: str) -> None:
    fixed, stranger = Fixed(8, 2.0, 3), SCHEMES[name].make()
    with pytest.raises(MessageError, match="another key"):
        KEYS[name].parse(stranger.seal(np.zeros(3), fixed), 3, fixed)


@EACH
def test_other_lengths_are_refused(name: str) -> None:
    fixed = Fixed(8, 2.0, 3)
    with pytest.raises(MessageError, match="were expected"):
        KEYS[name].parse(KEYS[name].seal(np.zeros(5000), fixed), 4000, fixed)


def test_as_many_values_in_a_ciphertext_as_fit() -> None:
    fixed = Fixed(24, 4.0, 100)  # 34 bits
    assert [Paillier(bits, weak=True).capacity(fixed) for bits in (512, 1024, 2048, 3072)] == [14, 29, 59, 89]
    assert Paillier(3072, packed=False).capacity(fixed) == 1
    assert SCHEMES["packed"].longest(150, fixed) == 20 + 11 * WEAK // 4
    assert SCHEMES["single"].longest(150, fixed) == 20 + 150 * WEAK // 4
