"""What participants encrypt, and how sums become the next model: MF-FedAvg over encrypted vectors.

Each participant sends four vectors (Appendix C.1 of Perifanis and Efraimidis 2022):

| vector | numbers | what one participant puts in                        | published as |
|--------|---------|-----------------------------------------------------|--------------|
| rows   | N · D   | the change of each row; zero where it did not train | Enc I        |
| counts | N       | 1 for each row that it changed, else 0              | Enc n_I      |
| head   | h       | the change of the head × its instances              | Enc N_w      |
| totals | 2       | its instances, and 1                                | Enc n_c      |

Published are values instead of changes, counts as wide as the rows, and no 1. Changes give the same averages,
because every contributor started from the same model, and they are smaller, so they take fewer bits. The 1
tells how many vectors a sum holds.

A row's new value is base + Σ changes / n_I, the head's is base + Σ (instances × change) / Σ instances
(Algorithm 1). A row that nobody changed keeps its value. As published it is lost: the sum of no values is
zero, and the next participants know nothing else. That is why the base, the model before the sums, is kept
encrypted beside them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.fixed import Fixed
from sottovoce.exchange.homomorphic.scheme import Numbers, Scheme


class Model(NamedTuple):
    """What everybody trains."""

    rows: Numbers  # [N, D]
    head: Numbers  # [h]


class Change(NamedTuple):
    """What one person's training changed."""

    ids: NDArray[np.int64]  # [n], the items, ascending
    rows: Numbers  # [n, D]
    head: Numbers  # [h]
    instances: int


class Part(NamedTuple):
    """One vector: how many numbers, and their form."""

    numbers: int
    fixed: Fixed


