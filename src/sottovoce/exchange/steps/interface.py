"""What is done to an update before it leaves a device. One file per step; a recipe names them in order.

    [privacy]
    steps = [{ name = "clip", length = 1.0 }]

A step is a `NamedTuple` of its parameters, registered with `@component("step", name)`, that implements
`protect`. A step may also withhold single instances of a model that learns instance by instance, before
their changes are added up (`disclose_instances`); all steps do that before any of them protects the sum. By
default there is no step. Compression is the last step of an update that goes to a server. Under
gossip steps decide what of a training enters the table that travels: see `protocols.disclose`.
"""

from typing import Any, NamedTuple

from sottovoce.exchange.compression.interface import Chain, rows
from sottovoce.exchange.pack import round_off
from sottovoce.kernels import COMPRESSION, ROUNDING, below, constant, operation, stream
from sottovoce.state import width


@operation
def protect(step, updates, place, people, person, run, round):
    """Change update `place` of indexed `updates` before anybody but `person` sees it.

    A step may change numbers, and leave out rows by moving others to the front and the end of the slot,
    `updates.offset[place + 1]`. The person's own items, `people.item[people.indptr[person] : …]`, tell
    rows of one's own from those of sampled ones. Random numbers are keyed by `run`,
    `people.key[person]` and the number of the `round`.
    """


def _protect(step, updates, place, people, person, run, round):
    protect(step, updates, place, people, person, run, round)


@operation(default=_protect)
def protect_quietly(step, updates, place, people, person, run, round):
    """The same without noise, if the step adds any: what is disclosed on average."""


@constant
def adds_noise(step: Any) -> int:
    """Whether a step, or one of several, adds noise (`noisy`), known at compile time."""
    return int(any(getattr(part, "noisy", False) for part in getattr(step, "parts", (step,))))


@operation(default=lambda step, updates, place, people, person, run, round: None)
def disclose_instances(step, updates, place, people, person, run, round):
    """Withhold changes of single instances from update `place`, before they are added up; by default none.

    It is called with models that learn instance by instance, whose updates then may have several rows of an
    item, in the order of instances. Rows are left out as by `protect`.
    """


@operation(default=lambda step: step)
def compiled(step: Any) -> Any:
    """What compiled code takes in place of this step: a component of numbers alone. Python only."""


@operation(default=lambda step, users: step)
def for_people(step: Any, users: Any) -> Any:
    """The step for the people of a simulation, whose ids in the data are `users` [U]. Python only."""


@operation(default=lambda step: False)
def hides_items(step: Any) -> bool:
    """Whether a step keeps from others which items a person has. Python only.

    Then the number of a person's interactions does not leave the device either.
    """


@operation(default=lambda step, model: None)
def check_step(step: Any, model: Any) -> None:
    """Refuse, by a `RecipeError`, a model that this step cannot work on. Python only."""


@operation(default=lambda step, trained: trained)
def disclosed_age(step, trained):
    """How much older a row that is disclosed becomes for others, under gossip.

    By default as much as training made it: `trained`, 1 if it touched the row. That tells which rows it
    touched, so a step that hides this must not let it through.
    """


@operation(default=lambda step, count: step)
def on_device(step: Any, count: int) -> Any:
    """The step for one use on a real device, where updates have at most `count` numbers. Python only.

    A step that needs secret random numbers takes them from the operating system here, never from `run`.
    """


class Nothing(NamedTuple):
    """No step at all. Compiled code then trains in place."""


@protect.rule(Nothing)
def _nothing(step, updates, place, people, person, run, round):
    pass


@protect.rule(Chain)
def _compress(step, updates, place, people, person, run, round):
    """Keep random rows, no more than the chain's share of the catalogue, and round them."""
    begin, items = updates.offset[place], updates.where.shape[1]
    count, who = updates.offset[place + 1] - begin, people.key[person]
    most = rows(step, items)
    if count > most:
        key = stream(run, COMPRESSION, who, round)
        for n in range(most):
            a, b = begin + n, begin + n + below(key, n, count - n)
            updates.ids[a], updates.ids[b] = updates.ids[b], updates.ids[a]
            for d in range(width(updates)):
                updates.rows[a, d], updates.rows[b, d] = updates.rows[b, d], updates.rows[a, d]
        count = most
        updates.offset[place + 1] = begin + count
    if step.bits < 32:
        key = stream(run, ROUNDING, who, round)
        for d in range(width(updates) if count > 0 else 0):
            round_off(updates.rows[begin : begin + count, d], step.bits, key, d)
        if updates.head.shape[1]:
            round_off(updates.head[place], step.bits, key, -1)
