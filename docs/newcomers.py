"""Write the tables of docs/explanation/newcomers.md: people who come later, new items, tastes that change.

    python -m docs.newcomers            # from the root of the project; measures what is missing
    python -m docs.newcomers written    # measures nothing

Figures are kept in docs/explanation/newcomers.json, an entry for each part and seed.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import sottovoce
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.models.als import ALS
from sottovoce.models.popularity import Popularity
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus
from sottovoce.simulate.engine import Simulation

FOLDER = Path(__file__).parent / "explanation"
FIGURES, PAGE = FOLDER / "newcomers.json", FOLDER / "newcomers.md"
SEEDS = (1, 2)
METRICS = ("hr@10", "ndcg@10")
ARRIVES, ROUNDS = 6, 14
"""Sweeps before something new arrives, and all sweeps."""
LOOKED = (6, 7, 8, 9, 10, 12, 14)
"""The sweeps after which quality is measured."""
NEW_ITEMS, CHANGING = -(1 << 24), -(1 << 25)
"""The numbers of the random orders of items and of people that are drawn from."""
LOUD = {
    *("Action", "Adventure", "Sci-Fi", "Thriller", "Horror", "War", "Crime", "Mystery", "Western"),
    "Film-Noir",
}
"""One part of the catalogue: films with one of these genres. The other part has none of them."""

Bools = NDArray[np.bool_]
Person = dict[str, NDArray[np.float64]]


def pair(one: Person, other: Person | None = None) -> dict[str, list[float]]:
    """The mean of each metric over people, and of the difference to others with its standard error."""
    found = {}
    for name in METRICS:
        values = one[name][~np.isnan(one[name])]
        found[name] = [float(values.mean())]
        if other is not None:
            gain = one[name] - other[name]
            gain = gain[~np.isnan(gain)]
            found[name] += [float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))]
    return found


def come(recipe: str, seed: int, members: bool = False, **more: Any) -> dict[str, Any]:
    """People who take the model of one peer, by the number of items that are known of them."""
    changes = {"run.seed": seed, "run.threads": 1, "evaluate.ks": [10]}
    found = sottovoce.newcomers(recipe, members=members, settings=changes | more)
    parts: dict[str, Any] = {"people": found.people, "others": found.others, "bytes": found.message}
    for row in found.rows:
        known = str(row.known or "all")
        parts[known] = pair(row.members, row.newcomers) if members else pair(row.newcomers, row.popularity)
        parts["popularity"] = pair(row.popularity)
    return parts


def newcomers(seed: int) -> dict[str, Any]:
    """Newcomers to `als` under `consensus`, node by node."""
    return come("lead/consensus-ml100k", seed, **{"run.rounds": ARRIVES, "protocol.modulus": 16})


def gossip(seed: int) -> dict[str, Any]:
    """Newcomers to `ials` by gossip, after one training."""
    return come("quickstart", seed)


def members(seed: int) -> dict[str, Any]:
    """The same people as members from the start beside newcomers, both by exact sums of masked groups."""
    exact = {"run.rounds": ARRIVES, "protocol.modulus": 16, "protocol.exact": True}
    return come("lead/consensus-ml100k", seed, members=True, **exact)


class Course(NamedTuple):
    """What people train on and judge by before something new arrives, and after."""

    split: Split
    early: Bools
    """[training interactions]: those of the beginning."""
    early_weighting: Bools


def course(split: Split, late: Callable[[Interactions], Bools]) -> Course:
    """A course in which the interactions that are `late` are not there in the beginning."""
    assert split.weighting is not None
    return Course(split, ~late(split.train), ~late(split.weighting))


def sweeps(c: Course, seed: int, at_once: bool) -> Iterator[Simulation]:
    """The network as it is measured, in turn: before anything arrives, then after each of `LOOKED`.

    If everything is there `at_once`, from the start, nothing arrives.
    """
    split = c.split
    assert split.weighting is not None
    train, weighting, candidates = split.train, split.weighting, split.weighting_candidates
    first = (train, weighting, candidates)
    if not at_once:
        aside = c.early_weighting
        first = (train.take(c.early), weighting.take(aside), candidates[aside])
    network = Simulation(
        ALS(),
        Consensus(exact=True),
        first[0],
        seed,
        merge=MFFedAvg(),
        peers=None,
        rounds=ROUNDS,
        weighting=first[1],
        candidates=first[2],
    )
    network.advance(ARRIVES)
    yield network
    network.provide(train, weighting, candidates)
    for sweep in LOOKED:
        network.advance(sweep - network.round)
        yield network


def tested(network: Simulation, split: Split) -> Person:
    """Everybody's figures on the test items of a split."""
    tables, people = network.own()
    return evaluate(network.model, tables, people, split, ks=(10,), metrics=["hr", "ndcg"]).per_user