class Plan(NamedTuple):
    """The shape of the model, and the limits that keep sums from overflowing. Everybody needs the same."""

    items: int
    width: int
    head: int
    clients: int
    """The most participants of a round."""
    fewest: int = 2
    """The fewest contributions that are summed."""
    fraction: int = 24
    """Bits after the point of a weight, and of a row's change."""
    head_fraction: int = 12
    """Bits after the point of a head's change × instances, which is divided by many instances later."""
    change: float = 4.0
    """The largest change of a weight in one training."""
    weight: float = 64.0
    """The largest weight."""
    instances: int = 2**14
    """The most instances of one person."""

    @property
    def sums(self) -> tuple[Part, Part, Part, Part]:
        """Rows, counts, head and totals."""
        n = self.clients
        return (
            Part(self.items * self.width, Fixed(self.fraction, self.change, n)),
            Part(self.items, Fixed(0, 1.0, n)),
            Part(self.head, Fixed(self.head_fraction, self.change * self.instances, n)),
            Part(2, Fixed(0, float(self.instances), n)),
        )

    @property
    def base(self) -> tuple[Part, Part]:
        """The rows and the head of a model."""
        fixed = Fixed(self.fraction, self.weight, 1)
        return Part(self.items * self.width, fixed), Part(self.head, fixed)

    def check(self, scheme: Scheme) -> None:
        """Refuse limits whose sums do not fit, and an approximate scheme that would miscount."""
        if not (self.items >= 0 and self.width >= 0 and self.head >= 0 and 1 <= self.fewest <= self.clients):
            raise MessageError(
                f"A model of {self.items} rows of {self.width} numbers and a head of {self.head}, summed "
                f"over {self.fewest} to {self.clients} participants, is not possible.",
                "No number may be negative, and `fewest` lies between 1 and `clients`.",
            )
        for part in (*self.sums, *self.base):
            part.fixed.check()
            scheme.longest(part.numbers, part.fixed)
        if any(scheme.error(part.fixed) for part in (self.sums[1], self.sums[3])):
            raise MessageError(
                f"{scheme.settings}, cannot count {self.clients} participants with up to {self.instances} "
                "instances exactly.",
                "Use smaller groups, a smaller limit of instances, or Paillier.",
            )

    def fitted(self, change: Change) -> Change:
        """A change that can be encrypted, whatever its numbers are; itself if it can be as it is.

        Numbers beyond the limits are clipped. If one is not finite, zeros take the place of all.
        """
        ids, rows, head, instances = change
        if not (np.isfinite(rows).all() and np.isfinite(head).all()):
            rows, head = np.zeros_like(rows), np.zeros_like(head)
        rows, head = (np.clip(part, -self.change, self.change) for part in (rows, head))
        found = Change(ids, rows, head, min(instances, self.instances))
        fits = np.array_equal(rows, change.rows) and np.array_equal(head, change.head)
        return change if fits and found.instances == instances else found

    def vectors(self, change: Change) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """The four vectors that a participant encrypts."""
        ids, rows, head, instances = change
        ids = np.asarray(ids)
        if rows.shape != (len(ids), self.width) or head.shape != (self.head,):
            raise MessageError(
                f"A change of {rows.shape} rows for {len(ids)} items and a head of {head.shape} does not fit "
                f"rows of {self.width} numbers and a head of {self.head}.",
                "Train the model that the plan describes.",
            )
        if len(ids) and not (ids[0] >= 0 and ids[-1] < self.items and (ids[1:] > ids[:-1]).all()):
            raise MessageError(
                "The items of a change do not ascend, or are not in the catalogue.",
                f"Name each of the items 0 to {self.items - 1} at most once, in order.",
            )
        if not 0 <= instances <= self.instances:
            raise MessageError(
                f"{instances} instances are out of range; {self.instances} is the most.",
                "Train on fewer, or let all participants agree on a higher limit.",
            )
        table, counts = np.zeros((self.items, self.width)), np.zeros(self.items)
        table[ids], counts[ids] = rows, 1.0
        with np.errstate(invalid="ignore"):  # inf · 0 is not finite either, and refused when it is encoded
            weighted = np.asarray(head, np.float64) * instances
        return table.ravel(), counts, weighted, np.array([float(instances), 1.0])

    def model(self, base: tuple[Numbers, Numbers]) -> Model:
        """The model in two decrypted vectors."""
        return Model(base[0].reshape(self.items, self.width), base[1])

    def average(self, base: Model, sums: tuple[Numbers, Numbers, Numbers, Numbers], scheme: Scheme) -> Model:
        """The model after these decrypted sums, on the grid of the base's form.

        Sums may be off by the scheme's `error`. What nobody changed is then not zero, and keeps its value.
        """
        rows, counts, head, (instances, contributors) = sums
        rows = rows.reshape(self.items, self.width)
        people = self.fewest <= contributors <= self.clients
        trained = 0 <= instances <= contributors * self.instances
        if not (people and trained and ((counts >= 0) & (counts <= contributors)).all()):
            raise MessageError(
                f"A sum claims {contributors:g} contributors, and {self.fewest} to {self.clients} can be; or "
                "more of them changed a row, or had instances, than there are.",
                "The server added something else than this round's contributions: repeat the round.",
            )
        nobody, (of_rows, _, of_head, _) = counts == 0, (_slack(part, scheme) for part in self.sums)
        if (np.abs(rows[nobody]) > of_rows).any() or (not instances and (np.abs(head) > of_head).any()):
            raise MessageError(
                "A sum changes a row that nobody says to have changed.",
                "Somebody sent a change without its count: repeat the round.",
            )
        moved = np.where(nobody[:, None], base.rows, base.rows + rows / np.maximum(counts, 1.0)[:, None])
        shifted = base.head + head / instances if instances else base.head
        step = 2.0**-self.fraction
        return Model(np.rint(moved / step) * step, np.rint(shifted / step) * step)


def _slack(part: Part, scheme: Scheme) -> float:
    """By how much a decrypted sum of this vector may be off."""
    return scheme.error(part.fixed) * 2.0**-part.fixed.fraction
