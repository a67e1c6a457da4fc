"""Table 7 of Perifanis and Efraimidis (2022): what homomorphic sums cost one participant.

One value per ciphertext, as published, would take minutes to hours. So a sample of ciphertexts is timed,
and scaled to all that a participant sends: 2 · items · w + head + 1 as published, where counts are as wide
as rows, and fewer as sent here, with one count for each item. CPU time of one core.
"""

from sottovoce.experiments.reproduce.papers import measurement

SAMPLES = {512: 1000, 1024: 300, 2048: 60, 3072: 20}
"""How many ciphertexts are timed, by the length of the key; all, if there are fewer."""
MEBI = 2**20


@measurement("fedncf_table_7.costs")
def costs(seed: int, *, model: str, scheme: str, bits: int = 3072) -> dict[str, float]:
    """Seconds and MiB of a participant; `scheme` is "one value", "packed" or "ckks"."""
    from sottovoce.exchange.homomorphic import table7
    from sottovoce.exchange.homomorphic.ckks import CKKS
    from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
    from sottovoce.exchange.homomorphic.scheme import Scheme

    plan = table7.PLANS[model]
    packed = scheme == "packed"
    used: Scheme = CKKS() if scheme == "ckks" else Paillier(bits, packed=packed, weak=bits < 1024)
    spent = table7.measure(plan, used, SAMPLES[bits])
    found = {
        "encryption as sent here": spent.encryption,
        "encryption with the secret key": spent.holder_encryption,
        "decryption as sent here": spent.decryption,
        "on the wire": table7.wire_bytes(plan, used) / MEBI,
        "ciphertexts": spent.ciphertexts,
        "ciphertexts timed": spent.sampled,
    }
    if scheme == "one value":
        more = table7.published_values(plan) / spent.ciphertexts
        found["encryption"] = spent.encryption * more
        found["decryption"] = spent.decryption * more
        sent = used.longest(table7.published_values(plan), plan.sums[0].fixed)
        found["on the wire as published"] = sent / MEBI
        found["size as Python objects"] = table7.published_megabytes(plan, bits)
    return found
