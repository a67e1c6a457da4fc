"""From a recipe, or from Python, to a finished run."""

import contextlib
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sottovoce.errors import RecipeError
from sottovoce.experiments import advice, directory
from sottovoce.experiments.directory import RunDirectory
from sottovoce.experiments.job import Job
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.progress import choose
from sottovoce.experiments.recipe import Recipe
from sottovoce.printable import printable
from sottovoce.registry import is_file, names

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions

__all__ = ["Run", "load_data", "run", "run_recipe"]

Choice = str | Mapping[str, Any]


def run(
    data: Any,
    model: Choice = "ials",
    protocol: Choice = "gossip",
    merge: Choice | None = None,
    *,
    split: Choice | None = None,
    peers: Choice | None = None,
    rounds: int = 100,
    every: int = 10,
    ks: Sequence[int] = (5, 10, 20),
    metrics: Sequence[str] | None = None,
    candidates: Literal["sampled", "all"] | None = None,
    metric: str | None = None,
    references: Sequence[Choice] = (),
    disclose: bool = False,
    seed: int = 1,
    threads: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    keep_models: bool = False,
    data_dir: str | Path | None = None,
    progress: bool | None = None,
) -> Run:
    """Train a recommender and evaluate it beside popularity and random.

    `data` is what `sottovoce.load` returned, or anything that it takes: the name of a data set,
    the path of a file, a DataFrame. A component is given by name (`model="mf"`) or with settings
    (`model={"name": "mf", "factors": 8}`); `split` is the one that files define which come in parts, and
    `local-holdout` for others; `merge` is `linear` and `peers` are `uniform` unless the
    protocol keeps a single model. `references`, such as `["als", "ease"]`, are measured beside.
    `disclose` lets people's vectors leave their devices, which the protocol `fedfast` needs.
    Without `out` nothing is written. Progress is shown by default when stderr is a terminal. If models
    diverge, or tell no items apart, a warning says so, and `Run.diverged` or `Run.collapsed` whose.

    >>> run = sottovoce.run("synthetic", model={"name": "ials", "factors": 8}, rounds=20)
    >>> run.metrics["hr@20"], run.recommend(user=42, n=10)
    """
    given, section = _given(data)
    table = _table(protocol)
    if merge is not None:
        table["merge"] = merge
    recipe = Recipe.parse(
        {
            "data": section,
            "split": {} if split is None else _table(split),
            "model": _table(model),
            "protocol": table,
            "network": {} if peers is None else {"peers": peers},
            "privacy": {"disclose": disclose},
            "evaluate": {
                "every": every,
                "ks": list(ks),
                "metrics": None if metrics is None else list(metrics),
                "candidates": candidates,
                "metric": metric,
                "references": [_table(choice) for choice in references],
            },
            "run": {"rounds": rounds, "seed": seed, "threads": threads, "keep_models": keep_models},
        },
        "run(…)",
    )
    finished = run_recipe(recipe, out, data_dir, resume, data=given, show=progress)
    if finished.failed:
        warnings.warn(
            f"{finished.diverged or finished.collapsed} {advice.diverged(finished.recipe)}", stacklevel=2
        )
    return finished


def run_recipe(
    recipe: Recipe,
    out: str | Path | None = None,
    data_dir: str | Path | None = None,
    resume: bool = False,
    *,
    data: "Interactions | None" = None,
    show: bool | None = None,
) -> Run:
    """Run a recipe. `data` replaces what the recipe would load; `show` is about progress."""
    from sottovoce.kernels import set_threads

    tell = choose(show)
    parts = recipe.components()
    place = None if out is None else RunDirectory(Path(out))
    with contextlib.ExitStack() as stack:
        if place is not None:
            stack.enter_context(place.claim(resume))
        stack.enter_context(set_threads(recipe.run.threads))
        loaded = load_data(recipe, data_dir) if data is None else data
        if loaded.division is not None and recipe.split.open:
            recipe = recipe.divided()
            parts = recipe.components()
        job = Job(recipe, parts, loaded, place, tell, data_dir)
        try:
            return job.run()
        except KeyboardInterrupt:
            if place is not None and place.begun:
                told = f"Stopped in round {job.round}. Continue with: {_again(place, data_dir)}"
                print(printable(told), file=sys.stderr)
            raise


def _again(place: RunDirectory, data_dir: str | Path | None) -> str:
    """The command that resumes a run."""
    command = ["sottovoce", "run", str(place.path / directory.RECIPE), "--out", str(place.path), "--resume"]
    return shlex.join(command + (["--data-dir", str(data_dir)] if data_dir else []))


def load_data(recipe: Recipe, data_dir: str | Path | None = None) -> "Interactions":
    """The data that a recipe names."""
    from sottovoce.data.load import load
    from sottovoce.data.repeats import merged

    section = recipe.data
    if section.memory:
        raise RecipeError(
            f"The data {section.name!r} of this run was handed over in Python, so the recipe cannot load it.",
            "Give it to sottovoce.run again, or name a file with --data; "
            f"--set data.memory=false takes the data set {section.name!r}.",
        )
    data = load(
        section.name or Path(str(section.path)), data_dir=data_dir, columns=section.columns, **section.options
    )
    how = section.options.get("duplicates", "last")
    if data.division is None or recipe.split.open or recipe.split.name == "predefined" or how == "keep":
        return data
    return merged(data, how, parts=False)


def _given(data: Any) -> tuple["Interactions | None", dict[str, Any]]:
    """What `run` was handed, as interactions (unless a recipe can name them) and a `[data]` section."""
    if isinstance(data, str) and (data in names("source") or is_file(data)):
        return None, {"name": data}
    if isinstance(data, str | Path):
        return None, {"path": str(data)}
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.load import load

    interactions = data if isinstance(data, Interactions) else load(data)
    return interactions, {"name": interactions.name, "memory": True}


def _table(choice: Choice) -> dict[str, Any]:
    return {"name": choice} if isinstance(choice, str) else dict(choice)
