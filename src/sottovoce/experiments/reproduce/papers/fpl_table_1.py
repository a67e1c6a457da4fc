"""Table 1 of Anelli et al. (2020): sizes of training sets, and how much people prefer each category, B_T."""

from typing import Any

import numpy as np

from sottovoce.data.load import load
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from sottovoce.evaluate.listed import category_bias
from sottovoce.experiments.reproduce.papers import measurement

SHORT = {
    "Arts & Entertainment": "A&E",
    "College & University": "C&U",
    "Food": "Food",
    "Nightlife Spot": "NS",
    "Outdoors & Recreation": "O&R",
    "Professional & Other Places": "P&OP",
    "Residence": "Residence",
    "Shop & Service": "S&S",
    "Travel & Transport": "T&T",
}
"""The nine top categories, as the table abbreviates them."""


@measurement("fpl_table_1.sizes")
def sizes(seed: int, *, data: str, earliest: bool = False, **settings: Any) -> dict[str, float]:
    """The training set of a data set; `settings` are those of its source and filters."""
    train = TemporalHoldout(earliest=earliest).split(load(data, seed=seed, **settings), seed).train
    people, items, count = train.people, train.items, len(train)
    found = {
        "people": people,
        "venues": items,
        "interactions": count,
        "per person": count / people,
        "per venue": count / items,
        "density in %": 100 * count / (people * items),
    }
    biases = category_bias(train.catalog, np.bincount(train.item, minlength=items))
    return found | {f"B_T of {SHORT[name]}": value for name, value in biases.items()}
