"""From a recipe, or from Python, to a finished run."""

import contextlib
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sottovoce.errors import RecipeError
from sottovoce.experiments import advice, directory, fitting
from sottovoce.experiments.directory import RunDirectory
from sottovoce.experiments.job import Job
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.overrides import assign
from sottovoce.experiments.progress import choose
from sottovoce.experiments.recipe import Recipe
from sottovoce.experiments.recipes import find
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
    aggregate: Choice | None = None,
    compress: Sequence[Choice] = (),
    steps: Sequence[Choice] = (),
    peers: Choice | None = None,
    links: Choice | None = None,
    churn: Choice | None = None,
    network: Mapping[str, Any] | None = None,
    arrivals: Mapping[str, Any] | None = None,
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
    settings: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Run:
    """Train a recommender and evaluate it beside popularity and random.

    `data` is what `sottovoce.load` returned, or anything that it takes: the name of a data set,
    the path of a file, a DataFrame. A component is given by name (`model="mf"`) or with settings
    (`model={"name": "mf", "factors": 8}`); `split` is the one that files define which come in parts, and
    `local-holdout` for others; `merge` is `linear` and `peers` are `uniform` unless the
    protocol keeps a single model. `compress` is a chain, such as `["subsample", "quantize"]`, and
    `steps` are what is done to updates that go to a server, such as `["clip"]`;
    `network` is the whole section, or `peers`, `links` and `churn` say it one by one. `references`,
    such as `["als", "ease"]`, are measured beside. `disclose` lets people's vectors leave their
    devices, which the protocol `fedfast` needs. `settings` say anything else that a recipe can say,
    such as `{"evaluate.tune": 2, "run.storage": "bfloat16"}`, and are checked as a recipe is.
    Without `out` nothing is written. `keep_models` keeps every node's model there, from which
    `Run.extend` goes on. Progress is shown by default when stderr is a terminal, and with
    `progress=True` as lines elsewhere. If models diverge, or tell no items apart, a warning says so, and
    `Run.diverged` or `Run.collapsed` whose.

    >>> run = sottovoce.run("synthetic", model={"name": "ials", "factors": 8}, rounds=20)
    >>> run.metrics["hr@20"], run.recommend(user=42, n=10)
    """
    given, section = _given(data)
    document = {
        "data": section,
        "split": {} if split is None else _table(split),
        "arrivals": dict(arrivals or {}),
        "model": _table(model),
        "protocol": _table(protocol) | _chosen(merge=merge, aggregate=aggregate),
        "network": dict(network or {}) | _chosen(peers=peers, links=links, churn=churn),
        "privacy": {"disclose": disclose, "steps": [_table(choice) for choice in steps]},
        "evaluate": {
            "every": every,
            "ks": list(ks),
            "metrics": None if metrics is None else list(metrics),
            "candidates": candidates,
            "metric": metric,
            "references": [_table(choice) for choice in references],
        },
        "run": {"rounds": rounds, "seed": seed, "threads": threads, "keep_models": keep_models},
    }
    if compress:
        document["protocol"]["compress"] = [_table(choice) for choice in compress]
    recipe = Recipe.parse(assign(document, settings or {}), "run(…)")
    finished = run_recipe(recipe, out, data_dir, resume, data=given, show=progress)
    if finished.failed:
        warnings.warn(
            f"{finished.diverged or finished.collapsed} {advice.diverged(finished.recipe)}", stacklevel=2
        )
    return finished


def run_recipe(
    recipe: Recipe | str | Path,
    out: str | Path | None = None,
    data_dir: str | Path | None = None,
    resume: bool = False,
    *,
    settings: Mapping[str, Any] | None = None,
    data: "Interactions | None" = None,
    show: bool | None = None,
    fit: bool = False,
) -> Run:
    """Run a recipe: a file, or the name of a shipped one, with `settings` changed.

    `data`, what `sottovoce.load` returned, replaces what the recipe would load; `show` is about
    progress, as in `sottovoce.run`. With `fit`, a large network takes fewer rounds than the recipe says.

    >>> sottovoce.run_recipe("quickstart", settings={"data.name": "synthetic", "run.rounds": 10})
    """
    from sottovoce.kernels import set_threads

    if not isinstance(recipe, Recipe):
        recipe = _read(recipe, settings or {}, data)
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
        if fit:
            recipe, told = fitting.rounds(recipe, loaded)
            if told:
                tell.say(told)
        job = Job(recipe, parts, loaded, place, tell, data_dir)
        try:
            done = job.run()
            done.data = job.data
            return done
        except KeyboardInterrupt:
            if place is not None and place.begun:
                told = f"Stopped in round {job.round}. Continue with: {_again(place, data_dir)}"
                print(printable(told), file=sys.stderr)
            raise


def _read(path: str | Path, settings: Mapping[str, Any], data: "Interactions | None") -> Recipe:
    """A recipe from its file, with what was changed and handed over in Python."""
    document = assign(Recipe.load(find(path)).document(), settings)
    if data is not None:
        document["data"] = {"name": data.name, "memory": True}
    return Recipe.parse(document, "run_recipe(…)")


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


def _chosen(**choices: Choice | None) -> dict[str, Any]:
    """Those of some keys that were given."""
    return {key: choice for key, choice in choices.items() if choice is not None}


def _table(choice: Choice) -> dict[str, Any]:
    return {"name": choice} if isinstance(choice, str) else dict(choice)
