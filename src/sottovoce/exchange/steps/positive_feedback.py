"""Each person decides how much of their positive feedback leaves the device (Anelli et al. 2020).

π, the person's `probability`, is the probability that the change of an item that the person has is sent.
Changes of sampled items, which the person has not, are always sent (Section 3.1.2). They show the person's
vector, from which a server computes nearly all that was withheld (`evaluate.audit.withheld`): π protects from
those who only look, and needs sums that hide single updates, or noise, beside it. What is not sent has
still trained the person's private vector. Under federation it is then gone; under gossip it stays in the
person's private remainder and counts in the person's scores.

What π is drawn for differs:

- `triple`: for each training triple, as published. A row that changed in several triples leaves with the part
  of its change that was drawn. It needs a model that learns instance by instance (`bpr`).
- `message`: for each row of an update, in every update anew.
- `item`: once for each item of a person, from the person's key. A share 1 − π of the items, give or take
  chance, never leaves. Otherwise every item is disclosed sooner or later.

π is the same for all, or uniform between `probability` and `highest`, or 0 for a share of `silent` people;
each person's is drawn from the person's key. It can be given for single `people`, too. With π < 1 for
anybody, the numbers of interactions and of instances stay on the device, and everybody counts alike in
averages.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.interface import (
    check_step,
    compiled,
    disclose_instances,
    for_people,
    hides_items,
    protect,
)
from sottovoce.kernels import DISCLOSURE, helper, stream, uniform
from sottovoce.registry import component, nearest
from sottovoce.state import Doubles, width

Share = Annotated[float, Ge(0), Le(1)]
DRAWN = "triple", "message", "item"
PERSON, ITEM = -1, -2
"""Streams of a person's random numbers beside those of rounds, which are numbered from 0."""


@component("step", "positive-feedback")
class PositiveFeedback(NamedTuple):
    """Sends changes of a person's own items with a probability that the person chooses."""

    probability: Share = 1.0
    """π, the probability that a change of an own item is sent."""
    highest: Share | None = None
    """If given, people's π are uniform between `probability` and this."""
    silent: Share = 0.0
    """The share of people whose π is 0, whatever the others' is."""
    drawn: Literal["triple", "message", "item"] = "triple"
    """What π is drawn for: each training triple, each row of a message, or each item once and for all."""
    people: dict[str, Share] | None = None
    """π of single people by their ids in the data; it comes before all that is said of the others."""


class Drawn(NamedTuple):
    """The same, in numbers."""

    lowest: float
    highest: float
    silent: float
    drawn: int
    known: Doubles  # [U] or none, π of single people; NaN: as of the others


@compiled.rule(PositiveFeedback)
def _compiled(step: PositiveFeedback) -> Drawn:
    highest = step.probability if step.highest is None else step.highest
    if isinstance(step.people, dict):
        raise RecipeError(
            "'positive-feedback' names people, and on a device there is one without a name.",
            "Give this person's own π as probability.",
        )
    known = np.empty(0) if step.people is None else step.people
    return Drawn(step.probability, highest, step.silent, DRAWN.index(step.drawn), known)


@for_people.rule(PositiveFeedback)
def _for_people(step: PositiveFeedback, users: Any) -> Any:
    if not isinstance(step.people, dict):
        return step
    known: Any = np.full(len(users), np.nan)
    number = {str(user): n for n, user in enumerate(users)}
    for user, probability in step.people.items():
        if user not in number:
            raise RecipeError(
                f"'positive-feedback' gives the probability of {user!r}, and nobody in the data has that id.",
                nearest(user, list(number)),
            )
        known[number[user]] = probability
    return step._replace(people=known)


@helper
def probability_of(step, people, person, run):
    """π of a person."""
    if len(step.known) > 0 and not np.isnan(step.known[person]):
        return step.known[person]
    own = stream(run, DISCLOSURE, people.key[person], PERSON)
    if uniform(own, 0) < step.silent:
        return 0.0
    return step.lowest + (step.highest - step.lowest) * uniform(own, 1)


