"""Write docs/reference/default.md: what `sottovoce run --data …` reaches on every available data set.

    python -m docs.default            # from the root of the project; runs what is missing
    python -m docs.default written    # runs nothing

Runs are kept in runs/default, figures in docs/reference/default.json, from which the page is written where
there are no runs. Data sets that this machine does not have keep the figures they had.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sottovoce.errors import DataError
from sottovoce.evaluate.significance import compare
from sottovoce.experiments.runs.run import Run

REFERENCE = Path(__file__).parent / "reference"
FIGURES, PAGE, RUNS = REFERENCE / "default.json", REFERENCE / "default.md", Path("runs/default")
METRICS, OTHERS = ("hr@20", "ndcg@10"), ("popularity", "random", "als", "ease")


class Case(NamedTuple):
    """A data set: its title, its name, its settings and the seeds."""

    title: str
    data: str
    settings: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (1,)


CASES = (
    Case("MovieLens 100K", "ml-100k", seeds=(1, 2, 3)),
    Case("MovieLens 100K, the 60 best known films", "ml-100k", ("data.top_items=60",)),
    Case("MovieLens latest-small", "ml-latest-small"),
    Case("MovieLens 1M", "ml-1m"),
    Case("MovieTweetings", "movietweetings"),
    Case("Last.fm 2K, artists played", "lastfm"),
    Case("Foursquare New York, 10-core", "foursquare-nyc", ('data.version="10-core"',)),
    Case("Foursquare USA", "foursquare-us"),
    Case("Foursquare, six Italian cities", "foursquare-italy"),
    Case("Gowalla", "gowalla"),
    Case("a synthetic community", "synthetic"),
)


def arguments(case: Case, seed: int) -> list[str]:
    """The options of the command."""
    changes = (*case.settings, 'evaluate.references=["als","ease"]')
    return [
        "--data",
        case.data,
        "--seed",
        str(seed),
        *(part for change in changes for part in ("--set", change)),
    ]


def measure(case: Case, number: int) -> dict[str, Any]:
    """Run a case with its seeds, unless the runs exist, and return its figures."""
    runs = []
    for seed in case.seeds:
        place = RUNS / f"{number}-{seed}"
        if not (place / "result.json").exists():
            if "written" in sys.argv:
                raise DataError(f"{place} has no run.")
            command = [sys.executable, "-m", "sottovoce", "run", *arguments(case, seed), "--out", str(place)]
            resume = ["--resume"] * place.exists()
            subprocess.run([*command, *resume], check=True)
        runs.append(Run.open(place))
    return {
        "title": case.title,
        "command": ["sottovoce", "run", *arguments(case, case.seeds[0])],
        "seeds": list(case.seeds),
        **{key: runs[0].result["data"][key] for key in ("people", "items", "interactions")},
        "rounds": runs[0].result["rounds"],
        "seconds": float(np.mean([run.result["seconds"] for run in runs])),
        "megabytes": float(np.mean([run.result["bytes"] / run.result["nodes"] / 1e6 for run in runs])),
        "sums": "exact" if runs[0].recipe.protocol.settings.get("exact") else "node by node",
        "metrics": {metric: _figures(runs, metric) for metric in METRICS},
    }


def _figures(runs: list[Run], metric: str) -> dict[str, Any]:
    """Means over seeds, and the interval of people's gain over popularity, over all seeds together."""
    own = [run.people() for run in runs]
    ours, popular = (
        np.concatenate([p[name].to_numpy() for p in own]) for name in (metric, f"popularity {metric}")
    )
    gain = compare(ours.astype(float), popular.astype(float))
    found = {"default": [run.metrics[metric] for run in runs]}
    for name in OTHERS:
        found[name] = [(run.baselines | run.references).get(name, {}).get(metric) for run in runs]
    return {
        **{name: None if None in values else float(np.mean(values)) for name, values in found.items()},
        "deviation": float(np.std(found["default"], ddof=1)) if len(runs) > 1 else None,
        "gain": [gain.low, gain.high],
    }


def page(cases: list[dict[str, Any]]) -> str:
    """The page."""
    rows = []
    for case in cases:
        size = f"{case['people']:,} × {case['items']:,}"
        cells = [case["title"], size, str(len(case["seeds"])), case["sums"], f"{case['megabytes']:.1f}"]
        for metric in METRICS:
            m = case["metrics"][metric]
            spread = "" if m["deviation"] is None else f" ± {100 * m['deviation']:.1f}"
            gain = " to ".join(f"{100 * end:+.1f}" for end in m["gain"]).replace("-", "−")
            cells += [f"**{100 * m['default']:.1f}**{spread}", gain]
            cells += ["—" if m[name] is None else f"{100 * m[name]:.1f}" for name in OTHERS]
        rows.append("| " + " | ".join(cells) + " |")
    heads = ["data", "people × items", "seeds", "sums", "MB a person"]
    for metric in METRICS:
        heads += [f"{metric.upper()}", "gain", *OTHERS]
    table = [
        "| " + " | ".join(heads) + " |",
        "|---" * 4 + "|---:" + "|---:" * (2 * (2 + len(OTHERS))) + "|",
        *rows,
    ]
    worse = [
        c["title"]
        for c in cases
        if c["metrics"]["ndcg@10"]["gain"][0] <= 0 or c["metrics"]["hr@20"]["gain"][1] < 0
    ]
    listed = ", ".join(worse)
    verdict = (
        "By the interval it is ahead of popularity in NDCG@10 on every data set, and never behind in HR@20."
        if not worse
        else f"It is ahead of popularity in NDCG@10, and not behind in HR@20, except on: {listed}."
    )
    commands = "\n".join(" ".join(_quoted(part) for part in case["command"]) for case in cases)
    return TEXT.format(verdict=verdict, table="\n".join(table), commands=commands)


def _quoted(part: str) -> str:
    return f"'{part}'" if '"' in part or "[" in part else part


TEXT = """# The default, data set by data set

Written by `python -m docs.default`.

`sottovoce run --data yours.csv` uses the recipe `consensus`: `als` from sums that groups of 128 or more
people make under masks, larger ones where data are sparse, and that peers then average, without a server.
This page shows its quality, beside popularity, random, and two central references at their defaults (`als`
and `ease`, which see all data and are not tuned to these data sets either). {verdict}

Figures are percentages. `local-holdout` holds out 15 % of each person's items for the test, and another 15 %
as the weighting set. Each test item is ranked among 100 items that the person has not seen. ± is the standard
deviation over seeds. *Gain* is the 95 % interval of the mean difference to popularity, person by person.
*Sums* says how they were made: node by node, each with its own model, or exactly, where so many models do not
fit the machine that measured.

{table}

Of repeated interactions with an item, the last one counts. — means not measured. Data sets that are not in
the table have not been measured with these settings yet.

<!-- test: not run here, because each of them takes minutes -->
```sh
{commands}
```
"""


def main() -> None:
    """Measure the data sets that are available here, and write the page."""
    known = {case["title"]: case for case in json.loads(FIGURES.read_text())} if FIGURES.exists() else {}
    for number, case in enumerate(CASES):
        try:
            known[case.title] = measure(case, number)
        except (DataError, subprocess.CalledProcessError) as error:
            print(f"{case.title}: {error}", file=sys.stderr)
        ordered = [known[c.title] for c in CASES if c.title in known]
        FIGURES.write_text(json.dumps(ordered, indent=1) + "\n")
        PAGE.write_text(page(ordered))


if __name__ == "__main__":
    main()
