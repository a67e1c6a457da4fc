"""Paillier's cryptosystem: ciphertexts whose product is an encryption of the sum.

Paillier, *Public-Key Cryptosystems Based on Composite Degree Residuosity Classes*, EUROCRYPT 1999. With
n = p q and g = n + 1, the ciphertext of m is (1 + m n) · r^n mod n² for a fresh random r. Decryption works
modulo p² and q² and joins both halves (the Chinese remainder theorem, Section 7 there).

How long keys must be (NIST SP 800-57, revision 5): 3,072 bits for 128 bits of security, which is the default;
2,048 for 112 bits, which is accepted until 2030; 1,024 for about 80 bits, which protects nothing any more and
is here because it was published. Shorter keys are for tests, and have to be asked for as weak.

An exponent that must stay secret is used with `powmod_sec`, whose time does not depend on it.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.optional import needed

Below = Callable[[int], int]
"""A source of randomness: a uniform integer from 0 to one below its argument."""
SHORTEST, LONGEST, DEFAULT = 1024, 4096, 3072
"""Lengths of keys in bits."""
WEAKEST = 128
_ROUNDS = 64  # of Miller-Rabin; a composite number passes with a probability below 4^-64


def check_bits(bits: int, weak: bool = False) -> None:
    """Refuse a length of keys that is not offered."""
    least = WEAKEST if weak else SHORTEST
    if not least <= bits <= LONGEST or bits % 16:
        raise MessageError(
            f"A key of {bits} bits is not possible.",
            f"Use {DEFAULT}, or a multiple of 16 between {least} and {LONGEST}.",
        )


class PublicKey(NamedTuple):
    """What everybody may know: encrypts and adds."""

    n: int

    @property
    def bits(self) -> int:
        """The length of the key."""
        return int(self.n).bit_length()

    def masks(self, count: int, below: Below = secrets.randbelow) -> list[int]:
        """As many r^n mod n², each with a fresh r."""
        gmpy2 = needed("gmpy2")
        # That r shares a factor with n is less likely than guessing the factor.
        drawn = [gmpy2.mpz(1 + below(int(self.n) - 1)) for _ in range(count)]
        return list(gmpy2.powmod_base_list(drawn, self.n, self.n * self.n)) if drawn else []

    def encrypt(self, plain: Sequence[int], below: Below = secrets.randbelow) -> list[int]:
        """The ciphertexts of integers from 0 to n − 1."""
        return self.cover(plain, self.masks(len(plain), below))

    def cover(self, plain: Sequence[int], masks: Sequence[int]) -> list[int]:
        """The ciphertexts of integers from 0 to n − 1, with these masks, each of which is used once."""
        n, square = self.n, self.n * self.n
        if any(not 0 <= m < n for m in plain):
            raise MessageError("A number to be encrypted does not fit the key.", "Use a longer key.")
        return [(1 + m * n) * mask % square for m, mask in zip(plain, masks, strict=True)]

    def add(self, one: Iterable[int], other: Iterable[int]) -> list[int]:
        """The ciphertexts of the sums, modulo n."""
        square = self.n * self.n
        return [a * b % square for a, b in zip(one, other, strict=True)]

    def multiply(self, ciphertexts: Iterable[int], factor: int) -> list[int]:
        """The ciphertexts of the products with a plain integer, modulo n."""
        gmpy2 = needed("gmpy2")
        square = self.n * self.n
        return [gmpy2.powmod(c, factor % self.n, square) for c in ciphertexts]

    def check(self, ciphertexts: Iterable[int]) -> None:
        """Refuse numbers from outside that are not ciphertexts under this key: 0 < c < n², coprime to n."""
        gmpy2 = needed("gmpy2")
        n, square, product = self.n, self.n * self.n, gmpy2.mpz(1)
        for c in ciphertexts:
            if not 0 < c < square:
                raise MessageError("A ciphertext is out of range.", "The sender must encrypt with this key.")
            product = product * c % n
        # A product is coprime to n exactly if each factor is: one gcd instead of many.
        if gmpy2.gcd(product, n) != 1:
            raise MessageError(
                "A ciphertext shares a factor with the key.", "The sender must encrypt with this key."
            )


class SecretKey(NamedTuple):
    """The two primes: decrypts, and encrypts faster than the public key can."""

    p: int
    q: int

    @property
    def public(self) -> PublicKey:
        """The public key that belongs to it."""
        return PublicKey(self.p * self.q)

    def _join(self, at_p: int, at_q: int, p: int, q: int, inverse: int) -> int:
        """The number modulo p q that is `at_p` modulo p and `at_q` modulo q; `inverse` is that of p mod q."""
        return at_p + (at_q - at_p) * inverse % q * p

    def masks(self, count: int, below: Below = secrets.randbelow) -> list[int]:
        """Like the public key's, in less than half the time.

        Modulo p², r^n = (r^q)^p depends on r modulo p alone, and r^q runs through all residues as r does: s^p
        for a uniform s has the same distribution, at half the length of modulus and exponent.
        """
        gmpy2 = needed("gmpy2")
        p, q = self.p, self.q
        pp, qq = p * p, q * q
        inverse = gmpy2.invert(pp, qq)
        return [
            self._join(
                gmpy2.powmod_sec(gmpy2.mpz(1 + below(int(p) - 1)), p, pp),
                gmpy2.powmod_sec(gmpy2.mpz(1 + below(int(q) - 1)), q, qq),
                pp,
                qq,
                inverse,
            )
            for _ in range(count)
        ]

    def encrypt(self, plain: Sequence[int], below: Below = secrets.randbelow) -> list[int]:
        """The ciphertexts of integers from 0 to n − 1."""
        return self.public.cover(plain, self.masks(len(plain), below))

    def decrypt(self, ciphertexts: Sequence[int]) -> list[int]:
        """The integers from 0 to n − 1 in ciphertexts that were checked."""
        gmpy2 = needed("gmpy2")
        p, q = self.p, self.q
        pp, qq, inverse = p * p, q * q, gmpy2.invert(p, q)
        # L(g^(p−1) mod p²) is −q modulo p, because g = 1 + n.
        unit_p, unit_q = gmpy2.invert(-q, p), gmpy2.invert(-p, q)
        found = []
        for c in ciphertexts:
            at_p = (gmpy2.powmod_sec(c % pp, p - 1, pp) - 1) // p * unit_p % p
            at_q = (gmpy2.powmod_sec(c % qq, q - 1, qq) - 1) // q * unit_q % q
            found.append(self._join(at_p, at_q, p, q, inverse))
        return found

    def check(self, bits: int) -> None:
        """Refuse primes from outside that are no key of this length."""
        gmpy2 = needed("gmpy2")
        p, q = gmpy2.mpz(self.p), gmpy2.mpz(self.q)
        sound = p != q and (p * q).bit_length() == bits and gmpy2.gcd(p * q, (p - 1) * (q - 1)) == 1
        if not (sound and gmpy2.is_prime(p, _ROUNDS) and gmpy2.is_prime(q, _ROUNDS)):
            raise MessageError(f"This is not a secret key of {bits} bits.", "Let its maker send it again.")


def generate(bits: int = DEFAULT, below: Below = secrets.randbelow, weak: bool = False) -> SecretKey:
    """A new key whose n has exactly this many bits."""
    check_bits(bits, weak)
    gmpy2 = needed("gmpy2")
    half = bits // 2
    while True:
        p, q = _prime(half, below), _prime(half, below)
        # Primes close to each other are found from the root of n (FIPS 186-5, A.1.3).
        apart = abs(p - q) >> max(half - 100, 0)
        if apart and gmpy2.gcd(p * q, (p - 1) * (q - 1)) == 1:
            return SecretKey(p, q)


def _prime(bits: int, below: Below) -> int:
    """A random prime whose two highest bits are set, so that products of two have twice as many bits."""
    gmpy2 = needed("gmpy2")
    while True:
        candidate = gmpy2.mpz(below(1 << (bits - 2)) | 3 << (bits - 2) | 1)
        if gmpy2.is_prime(candidate, _ROUNDS):
            return candidate  # type: ignore[no-any-return]
