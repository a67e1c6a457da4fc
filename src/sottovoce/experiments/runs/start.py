"""`run` and `run_recipe`: from Python, or from a recipe, to a finished run."""

import contextlib
import json
import shlex
import sys
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sottovoce.experiments.recipe.overrides import assign
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import DEFAULT, find
from sottovoce.experiments.runs import advice, directory, fitting, loading, prepare
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.progress import Progress, choose
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.train import Training
from sottovoce.experiments.runs.write import close, write
from sottovoce.printable import printable

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.experiments.runs.checkpoint import Checkpoint

Choice = str | Mapping[str, Any]


def run(
    data: Any,
    model: Choice | None = None,
    protocol: Choice | None = None,
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
    rounds: int | None = None,
    every: int | None = None,
    ks: Sequence[int] = (5, 10, 20),
    metrics: Sequence[str] | None = None,
    candidates: Literal["sampled", "all"] | None = None,
    metric: str | None = None,
    references: Sequence[Choice] = (),
    disclose: bool | Sequence[str] = False,
    seed: int = 1,
    threads: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    keep_models: bool = False,
    data_dir: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Run:
    """Train a recommender, and evaluate it beside popularity and random.

    `data` is what `sottovoce.load` returned, or anything that it takes: the name of a data set,
    the path of a file, a DataFrame. A component is given by name (`model="mf"`) or with settings
    (`model={"name": "mf", "factors": 8}`).

    Without `model`, `protocol` and `merge` it is what `sottovoce run --data` does: the recipe `consensus`, in
    which people learn from sums that they make under masks. Its rounds end by themselves. With any of the
    three, `model` is by default `ials` (`als` for `consensus`), `protocol` is `gossip`, and 100 rounds are
    evaluated every 10.

    The other defaults: `split` is `local-holdout`, or the files' own if they come in parts; `merge` is
    `linear` and `peers` are `uniform`, unless the protocol keeps a single model. `compress` is a chain, such
    as `["subsample", "quantize"]`. `steps` decide what leaves a device of a training, such as `["clip"]`.
    `network` is the whole section of the recipe; `peers`, `links` and `churn` set its keys one by one.
    `references`, such as `["als", "ease"]`, are central recommenders to measure for comparison.
    `disclose` names what may leave devices although by design it stays: `["vectors"]`, which the protocol
    `fedfast` needs, or `["statistics"]`, for `consensus` without masked groups. `settings` set any other key
    of a recipe, such as `{"evaluate.tune": 2, "run.storage": "bfloat16"}`.

    Without `out` nothing is written. `keep_models` keeps every node's model there, and `Run.extend`
    continues from them. Progress is shown by default if stderr is a terminal, and with `progress=True` as
    lines elsewhere. If models diverge, or give every item the same score, a warning says so, and
    `Run.diverged` or `Run.collapsed` says whose.

    >>> run = sottovoce.run("synthetic", model={"name": "ials", "factors": 8}, rounds=20)
    >>> run.metrics["hr@20"], run.recommend(user=42, n=10)
    """
    passed, section = loading.given(data)
    usual = model is None and protocol is None and merge is None
    parts = _usual() if usual else _parts(model, protocol)
    document: dict[str, Any] = {
        "data": section,
        "split": {} if split is None else _table(split),
        "arrivals": dict(arrivals or {}),
        "model": parts["model"],
        "protocol": parts["protocol"] | _set(merge=merge, aggregate=aggregate),
        "network": dict(network or {}) | _set(peers=peers, links=links, churn=churn),
        "privacy": {
            "disclose": disclose if isinstance(disclose, bool) else list(disclose),
            "steps": _tables(steps),
        },
        "evaluate": parts["evaluate"]
        | _set(every=every)
        | {"ks": list(ks), "candidates": candidates, "metric": metric}
        | {"metrics": None if metrics is None else list(metrics), "references": _tables(references)},
        "run": parts["run"]
        | _set(rounds=rounds)
        | {"seed": seed, "threads": threads, "keep_models": keep_models},
    }
    if compress:
        document["protocol"]["compress"] = _tables(compress)
    recipe = Recipe.parse(assign(document, settings or {}), "run(…)")
    fit = usual and rounds is None and "run.rounds" not in (settings or {})
    finished = run_recipe(recipe, out, data_dir, resume, data=passed, progress=progress, fit=fit)
    if finished.failed:
        trouble = finished.diverged or finished.collapsed
        warnings.warn(f"{trouble} {advice.diverged(finished.recipe)}", stacklevel=2)
    return finished


def run_recipe(
    recipe: Recipe | str | Path,
    out: str | Path | None = None,
    data_dir: str | Path | None = None,
    resume: bool = False,
    *,
    settings: Mapping[str, Any] | None = None,
    data: "Interactions | None" = None,
    progress: bool | None = None,
    fit: bool = False,
    report: bool = True,
) -> Run:
    """Run a recipe: a file, or the name of a shipped one, with `settings` changed.

    `data`, what `sottovoce.load` returned, replaces the data that the recipe names. `progress` is as in
    `sottovoce.run`. With `fit`, a large network takes fewer rounds than the recipe says. Without `report`,
    `report.html` is not drawn; `sottovoce.report` can draw it later.

    >>> sottovoce.run_recipe("quickstart", settings={"data.name": "synthetic", "run.rounds": 10})
    """
    from sottovoce.kernels import set_threads

    if not isinstance(recipe, Recipe):
        recipe = _read(recipe, settings or {}, data)
    tell = choose(progress)
    parts = recipe.components()
    place = None if out is None else RunDirectory(directory.named(out))
    with contextlib.ExitStack() as stack:
        if place is not None:
            stack.enter_context(place.claim(resume))
        stack.enter_context(set_threads(recipe.run.threads))
        loaded = loading.load_data(recipe, data_dir) if data is None else data
        if loaded.division is not None and recipe.split.open:
            recipe = recipe.divided()
            parts = recipe.components()
        if fit:
            recipe, note = fitting.rounds(recipe, loaded)
            if note:
                tell.say(note)
        plan = prepare.plan(recipe, parts, loaded, tell, data_dir)
        finished = _run(plan, place, tell, data_dir, report)
        finished.data = loaded
        return finished


def _run(
    plan: prepare.Plan,
    place: RunDirectory | None,
    tell: Progress,
    data_dir: str | Path | None,
    report: bool,
) -> Run:
    """Do all of a run, or what an earlier process left to do."""
    if place is not None and place.complete:
        _begin(place, plan)
        tell.say(f"The run in {place.path} is already complete.")
        close(place, plan.recipe, tell, report)
        return Run.open(place.path)
    training = None
    try:
        baselines = prepare.measure_baselines(plan, tell)
        # No name for the checkpoint: its files can go as soon as its arrays are copied.
        folder = None if place is None else place.path
        prepared = prepare.prepare(
            plan, baselines, None if place is None else _begin(place, plan), tell, folder
        )
        training = Training(prepared, place, tell)
        return write(prepared, training.train(), place, tell, report)
    except KeyboardInterrupt:
        if place is not None and place.begun:
            reached = 0 if training is None else training.round
            again = f"Stopped in round {reached}. Continue with: {_again(place, data_dir)}"
            print(printable(again), file=sys.stderr)
        raise


def _begin(place: RunDirectory, plan: prepare.Plan) -> "Checkpoint | None":
    """Make a directory that of this run; the checkpoint to continue from is returned, if there is one."""
    from sottovoce import __version__
    from sottovoce.timing import hashed

    churn = "" if plan.timing is None else hashed(plan.timing)
    found = place.begin(plan.recipe, plan.split.hash, __version__, churn)
    place.write(directory.SPLIT, json.dumps(plan.split.manifest(), indent=2) + "\n")
    return found


def _read(path: str | Path, settings: Mapping[str, Any], data: "Interactions | None") -> Recipe:
    """A recipe from its file, with the changes and the data that were passed in Python."""
    document = assign(Recipe.read(find(path)).document(), settings)
    if data is not None:
        document["data"] = loading.in_memory(data)
    return Recipe.parse(document, "run_recipe(…)")


def _again(place: RunDirectory, data_dir: str | Path | None) -> str:
    """The command that resumes a run."""
    command = ["sottovoce", "run", str(place.path / directory.RECIPE), "--out", str(place.path), "--resume"]
    return shlex.join(command + (["--data-dir", str(data_dir)] if data_dir else []))


def _usual() -> dict[str, Any]:
    """The sections of the default recipe that are not about data."""
    with find(DEFAULT).open("rb") as file:
        return tomllib.load(file)


def _parts(model: Choice | None, protocol: Choice | None) -> dict[str, Any]:
    """The same sections for parts of one's own choice."""
    chosen = _table(protocol or "gossip")
    usual = "als" if chosen.get("name") == "consensus" else "ials"
    sections = {"model": _table(model or usual), "protocol": chosen}
    return sections | {"evaluate": {"every": 10}, "run": {"rounds": 100}}


def _set(**choices: Any) -> dict[str, Any]:
    """The keys that were given."""
    return {key: choice for key, choice in choices.items() if choice is not None}


def _tables(choices: Sequence[Choice]) -> list[dict[str, Any]]:
    return [_table(choice) for choice in choices]


def _table(choice: Choice) -> dict[str, Any]:
    return {"name": choice} if isinstance(choice, str) else dict(choice)
