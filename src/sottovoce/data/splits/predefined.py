"""`predefined`: the parts that the publisher of the data made, NCF's and RecBole's files among them.

The validation set serves as the weighting set: what a person withholds from training to judge models by.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from sottovoce.data import sampling
from sottovoce.data.interactions import Division, Interactions
from sottovoce.data.split import TEST, WEIGHTING, Split, no_candidates
from sottovoce.errors import DataError
from sottovoce.registry import component


@component("split", "predefined")
class Predefined(NamedTuple):
    """Train, test and validation sets as distributed, and the negatives that come with them.

    Where the test or the validation set comes without negatives, `candidates` items that the person
    met in no part are drawn for each of its entries; with 0, rivals are the whole catalogue. A
    person who is only in some of the parts trains and is tested on just these. Filters of the data
    act on all parts: `data.duplicates` says what becomes of an item that a person has in several.
    """

    candidates: Annotated[int, Ge(0)] = 100
    weighting: bool = True
    """Whether the validation set is withheld to weigh models with; otherwise it is trained on."""
    negatives: Literal["given", "drawn"] = "given"
    """`drawn`: candidates are drawn also where negatives come with the files."""

    def split(self, data: Interactions, seed: int) -> Split:
        """The split; the seed draws candidates alone."""
        division = data.division
        if division is None or len(division.part) != len(data):
            raise DataError(
                f"{data.name} does not come in parts, so there is no predefined split.",
                "Choose another split, or data such as NAME.train.rating with NAME.test.rating beside it.",
            )
        withheld = (division.part == WEIGHTING) & self.weighting
        test, weighting = data.take(division.part == TEST), data.take(withheld)
        held = {TEST, WEIGHTING} if len(weighting) else {TEST}
        draws = self.candidates and not held <= self._given(division)
        return Split(
            (f"predefined(candidates={self.candidates}, seed={seed})" if draws else "predefined()")
            + ("" if self.weighting else " trained on the validation set too"),
            data.take(~withheld & (division.part != TEST)),
            test,
            weighting if len(weighting) else None,
            self._candidates(data, test, TEST, seed),
            self._candidates(data, weighting, WEIGHTING, seed) if len(weighting) else no_candidates(None),
            untested="nothing in the published test set",
        )

    def _given(self, division: Division) -> set[int]:
        """The parts whose negatives are used."""
        return set(division.negatives) if self.negatives == "given" else set()

    def _candidates(self, data: Interactions, held: Interactions, part: int, seed: int) -> NDArray[np.int32]:
        assert held.division is not None
        if part in self._given(held.division):
            return _given(held, held.division, held.division.negatives[part])
        if not self.candidates:
            return no_candidates(held)
        return sampling.sample(sampling.seen(data.indptr, data.item), held, self.candidates, seed, part)


def _given(held: Interactions, division: Division, negatives: NDArray[np.int32]) -> NDArray[np.int32]:
    """The negatives of each entry, by the numbers that items have in a catalogue that was filtered."""
    drawn = negatives[division.row]
    if held.catalog is division.catalog:
        return drawn
    place = {item: number for number, item in enumerate(held.catalog.ids.tolist())}
    numbers = np.array([place.get(item, -1) for item in division.catalog.ids.tolist()], np.int32)
    return np.where(drawn >= 0, numbers[drawn], np.int32(-1))