def tests_of(split: Split, mask: Bools) -> Split:
    """A split with these test interactions alone."""
    return replace(split, test=split.test.take(mask), candidates=split.candidates[mask])


def popular(train: Interactions, seed: int) -> Simulation:
    """A network of everybody's popularity."""
    network = Simulation(Popularity(), Central(), train, seed, merge=MFFedAvg(), peers=None, rounds=1)
    network.advance(1)
    return network


def new_items(seed: int) -> dict[str, Any]:
    """A tenth of the items with at least 10 training interactions, all of which arrive late."""
    split = LocalHoldout().split(load("ml-100k", implicit=True), seed)
    counts = np.bincount(split.train.item, minlength=split.train.items)
    order = shuffled(split.train.items, seed, NEW_ITEMS)
    able = order[counts[order] >= 10]
    new = np.zeros(split.train.items, np.bool_)
    new[able[: len(able) // 10]] = True
    c = course(split, lambda data: new[data.item])
    measured = tests_of(split, new[split.test.item])
    parts: dict[str, Any] = {"items": int(new.sum()), "tests": len(measured.test)}
    parts["popularity"] = pair(tested(popular(split.train, seed), measured))
    known = [tested(network, measured) for network in sweeps(c, seed, at_once=True)]
    for n, network in enumerate(sweeps(c, seed, at_once=False)):
        name = "before" if n == 0 else str(LOOKED[n - 1] - ARRIVES)
        parts[name] = pair(tested(network, measured), known[n])
        rows, age = network.tables.rows[new].astype(float), network.tables.age[new]
        parts[f"{name} state"] = {
            "age": float(age.mean()),
            "share": float(rows[:, -1].mean()),
            "length": float(np.linalg.norm(rows[:, :-1], axis=1).mean()),
        }
    return parts


def taste(seed: int) -> dict[str, Any]:
    """A tenth of people, who at first have items from one part of the catalogue, and later from both."""
    split = LocalHoldout().split(load("ml-100k", implicit=True), seed)
    kinds = split.train.catalog.categories
    assert kinds is not None
    other = np.array([not LOUD.intersection(own) for own in kinds])
    people = split.train.people

    def count(data: Interactions, second: bool) -> NDArray[np.int64]:
        return np.bincount(data.owner[other[data.item] == second], minlength=people)

    able = np.ones(people, np.bool_)
    for second in (False, True):
        able &= (count(split.train, second) >= 10) & (count(split.test, second) > 0)
    order = shuffled(people, seed, CHANGING)
    changing = np.zeros(people, np.bool_)
    changing[order[able[order]][: people // 10]] = True
    c = course(split, lambda data: changing[data.owner] & other[data.item])
    parts: dict[str, Any] = {"people": int(changing.sum())}
    among = changing[split.test.owner]
    measured = {
        "new taste": tests_of(split, among & other[split.test.item]),
        "old taste": tests_of(split, among & ~other[split.test.item]),
    }
    for label, tests in measured.items():
        parts[f"{label} popularity"] = pair(tested(popular(split.train, seed), tests))
    known = [
        {label: tested(network, tests) for label, tests in measured.items()}
        for network in sweeps(c, seed, at_once=True)
    ]
    for n, network in enumerate(sweeps(c, seed, at_once=False)):
        name = "before" if n == 0 else str(LOOKED[n - 1] - ARRIVES)
        for label, tests in measured.items():
            parts[f"{label} {name}"] = pair(tested(network, tests), known[n][label])
    return parts


PARTS = {"newcomers": newcomers, "new items": new_items, "taste": taste, "members": members, "gossip": gossip}


def pooled(entries: list[dict[str, Any]], name: str, metric: str) -> tuple[float, float, float]:
    """The mean over seeds, the mean difference, and half of its 95 % interval, in hundredths."""
    own = np.array([entry[name][metric] + [0.0] * (3 - len(entry[name][metric])) for entry in entries])
    return (
        100 * own[:, 0].mean(),
        100 * own[:, 1].mean(),
        196 * float(np.sqrt((own[:, 2] ** 2).sum())) / len(own),
    )


def shown(entries: list[dict[str, Any]], name: str, difference: bool = True) -> list[str]:
    """The cells of a row: each metric, and its difference."""
    cells = []
    for metric in METRICS:
        mean, gain, half = pooled(entries, name, metric)
        told = f" ({gain:+.1f} ± {half:.1f})".replace("-", "−") if difference else ""
        cells.append(f"{mean:.1f}{told}")
    return cells


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table, whose first column is text."""
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def of_newcomers(kept: dict[str, list[dict[str, Any]]]) -> str:
    heads, rows = ["known items"], []
    names = {"newcomers": "newcomer", "members": "member", "gossip": "gossip newcomer"}
    for label in names.values():
        heads += [f"{label} HR@10", "NDCG@10"]
    for known in ("1", "3", "5", "10", "all"):
        rows.append([known, *(cell for name in names for cell in shown(kept[name], known))])
    popularity = ["popularity", *shown(kept["newcomers"], "popularity", False)]
    rows.append(popularity + [""] * (len(heads) - len(popularity)))
    return table(heads, rows)


def after(name: str) -> str:
    return name if name == "before" else {"0": "at once", "1": "1 sweep"}.get(name, f"{name} sweeps")


MOMENTS = ["before", *(str(sweep - ARRIVES) for sweep in LOOKED)]


def of_items(kept: dict[str, list[dict[str, Any]]]) -> str:
    rows, entries = [], kept["new items"]
    for name in MOMENTS:
        state = [np.mean([e[f"{name} state"][key] for e in entries]) for key in ("age", "share", "length")]
        told = [f"{state[0]:.1f}", f"{100 * state[1]:.1f} %", f"{state[2]:.2f}"]
        rows.append([after(name), *shown(entries, name), *told])
    rows.append(["popularity", *shown(entries, "popularity", False), "", "", ""])
    return table(["after arrival", "HR@10", "NDCG@10", "age", "c̄", "length of y"], rows)


def of_taste(kept: dict[str, list[dict[str, Any]]]) -> str:
    rows, entries = [], kept["taste"]
    for name in MOMENTS:
        cells = [cell for label in ("new taste", "old taste") for cell in shown(entries, f"{label} {name}")]
        rows.append([after(name), *cells])
    labels = ("new taste popularity", "old taste popularity")
    rows.append(["popularity", *(cell for label in labels for cell in shown(entries, label, False))])
    return table(["after the change", "new: HR@10", "NDCG@10", "old: HR@10", "NDCG@10"], rows)


TABLES = {"newcomers": of_newcomers, "new items": of_items, "taste": of_taste}


def main() -> None:
    """Measure what is missing, and write the tables."""
    kept: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for seed in SEEDS:
        for part, measure in PARTS.items():
            if str(seed) in kept.get(part, {}) or "written" in sys.argv:
                continue
            kept.setdefault(part, {})[str(seed)] = measure(seed)
            FIGURES.write_text(json.dumps(kept, indent=1) + "\n")
            print(part, seed, json.dumps(kept[part][str(seed)]), flush=True)
    if PAGE.exists():
        text = PAGE.read_text()
        for part, made in TABLES.items():
            begin, end = f"<!-- {part} -->\n", "<!-- end -->\n"
            before, rest = text.split(begin)
            text = (
                before
                + begin
                + made({name: list(own.values()) for name, own in kept.items()})
                + end
                + rest.split(end, 1)[1]
            )
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
