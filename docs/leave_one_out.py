"""Print the table of `leave-one-out` in docs/explanation/settings-without-a-centre.md.

    python -m docs.leave_one_out ml-100k 1 2 3 4 5      # from the root of the project: a data set, and seeds

A seed draws candidates, first values and what is held back. Central ALS is tuned with the first seed, on a
tenth of everybody's training items, and then trained on all of them.
"""

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.references import als as reference
from sottovoce.evaluate.references._given import given
from sottovoce.evaluate.references.ease import EASE
from sottovoce.evaluate.references.tuned_als import TunedALS
from sottovoce.models.als import ALS
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation

SWEEPS = 12
TOLD = ("hr@10", "ndcg@10")


def tuned(train: Interactions, seed: int) -> reference.ALS:
    """Central ALS, tuned on a tenth of the training items."""
    apart = LocalHoldout(test=1e-9, weighting=0.1).split(train, seed)
    assert apart.weighting is not None
    return TunedALS().choose(apart, seed)


def means(state: Any, split: Split) -> list[float]:
    """The figures of a model, in per cent."""
    found = evaluate(*state, split, ks=(10,), metrics=["hr", "ndcg"]).per_user
    return [100 * float(np.nanmean(found[name])) for name in TOLD]


def summed(model: ALS, split: Split, seed: int) -> Simulation:
    """A network of `als` whose sums are exact, after all sweeps."""
    everybody: dict[str, Any] = {"merge": Simple(), "peers": None, "rounds": SWEEPS}
    network = Simulation(model, Federated(start="common"), split.train, seed, **everybody)
    network.advance(SWEEPS)
    return network


def rows(split: Split, seed: int, central: Callable[[], reference.ALS]) -> Iterator[tuple[str, list[float]]]:
    """Everything that is compared, on one split."""
    train = split.train
    for name, model in (("`als`", ALS()), ("settings from counts", ALS(held=0.0))):
        network = summed(model, split, seed)
        yield name, means((network.model, *network.own()), split)
        network.model = network.model._replace(recency=False)
        yield f"{name}, β = 0", means((network.model, *network.own()), split)
    yield "central ALS, tuned", means(given(central().fit(train, seed), train), split)
    yield "EASE", means(given(EASE().fit(train, seed), train), split)
    counts = np.bincount(train.item, minlength=train.items).astype(np.float32)
    yield "popularity", means(given(lambda begin, end: np.tile(counts, (end - begin, 1)), train), split)


def main(data: str, *seeds: str) -> None:
    """Measure, and print means with the smallest and the largest."""
    interactions, found = load(data), dict[str, list[list[float]]]()
    first = int(seeds[0])
    central = functools.cache(lambda: tuned(LeaveOneOut().split(interactions, first).train, first))
    for seed in map(int, seeds):
        for name, figures in rows(LeaveOneOut().split(interactions, seed), seed, central):
            found.setdefault(name, []).append(figures)
            print(seed, name, figures, file=sys.stderr, flush=True)
    for name, figures in found.items():
        columns = np.array(figures).T
        cells = [f"{c.mean():.1f} ({c.min():.1f} to {c.max():.1f})" for c in columns]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
