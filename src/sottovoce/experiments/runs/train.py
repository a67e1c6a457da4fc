"""The rounds of a run: training, evaluations and checkpoints."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce.experiments.runs import advice, interrupt, machine
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.facts import finite
from sottovoce.experiments.runs.prepare import Prepared
from sottovoce.experiments.runs.progress import Progress
from sottovoce.experiments.runs.trouble import divergence, missing

if TYPE_CHECKING:
    from threading import Event

    from sottovoce.evaluate.evaluation import Evaluation
    from sottovoce.state import People, Tables

_SLICE = 0.5  # seconds of training between looks at the clock and at Ctrl-C
_WRITING = 9  # training takes at least this many times as long as writing checkpoints

Curve = list[dict[str, Any]]
"""An event for each evaluation: round, messages, bytes, seconds and the metrics."""


class Trained(NamedTuple):
    """A run after its last round."""

    last: "Evaluation"
    curve: Curve
    models: "tuple[Any, Tables, People]"
    """The model, with the tables and people to recommend with."""


class Training:
    """The rounds of a run that are left to do."""

    def __init__(self, prepared: Prepared, place: RunDirectory | None, tell: Progress) -> None:
        self.prepared, self.plan, self.simulation = prepared, prepared.plan, prepared.simulation
        self.best, self.arrivals, self.enough = prepared.best, prepared.arrivals, prepared.enough
        self.place, self.tell = place, tell
        self.curve: Curve = [] if place is None else place.events()
        self._saved, self._cost = time.monotonic(), 0.0
        """When the last checkpoint was written, and how long that took."""
        self._pace, self._rate = 0.0, 0.0
        """Seconds per round, and messages per second, of the last slice of rounds."""

    @property
    def round(self) -> int:
        """The round that is reached."""
        return self.simulation.round

    def train(self) -> Trained:
        """Run all rounds that are left. A request to stop saves the state and raises KeyboardInterrupt."""
        settings = self.plan.recipe.run
        self._saved = time.monotonic()
        with interrupt.requests() as asked:
            last = self._record() if not self.curve else None
            with self.tell.rounds(settings.rounds, self.round) as bar:
                while not self._over:
                    due = self._due()
                    self._advance(min(due - self.round, self._slice()))
                    evaluated = self.round == due or self._over
                    if evaluated:
                        last = self._record()
                    bar.update(self.round, self._note(), evaluated)
                    self._pause(asked)
            if self.round < settings.rounds:
                self._say_early()
            return Trained(last or self._evaluate(), self.curve, self._models())

    @property
    def _over(self) -> bool:
        """Whether this was the last round, or the last one that is worth it."""
        return self.round >= self.plan.recipe.run.rounds or (self.enough is not None and self.enough.reached)

    def _say_early(self) -> None:
        settings = self.plan.recipe.run
        self.tell.say(
            f"Ends after round {self.round} of {settings.rounds}: two more sweeps improved the quality on "
            "weighting sets (items that people keep out of training to judge it) by less than "
            f"{100 * (settings.least_gain or 0):.1f} %, and the settings hardly move any more "
            "(run.least_gain)."
        )

    def _due(self) -> int:
        """The round of the next evaluation."""
        settings, every = self.plan.recipe.run, self.plan.recipe.evaluate.every
        ends = [end for end in (settings.plan, settings.rounds) if end > self.round]
        return min((self.round // every + 1) * every, *ends)

    def _slice(self) -> int:
        """How many rounds to do before the next look at the clock."""
        rounds = max(1, int(_SLICE / self._pace)) if self._pace and self.enough is None else 1
        return rounds if self.arrivals is None else min(rounds, self.arrivals.until_next(self.round))

    def _advance(self, rounds: int) -> None:
        first = not self._pace
        before, sent = self.simulation.seconds, self.simulation.messages
        self.simulation.advance(rounds)
        if self.enough is not None:
            self.enough.note(self.simulation.tables)
        if self.arrivals is not None:
            self.arrivals.bring(self.simulation)
        self._pace = max((self.simulation.seconds - before) / rounds, 1e-9)
        self._rate = (self.simulation.messages - sent) / (self._pace * rounds)
        if first:
            left = self._pace * (self.plan.recipe.run.rounds - self.round)
            self.tell.say(f"Training takes about {machine.duration(left)}, without evaluation.")

    def _pause(self, asked: "Event") -> None:
        """Write a checkpoint if it is time, and stop if that was asked for."""
        settings = self.plan.recipe.run
        if self.place is None:
            if asked.is_set():
                raise KeyboardInterrupt
            return
        # A checkpoint that takes long to write is written less often.
        wait = max(settings.checkpoint, _WRITING * self._cost)
        if asked.is_set() or time.monotonic() - self._saved >= wait:
            began = time.monotonic()
            self.place.save(self.round, self.prepared.state())
            self._saved = time.monotonic()
            self._cost = self._saved - began
        if asked.is_set() and not self._over:
            raise KeyboardInterrupt

    def _models(self) -> "tuple[Any, Tables, People]":
        """The models that people recommend with: those of the network, tuned copies, or their best so far."""
        from sottovoce.evaluate.tuned import tuned

        settings, network = self.plan.recipe.evaluate, self.simulation
        model, (tables, people) = network.model, network.own()
        if settings.tune:
            seed = self.plan.recipe.run.seed
            tables, people = tuned(model, tables, people, seed, settings.tune, settings.tune_step)
        if self.best is not None:
            if self.best.noted != self.round:
                self.best.note(model, tables, people, self.round)
            if self.best.keep:
                tables, people = self.best.used(people)
        return model, tables, people

    def _evaluate(self) -> "Evaluation":
        """The quality for everybody, or under churn for those who are online."""
        from sottovoce.evaluate.divergence import diverged

        split, models = self.plan.split, self._models()
        if len(self.simulation.timing.first):
            split = split.among(self.simulation.present())
        found = self.plan.evaluate_models(models, split)
        lost = found.lost | diverged(*models[1:])
        return replace(found, lost=lost if self.plan.honest is None else lost & self.plan.honest)

    def _record(self) -> "Evaluation":
        """Evaluate, and add an event to the curve."""
        evaluation, network = self._evaluate(), self.simulation
        event: dict[str, Any] = {"round": network.round}
        if network.timing.timed:
            online = int(network.present().sum())
            event |= {"hours": network.now / 3600, "online": online, "arrived": network.arrived}
        event |= {
            "messages": network.messages,
            "bytes": network.bytes,
            "seconds": network.seconds,
            **finite(evaluation.metrics),
        }
        lost = int(evaluation.lost.sum())
        if lost:
            event["diverged"] = lost
        if self.best is not None:
            event["weighting"] = self.best.latest
        self.curve.append(event)
        if lost and not any(earlier.get("diverged") for earlier in self.curve[:-1]):
            trouble = divergence(self.curve, self.plan.data.people)
            self.tell.say(f"{trouble} {advice.diverged(self.plan.recipe)}")
        if self.place is not None:
            self.place.record(event)
        return evaluation

    def _note(self) -> str:
        """For the bar: the last value of the main metric; in virtual time also hours, nodes and messages."""
        metric, last, network = str(self.plan.recipe.evaluate.metric), self.curve[-1], self.simulation
        value = None if 2 * last.get("diverged", 0) >= self.plan.data.people else last[metric]
        text = f"{metric} {missing(last) if value is None else f'{value:.4f}'}"
        if not network.timing.timed:
            return text
        hours, online = network.now / 3600, int(network.present().sum())
        return f"{hours:.1f} h · {online:,} online · {self._rate:,.0f} messages/s · {text}"
