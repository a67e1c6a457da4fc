"""Table 1 of Perifanis and Efraimidis (2022): who has access to what, with MF-FedAvg and with MF-SecAvg.

The table has three marks. ✓ is access: we ask that at least 95 % is found. ‡ is what an honest but curious
observer can deduce: we ask that more is found than otherwise, by more than chance over people. X is no
access: we ask that no more is found. Otherwise means by guessing, or by taking people for others, whichever
finds more, so that knowing what is popular does not count as knowing a person.
"""

import itertools
from collections.abc import Mapping

from sottovoce.experiments.reproduce import figures, leaks
from sottovoce.experiments.reproduce.figures import Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.leaks import Leak
from sottovoce.experiments.reproduce.papers import Finding, statement

ACCESS, DEDUCED, NONE = "✓", "‡", "X"
NAMES = {
    "items": "local interactions r",
    "instances": "training instances n",
    "vector": "local U",
    "rows": "local I",
    "head": "local N",
    "row of two": "which of the summed rows are of own items",
}
ALL = 0.95
"""The share that counts as access."""
SERVER = {"items": ACCESS, "instances": ACCESS, "vector": DEDUCED, "rows": ACCESS, "head": ACCESS}
OTHERS = {"items": DEDUCED, "instances": NONE, "vector": DEDUCED, "rows": DEDUCED, "head": DEDUCED}
MASKED = {what: NONE for what in NAMES if what not in ("items", "instances")}
NOBODY = {what: NONE for what in NAMES if what != "row of two"}


@statement("fedncf_table_1.server_of_fedavg")
def server_of_fedavg(form: Reproduction, results: Results) -> list[Finding]:
    """The column S of MF-FedAvg."""
    return _column(form, results, "plain federation", SERVER, "server")


@statement("fedncf_table_1.participant_of_fedavg")
def participant_of_fedavg(form: Reproduction, results: Results) -> list[Finding]:
    """The column P_j of MF-FedAvg, for one participant, and for several who share what they know."""
    return _column(form, results, "plain federation", OTHERS, "participant", "participants")


@statement("fedncf_table_1.server_of_secavg")
def server_of_secavg(form: Reproduction, results: Results) -> list[Finding]:
    """The column S of MF-SecAvg: from both masked vectors, and from the sums that it unmasks."""
    counts, rows, sums = (
        _column(form, results, "SecAvg", marks, who)
        for who, marks in (("server", NOBODY), ("masked", MASKED), ("sums", NOBODY))
    )
    return [*counts, *rows, *sums]


@statement("fedncf_table_1.participant_of_secavg")
def participant_of_secavg(form: Reproduction, results: Results) -> list[Finding]:
    """The column P_j of MF-SecAvg."""
    return _column(form, results, "SecAvg", NOBODY, "participant", "participants")


@statement("fedncf_table_1.server_of_heavg")
def server_of_heavg(form: Reproduction, results: Results) -> list[Finding]:
    """HEAvg protects as SecAvg does (Section 7), as long as nobody gives the key away."""
    return _column(form, results, "HEAvg", NOBODY, "server")


@statement("fedncf_table_1.participant_of_heavg")
def participant_of_heavg(form: Reproduction, results: Results) -> list[Finding]:
    """What participants find in sums that they decrypt, alone and together (Appendix C.2)."""
    return _column(form, results, "HEAvg", NOBODY, "decrypting", "decrypting together")


@statement("fedncf_table_1.key_of_heavg")
def key_of_heavg(form: Reproduction, results: Results) -> list[Finding]:
    """A participant who gives the shared key to the server opens every update."""
    return _column(form, results, "HEAvg", SERVER, "key")


@statement("fedncf_table_1.sums_exclude_items")
def sums_exclude_items(form: Reproduction, results: Results) -> list[Finding]:
    """From the counts the server learns what nobody of a group has met."""
    found = []
    for run in form.stands_for("SecAvg", results):
        every = [one for seed in results[run] if (one := leaks.leak(seed, "sums", "no item")) is not None]
        if every:
            least = min(one.low for one in every)
            said = f"{', '.join(run)}: {_share(every[0].value)} of the items that a person does not have"
            found.append(Finding(f"{said} are excluded, because nobody of a group changed them", least > 0))
    return found


@statement("fedncf_table_1.k_anonymous")
def k_anonymous(form: Reproduction, results: Results) -> list[Finding]:
    """No row of a masked sum has a single contributor."""
    return _alone(form, results, "SecAvg", "server")


@statement("fedncf_table_1.k_anonymous_by_heavg")
def k_anonymous_by_heavg(form: Reproduction, results: Results) -> list[Finding]:
    """No row of a sum that participants decrypt has a single contributor."""
    return _alone(form, results, "HEAvg", "decrypting")


def _alone(form: Reproduction, results: Results, label: str, who: str) -> list[Finding]:
    """Whether somebody is alone behind a row of a sum."""
    found = []
    for run in form.stands_for(label, results):
        alone = [one.value for seed in results[run] if (one := leaks.leak(seed, who, "alone in a sum"))]
        if alone:
            said = f"{', '.join(run)}: {_share(max(alone))} of people are alone behind a row of a sum"
            found.append(Finding(said, max(alone) == 0))
    return found


def _column(
    form: Reproduction, results: Results, label: str, marks: Mapping[str, str], *observers: str
) -> list[Finding]:
    """A finding for every cell of a column that was measured, for each of these observers."""
    found = []
    for run in form.stands_for(label, results):
        for who, (what, mark) in itertools.product(observers, marks.items()):
            every = [one for seed in results[run] if (one := leaks.leak(seed, who, what)) is not None]
            if every:
                name = NAMES.get(what, what)
                said = f"{', '.join(run)}, {leaks.WHO[who]}: {name}: {_said(every)}; the paper has {mark}"
                found.append(Finding(said, figures.every(_holds(one, mark) for one in every)))
    return found


def _holds(one: Leak, mark: str) -> bool:
    if mark == ACCESS:
        return one.value >= ALL
    return one.personal if mark == DEDUCED else not one.personal


def _said(every: list[Leak]) -> str:
    pairs = ((one.value, one.otherwise) for one in every)
    value, otherwise = (sum(column) / len(every) for column in zip(*pairs, strict=True))
    return f"{_share(value)} found, {_share(otherwise)} otherwise"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
