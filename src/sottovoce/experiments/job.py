"""One run at work: measure the baselines, train, evaluate, save, and write down what came of it."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.exchange.compression.interface import Whole
from sottovoce.experiments import (
    advice,
    combinations,
    compiling,
    directory,
    fitting,
    interrupt,
    machine,
    nodes,
    pretrained,
    references,
)
from sottovoce.experiments.directory import RunDirectory
from sottovoce.experiments.figures import best_of, describe, finite, times
from sottovoce.experiments.measurable import Measurable, main_metric, measurable
from sottovoce.experiments.outcome import (
    TOP,
    Run,
    collapse,
    divergence,
    missing,
    per_user_frame,
    recommendations_frame,
)
from sottovoce.experiments.privacy import disclosed
from sottovoce.experiments.progress import Progress
from sottovoce.experiments.recipe import Components, Recipe
from sottovoce.plural import count
from sottovoce.registry import build

if TYPE_CHECKING:
    from threading import Event

    from sottovoce.data.arrivals import Arrivals
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.split import Split
    from sottovoce.evaluate.best import Best
    from sottovoce.evaluate.evaluation import Evaluation
    from sottovoce.evaluate.references._given import Scored
    from sottovoce.simulate.engine import Simulation
    from sottovoce.state import People, Storage, Tables
    from sottovoce.timing import Timing

BASELINES = ("popularity", "random")
_SLICE = 0.5  # seconds of training between looks at the clock and at Ctrl-C


class Job:
    """One run: what it works on, and how far it has come."""

    def __init__(
        self,
        recipe: Recipe,
        parts: Components,
        data: "Interactions",
        place: RunDirectory | None,
        tell: Progress,
        data_dir: str | Path | None = None,
    ) -> None:
        self.recipe, self.parts, self.data, self.place, self.tell = recipe, parts, data, place, tell
        self.data_dir = data_dir
        self.measured = Measurable(tuple(recipe.evaluate.ks), {}, 0, ())
        self.curve: list[dict[str, Any]] = []
        self.round = 0
        self.simulation: Simulation | None = None
        self.best: Best | None = None
        self.arrivals: Arrivals | None = None
        self.notes: tuple[str, ...] = ()
        """What is to be said of the data as it is split."""
        self.come = -1.0  # the part of what arrives that people have

    def run(self) -> Run:
        """All of it, or what an earlier process left to do."""
        from sottovoce import __version__
        from sottovoce.data import repeats
        from sottovoce.simulate.memory import memory_needed
        from sottovoce.timing import hashed

        recipe, parts, data = self.recipe, self.parts, self.data
        references.require(parts.references)
        self.tell.say(
            f"{data.name}: {count(len(data), 'interaction')} of {count(data.people, 'person')} "
            f"with {count(data.items, 'item')}" + (f" ({data.source})" if data.source else "")
        )
        for note in data.notes:
            self.tell.say(note)
        split: Split = parts.split.split(data, recipe.run.seed)
        self.notes = (*repeats.after_split(data, split), *split.notes)
        for note in self.notes:
            self.tell.say(note)
        combinations.check_split(parts.merge, recipe.evaluate.best, split, "the recipe")
        self.measured = measurable(data, split, recipe.evaluate)
        for note in self.measured.notes:
            self.tell.say(note)

        def memory(storage: "Storage") -> int:
            return memory_needed(
                parts.model,
                parts.protocol,
                split.train,
                recipe.run.seed,
                chain=parts.chain,
                steps=bool(parts.steps),
                timed=parts.links is not None,
                storage=storage,
            )

        recipe, told = fitting.storage(recipe, memory)
        if told:
            self.tell.say(told)
        expected = memory(recipe.run.storage)
        machine.require_memory(expected)
        with compiling.told(self.tell, "Measuring popularity and random"):
            baselines = {name: self._baseline(name, split) for name in BASELINES}
        metrics = list(baselines["popularity"].per_user)
        references.check(parts.references, metrics)
        self.recipe = recipe = recipe.resolved(main_metric(metrics, recipe, self.measured))
        clock = self._clock(split, recipe.run.rounds)
        found = None
        if self.place is not None:
            found = self.place.begin(recipe, split.hash, __version__, "" if clock is None else hashed(clock))
            self.place.write(directory.SPLIT, json.dumps(split.manifest(), indent=2) + "\n")
            if self.place.complete:
                self.tell.say(f"The run in {self.place.path} is already complete.")
                self._close()
                return Run.open(self.place.path)
            self.curve = self.place.events()
        outside = references.measure(
            parts.references, split, recipe.run.seed, lambda state: self._evaluate(state, split), self.tell
        )
        if recipe.arrivals.share:
            from sottovoce.data.arrivals import Arrivals

            coming = recipe.arrivals
            self.arrivals = Arrivals(split, coming.share, coming.refresh, recipe.run.seed)
            self.tell.say(f"During the run {count(len(self.arrivals), 'item')} of everybody's come.")
        self.tell.say(f"Models take about {machine.size(expected)} of memory.")
        with compiling.told(self.tell, "Preparing kernels"):
            settings = recipe.run
            simulation = self._simulation(parts.model, parts, split, settings.plan, clock, settings.storage)
            self.simulation = simulation
            self._bring(simulation)
            simulation.prepare()
        self.best = nodes.begin(recipe, parts.merge, data.people)
        if found is not None:
            own, best = nodes.divided(found.arrays)
            simulation.restore(own)
            self._bring(simulation)
            if self.best is not None:
                self.best.restore(best, simulation.tables, simulation.people)
            self.tell.say(f"Continuing after round {simulation.round}.")
            del found, own, best  # the checkpoint, which was read from the disk, need no longer be there
        elif getattr(parts.model, "start_from", None):
            pretrained.begin(simulation, parts.model, recipe.run.seed, split.hash)
        with interrupt.requests() as asked:
            last = self._train(simulation, split, asked)
        return self._finish(simulation, split, last, baselines, outside)

    def _simulation(
        self,
        model: Any,
        parts: Components,
        split: "Split",
        rounds: int,
        clock: "Timing | None" = None,
        storage: "Storage" = "float32",
    ) -> "Simulation":
        from sottovoce.simulate.engine import Simulation

        return Simulation(
            model,
            parts.protocol,
            split.train,
            self.recipe.run.seed,
            merge=parts.merge,
            peers=parts.peers,
            rounds=rounds,
            weighting=split.weighting,
            candidates=split.weighting_candidates,
            timing=clock,
            chain=parts.chain,
            steps=parts.steps,
            sum=parts.sum,
            storage=storage,
        )

    def _clock(self, split: "Split", rounds: int) -> "Timing | None":
        """When nodes are online and how long messages take, if the recipe speaks of time."""
        from sottovoce.protocols.interface import nodes
        from sottovoce.simulate.clock import clock

        parts = self.parts
        if parts.links is None:
            return None
        seed = self.recipe.run.seed
        count = nodes(parts.protocol, split.train, seed)
        return clock(parts.links, parts.churn, count, rounds, seed, self.data_dir)

    def _baseline(self, name: str, split: "Split") -> "Evaluation":
        """A model that learns nothing personal, trained centrally, under the same evaluation."""
        parts = self.parts._replace(
            protocol=build("protocol", "central", {}, name),
            merge=build("merge", "none", {}, name),
            peers=build("peers", "uniform", {}, name),
            chain=Whole(),
            steps=(),
        )
        settings = {"seed": self.recipe.run.seed} if name == "random" else {}
        simulation = self._simulation(build("model", name, settings, name), parts, split, 1)
        simulation.advance(1)
        return self._evaluate(simulation, split)

    def _evaluate(self, simulation: "Simulation | Scored", split: "Split") -> "Evaluation":
        """The quality for everybody, or under churn for those who are online."""
        from sottovoce.evaluate.divergence import diverged
        from sottovoce.evaluate.evaluation import evaluate
        from sottovoce.simulate.engine import Simulation

        if isinstance(simulation, Simulation) and len(simulation.timing.first):
            split = split.among(simulation.present())
        asked, used = self.recipe.evaluate, self._used(simulation)
        found = evaluate(
            *used,
            split,
            ks=self.measured.ks,
            metrics=asked.metrics,
            candidates=asked.candidates,
            without=self.measured.without,
        )
        return (
            replace(found, lost=found.lost | diverged(*used[1:])) if simulation is self.simulation else found
        )

    def _used(self, simulation: "Simulation | Scored") -> "tuple[Any, Tables, People]":
        """The models that people recommend with: those of the network, tuned copies, or their best so far."""
        from sottovoce.evaluate.tuned import tuned
        from sottovoce.simulate.engine import Simulation

        model, tables, people = simulation.model, simulation.tables, simulation.people
        if simulation is self.simulation and isinstance(simulation, Simulation):
            tables, people = simulation.own()
        times, step = self.recipe.evaluate.tune, self.recipe.evaluate.tune_step
        if times and simulation is self.simulation:
            tables, people = tuned(model, tables, people, self.recipe.run.seed, times, step)
        if self.best is not None and simulation is self.simulation:
            if self.best.noted != simulation.round:
                self.best.note(model, tables, people, simulation.round)
            if self.best.keep:
                tables, people = self.best.used(people)
        return model, tables, people

    def _train(self, simulation: "Simulation", split: "Split", asked: "Event") -> "Evaluation":
        """Run all rounds that are left; the last evaluation is returned."""
        settings, every = self.recipe.run, self.recipe.evaluate.every
        self.round = simulation.round
        last = self._record(simulation, split) if not self.curve else None
        pace, cost, saved, foretold = 0.0, 0.0, time.monotonic(), False
        with self.tell.rounds(settings.rounds, simulation.round) as bar:
            while simulation.round < settings.rounds:
                ends = [end for end in (settings.plan, settings.rounds) if end > simulation.round]
                due = min((simulation.round // every + 1) * every, *ends)
                step = min(due - simulation.round, max(1, int(_SLICE / pace)) if pace else 1)
                if self.arrivals is not None:
                    coming = self.recipe.arrivals.every
                    step = min(step, coming - simulation.round % coming)
                before, sent = simulation.seconds, simulation.messages
                simulation.advance(step)
                self._bring(simulation)
                pace = max((simulation.seconds - before) / step, 1e-9)
                rate = (simulation.messages - sent) / (pace * step)
                self.round = simulation.round
                if not foretold:
                    foretold = True
                    left = pace * (settings.rounds - simulation.round)
                    self.tell.say(f"Training takes about {machine.duration(left)}, evaluation apart.")
                if simulation.round == due:
                    last = self._record(simulation, split)
                bar.update(simulation.round, self._note(simulation, rate), simulation.round == due)
                if self.place is None:
                    if asked.is_set():
                        raise KeyboardInterrupt
                    continue
                # A checkpoint that takes long to write is written less often.
                idle = time.monotonic() - saved
                if asked.is_set() or idle >= max(settings.checkpoint, 9 * cost):
                    began = time.monotonic()
                    self._save(simulation)
                    saved = time.monotonic()
                    cost = saved - began
                if asked.is_set() and simulation.round < settings.rounds:
                    raise KeyboardInterrupt
        return last or self._evaluate(simulation, split)

    def _bring(self, simulation: "Simulation") -> None:
        """Give people what has arrived by now."""
        coming = self.recipe.arrivals
        past = simulation.round // coming.every * coming.every
        part = min(1.0, past / (coming.until * self.recipe.run.plan))
        if self.arrivals is not None and part != self.come:
            self.come = part
            simulation.provide(*self.arrivals.after(part))

    def _record(self, simulation: "Simulation", split: "Split") -> "Evaluation":
        evaluation = self._evaluate(simulation, split)
        event: dict[str, Any] = {"round": simulation.round}
        if simulation.timing.timed:
            online = int(simulation.present().sum())
            event |= {"hours": simulation.now / 3600, "online": online, "arrived": simulation.arrived}
        event |= {
            "messages": simulation.messages,
            "bytes": simulation.bytes,
            "seconds": simulation.seconds,
            **finite(evaluation.metrics),
        }
        lost = int(evaluation.lost.sum())
        if lost:
            event["diverged"] = lost
        if self.best is not None:
            event["weighting"] = self.best.latest
        self.curve.append(event)
        if lost and not any(earlier.get("diverged") for earlier in self.curve[:-1]):
            self.tell.say(f"{divergence(self.curve, self.data.people)} {advice.diverged(self.recipe)}")
        if self.place is not None:
            self.place.record(event)
        return evaluation

    def _save(self, simulation: "Simulation") -> None:
        assert self.place is not None
        self.place.save(simulation.round, simulation.state() | nodes.saved(self.best))

    def _note(self, simulation: "Simulation", rate: float) -> str:
        """What the bar says: the last value of the main metric; in virtual time also who is there now.

        `rate` is that of messages per second, since the bar spoke last.
        """
        metric, last = str(self.recipe.evaluate.metric), self.curve[-1]
        value = None if 2 * last.get("diverged", 0) >= self.data.people else last[metric]
        told = f"{metric} {missing(last) if value is None else f'{value:.4f}'}"
        if not simulation.timing.timed:
            return told
        hours, online = simulation.now / 3600, int(simulation.present().sum())
        return f"{hours:.1f} h · {online:,} online · {rate:,.0f} messages/s · {told}"

    def _finish(
        self,
        simulation: "Simulation",
        split: "Split",
        last: "Evaluation",
        baselines: "dict[str, Evaluation]",
        outside: "dict[str, Evaluation]",
    ) -> Run:
        from sottovoce import __version__
        from sottovoce.evaluate.recommend import recommend
        from sottovoce.evaluate.tails import tails
        from sottovoce.kernels import compilations

        metric = str(self.recipe.evaluate.metric)
        best, lost = best_of(self.curve, metric), divergence(self.curve, self.data.people)
        wholly = lost is not None and lost.people == lost.of
        beside = {"popularity": baselines["popularity"]} | outside
        others = {f"{name} {m}": values for name, e in beside.items() for m, values in e.per_user.items()}
        others["history"] = np.diff(split.train.indptr).astype(np.float64)
        by_node = nodes.facts(simulation, self.best)
        with self.tell.doing("Writing everybody's recommendations"):
            items, scores = recommend(*self._used(simulation), self.data.items, min(TOP, self.data.items))
            frames = {
                directory.PER_USER: per_user_frame(self.data.users, last.per_user | others | by_node),
                directory.RECOMMENDATIONS: recommendations_frame(self.data, items, scores),
            }
        alike = collapse(items, scores, simulation.people.steps > 0)
        result = {
            "final": dict.fromkeys(last.metrics) if wholly else finite(last.metrics),
            "best": {name: best[name] for name in last.metrics},
            "baselines": {name: finite(baseline.metrics) for name, baseline in baselines.items()},
            "references": {name: finite(reference.metrics) for name, reference in outside.items()},
            "messages": simulation.messages,
            "bytes": simulation.bytes,
            "seconds": simulation.seconds,
            "compiled": compilations(),
            "peak_rss_bytes": machine.peak_memory(),
            "nodes": len(simulation.timing.upload),
            "seed": self.recipe.run.seed,
            "version": __version__,
            "metric": metric,
            "best_round": best["round"],
            "rounds": simulation.round,
            "tails": {
                name: finite(tails(metric=name, values=values)) for name, values in last.per_user.items()
            },
            "diverged": None if lost is None else lost._asdict(),
            "collapsed": None if alike is None else alike._asdict(),
            "tested": self.measured.tested,
            "left_out": self.measured.without,
            "notes": [*self.data.notes, *self.notes, *self.measured.notes],
            "by_node": nodes.summary(by_node),
            **times(simulation),
            "categories": {name: finite(shifts) for name, shifts in last.by_category.items()},
            "privacy": [one._asdict() for one in disclosed(self.parts, tuned=self.recipe.evaluate.tune > 0)],
            "data": describe(self.data, self.notes),
            "split": split.hash,
            "versions": machine.versions(),
        }
        if self.place is not None:
            for name, frame in frames.items():
                self.place.write_frame(name, frame)
            if self.recipe.run.keep_models:
                self._save(simulation)
            self.place.write(directory.RESULT, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
            self._close()
        path = None if self.place is None else self.place.path
        return Run(self.recipe, result, self.curve, directory=path, frames=frames, train=split.train)

    def _close(self) -> None:
        """Leave a complete run as it should be, also if the last process died before it could."""
        from sottovoce.experiments.report import render

        assert self.place is not None
        if not (self.place.path / directory.REPORT).exists():
            with self.tell.doing("Drawing the report"):
                self.place.write(directory.REPORT, render(self.place.path))
        if not self.recipe.run.keep_models:
            self.place.forget()
