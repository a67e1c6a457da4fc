"""Published vectors, through the functions that secure sums call."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.primitives import (
    AgreementKey,
    Identity,
    decrypt,
    derive,
    digest,
    encrypt,
    is_signed,
    keystream,
    repeatable,
)


def hexed(text: str) -> bytes:
    return bytes.fromhex(text)


@pytest.mark.parametrize(
    ("scalar", "point", "secret"),
    [
        (  # RFC 7748, Section 5.2
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
    ],
)
def test_agreement(scalar: str, point: str, secret: str) -> None:
    assert AgreementKey(hexed(scalar)).agree(hexed(point)) == hexed(secret)


def test_agreement_repeated() -> None:
    """RFC 7748, Section 5.2: k and u begin as 9, and each result becomes the next k."""
    k = u = hexed("09" + 31 * "00")
    for _ in range(1000):
        k, u = AgreementKey(k).agree(u), k
    assert k == hexed("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")


def test_two_agree() -> None:
    """RFC 7748, Section 6.1."""
    alice = AgreementKey(hexed("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    bob = AgreementKey(hexed("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    assert alice.public == hexed("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    secret = hexed("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    assert alice.agree(bob.public) == bob.agree(alice.public) == secret


SMALL_ORDER = [
    # Wycheproof's low-order public keys for X25519: 0, 1, two of order 8, and p - 1, p, p + 1.
    "00" * 32,
    "01" + 31 * "00",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ec" + 30 * "ff" + "7f",
    "ed" + 30 * "ff" + "7f",
    "ee" + 30 * "ff" + "7f",
]


@pytest.mark.parametrize("high_bit", [0, 0x80])
@pytest.mark.parametrize("point", SMALL_ORDER)
def test_points_of_small_order_are_refused(point: str, high_bit: int) -> None:
    """The highest bit does not count (RFC 7748, Section 5), so both forms are the same point."""
    raw = bytearray(hexed(point))
    raw[31] |= high_bit
    with pytest.raises(MessageError, match="small order"):
        AgreementKey(bytes(range(32))).agree(bytes(raw))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_keys_of_other_lengths_are_refused(length: int) -> None:
    with pytest.raises(MessageError, match="not a key"):
        AgreementKey(bytes(range(32))).agree(b"\x09" * length)


@pytest.mark.parametrize(
    ("secret", "salt", "info", "key"),
    [  # RFC 5869, Appendix A.1 to A.3
        (
            b"\x0b" * 22,
            bytes(range(13)),
            bytes(range(0xF0, 0xFA)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            bytes(range(0x50)),
            bytes(range(0x60, 0xB0)),
            bytes(range(0xB0, 0x100)),
            (
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
            ),
        ),
        (
            b"\x0b" * 22,
            b"",
            b"",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ],
)
def test_derivation(secret: bytes, salt: bytes, info: bytes, key: str) -> None:
    assert derive(secret, salt, info, len(key) // 2) == hexed(key)


def test_keystream() -> None:
    """NIST SP 800-38A, F.5.5, CTR-AES256."""
    key = hexed("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    text = hexed(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )
    coded = (
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
    )
    counter = bytes(range(0xF0, 0x100))
    assert keystream(key, counter).update(text) == hexed(coded)
    zeros = np.frombuffer(keystream(key, counter).update(bytes(64)), np.uint8)
    assert (zeros ^ np.frombuffer(text, np.uint8)).tobytes() == hexed(coded)


def test_signature() -> None:
    """RFC 8032, Section 7.1, test 1."""
    identity = Identity(hexed("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert identity.public == hexed("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = hexed(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    assert identity.sign(b"") == signature
    assert is_signed(identity.public, signature, b"")
    assert not is_signed(identity.public, signature, b"x")
    assert not is_signed(identity.public, signature[:-1], b"")
    assert not is_signed(b"", signature, b"")


def test_boxes_open_only_as_they_were_closed() -> None:
    box = encrypt(b"k" * 32, b"text", b"about")
    assert decrypt(b"k" * 32, box, b"about") == b"text"
    for key, data, about in [
        (b"j" * 32, box, b"about"),
        (b"k" * 32, box, b"another"),
        (b"k" * 32, box[:-1], b"about"),
        (b"k" * 32, bytes([box[0] ^ 1]) + box[1:], b"about"),
        (b"k" * 32, b"", b"about"),
    ]:
        with pytest.raises(MessageError, match="changed on its way"):
            decrypt(key, data, about)


def test_lists_that_differ_have_other_hashes() -> None:
    assert len({digest(b"ab", b"c"), digest(b"a", b"bc"), digest(b"abc"), digest(b"abc", b"")}) == 4


def test_repeatable_bytes_follow_from_the_seed() -> None:
    one, same, other = repeatable(b"1"), repeatable(b"1"), repeatable(b"2")
    first = one(5) + one(40)
    assert first == same(45) != other(45)
    assert len(first) == 45