@helper
def _is_own(people, person, item):
    found = False
    for n in range(people.indptr[person], people.indptr[person + 1]):  # to the end, so that it vectorises
        found |= people.item[n] == item
    return found


@helper
def _open(step):
    """Whether everybody discloses everything."""
    return step.lowest == 1 and step.highest == 1 and step.silent == 0 and len(step.known) == 0


@helper
def _withhold(updates, place, people, person, probability, key, by_item):
    """Leave out rows of own items, but with this probability; draws are numbered by item, or by row."""
    begin = end = updates.offset[place]
    for n in range(begin, updates.offset[place + 1]):
        item = updates.ids[n]
        number = item if by_item else n - begin
        if uniform(key, number) < probability or not _is_own(people, person, item):
            updates.ids[end] = item
            for d in range(width(updates)):
                updates.rows[end, d] = updates.rows[n, d]
            end += 1
    updates.offset[place + 1] = end


@disclose_instances.rule(Drawn)
def _each_triple(step, updates, place, people, person, run, round):
    if step.drawn == 0 and not _open(step):
        probability = probability_of(step, people, person, run)
        key = stream(run, DISCLOSURE, people.key[person], round)
        _withhold(updates, place, people, person, probability, key, False)


@protect.rule(Drawn)
def _each_row(step, updates, place, people, person, run, round):
    if _open(step):
        return
    updates.size[place] = 1
    if step.drawn > 0:
        probability = probability_of(step, people, person, run)
        key = stream(run, DISCLOSURE, people.key[person], ITEM if step.drawn == 2 else round)
        _withhold(updates, place, people, person, probability, key, True)


@hides_items.rule(PositiveFeedback)
def _hides_items(step: PositiveFeedback) -> bool:
    return step.people is not None or not _open(_compiled(step))


@check_step.rule(PositiveFeedback)
def _check(step: PositiveFeedback, model: Any) -> None:
    if step.highest is not None and step.highest < step.probability:
        raise RecipeError(
            f"'positive-feedback' has highest = {step.highest:g} below probability = {step.probability:g}.",
            "Give the lower of the two as probability.",
        )
    learns = getattr(model, "learns", "")
    if learns == "statistics":
        raise RecipeError(
            "What people send of this model is statistics of all their items at once, and "
            "'positive-feedback' cannot take single items out of them.",
            "Choose a model that is trained, such as 'bpr', or leave the step out.",
        )
    if step.drawn == "triple" and learns != "instances":
        raise RecipeError(
            "'positive-feedback' draws for each training triple by default, and this model does not keep "
            "the changes of single instances apart.",
            'Set drawn = "message" or drawn = "item" for the step, or choose the model \'bpr\'.',
        )


_WHEN = {
    "triple": "for every training triple anew, so that over many rounds every item is sent sooner or later",
    "message": "for every update anew, so that over many rounds every item is sent sooner or later",
    "item": "once for each item, so that the others are never sent",
}


@discloses.rule(PositiveFeedback)
def _discloses(component: PositiveFeedback) -> tuple[Disclosure, ...]:
    if not _hides_items(component):
        return ()
    often = f"{component.probability:g}"
    if component.highest is not None:
        often = f"between {often} and {component.highest:g}"
    some = f" {100 * component.silent:.0f} % of people send none." if component.silent else ""
    some += " Single people chose otherwise." if component.people is not None else ""
    return (
        Disclosure(
            "changes of the person's own items, as often as the person allows",
            "whoever gets the update",
            f"They are sent with a probability of {often}, drawn {_WHEN[component.drawn]}.{some} Changes of "
            "sampled items are always sent. They tell which items a person does not have, and whoever sees "
            "single updates can compute from them what was not sent. The head of a model that has one is "
            "sent as it is.",
        ),
    )
