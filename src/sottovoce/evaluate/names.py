"""The names of the metrics of an evaluation, such as "hr@20", known before anything is simulated."""

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from sottovoce.errors import RecipeError
from sottovoce.metrics import LISTED, NAMES, RANKED
from sottovoce.registry import nearest

if TYPE_CHECKING:
    from sottovoce.data.split import Split

Candidates = Literal["sampled", "all"]
_OF_THE_SYSTEM = frozenset(
    {
        "f1-of-means",
        "item-coverage",
        "items-covered",
        "precision-of-served",
        "recall-of-served",
        "gini",
        "evenness",
        "bias-disparity",
    }
)
_AT_K = frozenset({*RANKED, *LISTED} - {"user-coverage"})


class Names(NamedTuple):
    """The metrics of an evaluation, in the order in which it returns them."""

    every: tuple[str, ...]
    of_people: tuple[str, ...]
    """Those of which each person has a value of their own; the others describe the system as a whole."""


def asked(
    split: "Split", metrics: Sequence[str] | None, candidates: Candidates | None
) -> tuple[Sequence[str], bool]:
    """The kinds of metrics to measure, and whether items are ranked among the split's candidates.

    Kinds have no K, such as "hr". By default they are the usual ones of the split.
    """
    drawn = split.candidates.shape[1] > 0
    wanted = metrics or split.metrics or (("hr", "ndcg") if drawn else ("rmse",))
    return wanted, drawn if candidates is None else candidates == "sampled"


def measured(
    split: "Split",
    ks: Sequence[int],
    metrics: Sequence[str] | None = None,
    candidates: Candidates | None = None,
    without: Container[str] = (),
) -> Names:
    """What `evaluate` returns for these arguments; an error if it cannot be measured."""
    wanted, sampled = asked(split, metrics, candidates)
    for kind in wanted:
        if kind not in NAMES:
            raise RecipeError(f"There is no metric called {kind!r}.", nearest(kind, list(NAMES)))
    ranks = any(kind in RANKED or kind in LISTED for kind in wanted)
    if split.candidates.shape[1] == 0 and ((sampled and ranks) or "f1-list" in wanted):
        raise RecipeError(
            f"The split {split.name!r} draws no candidates to rank held-out items among.",
            "Choose candidates = 'all' and metrics other than 'f1-list', or a split with candidates.",
        )
    every = [name for name in named(wanted, ks) if name not in without]
    own = [name for name in every if name.partition("@")[0] not in _OF_THE_SYSTEM]
    return Names(tuple(every), tuple(own))


def named(kinds: Sequence[str], ks: Sequence[int]) -> list[str]:
    """Kinds of metrics with every K: `["hr", "rmse"]` and `[5, 10]` are hr@5, hr@10 and rmse."""
    names = (f"{kind}@{k}" if k else kind for kind in kinds for k in (ks if kind in _AT_K else (0,)))
    return list(dict.fromkeys(names))
