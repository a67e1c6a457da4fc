"""`sum = "secure"` in a run: MovieLens 1M with groups of 50, beside plain sums in the same process.

Both federations train GMF with the same people in the same groups. They take turns, a few rounds at a time,
so that a busy machine disturbs both alike. Quality is measured after the same number of rounds.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Result, cpu, load
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.sums._integers import ROWS, WITHHELD
from sottovoce.combine.sums.plain import Plain
from sottovoce.combine.sums.secure import Secure
from sottovoce.data.split import Split
from sottovoce.models.gmf import GMF
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation

NAME = "secure-run"
GROUP, ROUNDS, STEP = 50, 40, 5
TARGET, CLOSE = 3.0, 0.002


def split() -> Split | None:
    """MovieLens 1M without everybody's last item; None where it is not at hand."""
    from sottovoce.data.load import load as read
    from sottovoce.data.splits.leave_one_out import LeaveOneOut
    from sottovoce.errors import SottovoceError

    place = os.environ.get("SOTTOVOCE_DATA")
    try:
        data = read("ml-1m", data_dir=Path(place) if place else None)
    except SottovoceError:
        return None
    found: Split = LeaveOneOut().split(data, 1)
    return found


def federation(sum: Any, data: Split) -> Simulation:
    """A federation that has done one global round, so that everything is compiled."""
    protocol = Federated(participants=GROUP, selection="in-turn")
    parts = {"merge": MFFedAvg(), "peers": Uniform(), "rounds": ROUNDS, "sum": sum}
    made = Simulation(GMF(batch=256), protocol, data.train, 1, **parts)
    made.advance(1)
    return made


def quality(one: Simulation, data: Split) -> float:
    """HR@10 among 100 items that a person has not seen."""
    from sottovoce.evaluate.evaluation import evaluate

    return evaluate(one.model, one.tables, one.people, data, ks=[10], metrics=["hr"]).metrics["hr@10"]


def benchmarks(prefix: str) -> Iterator[Result]:
    """One."""
    if not NAME.startswith(prefix):
        return
    data = split()
    if data is None:
        yield Result(NAME, None, "plain sums", TARGET, "MovieLens 1M is not at hand: set SOTTOVOCE_DATA")
        return
    secure, plain = (federation(sum, data) for sum in (Secure(), Plain()))
    used = {secure: 0.0, plain: 0.0}
    while plain.round + STEP <= ROUNDS:
        for one in used:
            began = cpu()
            one.advance(STEP)
            used[one] += cpu() - began
    rounds, (ours, theirs) = plain.round - 1, (quality(one, data) for one in (secure, plain))
    tally = secure.driver.state()["sum tally"]
    withheld = tally[WITHHELD] / (tally[ROWS] + tally[WITHHELD])
    yield Result(
        NAME,
        used[secure] / used[plain],
        "plain sums, CPU seconds",
        TARGET,
        f"{used[secure] / rounds:.2f} and {used[plain] / rounds:.2f} s of CPU a round; HR@10 after "
        f"{plain.round} rounds {ours:.4f} and {theirs:.4f} (at most {CLOSE} apart); {withheld:.1%} of "
        f"changed rows had too few contributors; {secure.bytes / plain.bytes:.2f} times the bytes; "
        f"MovieLens 1M, GMF, groups of {GROUP}, k = {Secure().fewest}, threshold {Secure().threshold}; "
        f"{load()}",
        fits=abs(ours - theirs) <= CLOSE,
    )
