"""Write the table of docs/explanation/settings-without-a-centre.md: `als` by exact sums beside tuned ALS.

    python -m docs.settings            # from the root of the project; measures what is missing
    python -m docs.settings written    # measures nothing

Figures are kept in docs/explanation/settings.json, an entry for each data set and seed. A data set that this
machine does not have keeps its figures.
"""

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.errors import DataError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.references._given import given
from sottovoce.evaluate.references.tuned_als import TunedALS
from sottovoce.evaluate.significance import compare
from sottovoce.evaluate.tails import tails
from sottovoce.models.als import ALS
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from sottovoce.state import Doubles, People, Tables

FOLDER = Path(__file__).parent / "explanation"
FIGURES, PAGE = FOLDER / "settings.json", FOLDER / "settings-without-a-centre.md"
BEGIN, END = "<!-- table -->\n", "<!-- end -->\n"
SWEEPS = (5, 8, 12)
TOLD = ("ndcg@10", "hr@10", "hr@20", "worst tenth", "full ndcg@20")


class Case(NamedTuple):
    """A data set: its title, name, options and seeds, and whether it was looked at while designing."""

    title: str
    data: str
    options: dict[str, Any]
    seeds: tuple[int, ...] = (1,)
    known: bool = False


CASES = (
    Case("MovieLens 100K", "ml-100k", {}, (1, 2, 3, 4, 5), known=True),
    Case("Foursquare USA", "foursquare-us", {}, known=True),
    Case("Gowalla", "gowalla", {}, known=True),
    Case("Foursquare, six Italian cities", "foursquare-italy", {}, known=True),
    Case("MovieLens latest-small", "ml-latest-small", {}),
    Case("MovieLens 1M", "ml-1m", {}),
    Case("MovieTweetings, people with 20 ratings", "movietweetings", {"min_user": 20}),
    Case("MovieTweetings", "movietweetings", {}),
    Case("Last.fm 2K, artists played", "lastfm", {}),
    Case("Foursquare New York, 10-core", "foursquare-nyc", {"version": "10-core"}),
)


def figures(state: tuple[Any, Tables, People], split: Split) -> dict[str, Doubles]:
    """Everybody's figures, on test data."""
    model, tables, people = state
    near = evaluate(model, tables, people, split, ks=(10, 20), metrics=["hr", "ndcg"]).per_user
    far = evaluate(model, tables, people, split, ks=(20,), metrics=["ndcg"], candidates="all").per_user
    return {name: near[name] for name in TOLD[:3]} | {"full ndcg@20": far["ndcg@20"]}


def summed(split: Split, seed: int) -> Simulation:
    """A network of `als` whose sums are exact."""
    return Simulation(
        ALS(),
        Federated(start="common"),
        split.train,
        seed,
        merge=Simple(),
        peers=None,
        rounds=max(SWEEPS),
        weighting=split.weighting,
        candidates=split.weighting_candidates,
    )


def measure(case: Case, seed: int) -> dict[str, Any]:
    """The figures of a data set and a seed."""
    data = load(case.data, **case.options)
    split = LocalHoldout().split(data, seed)
    train = split.train
    chosen = TunedALS().choose(split, seed)
    central = figures(given(chosen.fit(train, seed), train, split.weighting), split)
    counts = np.bincount(train.item, minlength=train.items).astype(np.float32)
    popular = given(lambda begin, end: np.tile(counts, (end - begin, 1)), train, split.weighting)
    network, found = summed(split, seed), {"popularity": figures(popular, split), "tuned": central}
    for sweeps in SWEEPS:
        network.advance(sweeps - network.round)
        found[f"{sweeps} sweeps"] = figures((network.model, *network.own()), split)
    ours = found[f"{max(SWEEPS)} sweeps"]
    return {
        "title": case.title,
        "seed": seed,
        "people": data.people,
        "items": data.items,
        "chosen": {key: float(value) for key, value in chosen._asdict().items()},
        "octaves": network.tables.head[0, -12:-10].tolist(),
        "mean": {name: _means(own) for name, own in found.items()},
        "gain": {
            other: {name: _interval(ours[name], found[other][name]) for name in ours}
            for other in ("popularity", "tuned")
        },
    }


def _means(own: dict[str, Doubles]) -> dict[str, float]:
    means = {name: float(np.nanmean(values)) for name, values in own.items()}
    return means | {"worst tenth": tails(own["hr@20"], "hr@20")["worst 10%"]}


def _interval(ours: Doubles, other: Doubles) -> list[float]:
    found = compare(ours, other)
    return [found.low, found.high]


def table(entries: list[dict[str, Any]]) -> str:
    """The table, a line for each data set: ours in per cent, and as a share of tuned ALS."""
    lines = [
        "| data | people × items | " + " | ".join(f"{name} | of tuned" for name in TOLD) + " | popularity |",
        "|---|---|" + "---:|" * (2 * len(TOLD) + 1),
    ]
    for case in CASES:
        own = [entry for entry in entries if entry["title"] == case.title]
        if not own:
            continue
        cells = [case.title + ("*" if case.known else ""), f"{own[0]['people']:,} × {own[0]['items']:,}"]
        for name in TOLD:
            ours, tuned = (
                np.mean([entry["mean"][key][name] for entry in own])
                for key in (f"{max(SWEEPS)} sweeps", "tuned")
            )
            cells += [f"{100 * ours:.1f}", f"{100 * ours / tuned:.1f}" if tuned else "–"]
        known = [
            f"{100 * np.mean([e['mean']['popularity'][n] for e in own]):.1f}" for n in ("ndcg@10", "hr@20")
        ]
        lines.append("| " + " | ".join([*cells, " / ".join(known)]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what is missing, and write the table."""
    entries = json.loads(FIGURES.read_text()) if FIGURES.exists() else []
    for case in CASES:
        for seed in case.seeds:
            there = any((entry["title"], entry["seed"]) == (case.title, seed) for entry in entries)
            if there or "written" in sys.argv:
                continue
            try:
                entries.append(measure(case, seed))
            except DataError as error:
                print(f"{case.title}: {error}", file=sys.stderr)
                break
            FIGURES.write_text(json.dumps(entries, indent=1) + "\n")
            print(case.title, seed, json.dumps(entries[-1]["mean"]), flush=True)
    if PAGE.exists():
        before, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + table(entries) + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
