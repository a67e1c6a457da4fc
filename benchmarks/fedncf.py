"""A global round of federated neural collaborative filtering on MovieLens 100K, or on data of its shape.

Against a limit in seconds that is meant for two idle cores, and that here all CPU time must keep to;
against the same round in PyTorch, client by client as published code has it, where PyTorch is installed;
and against the arithmetic alone: the multiplications and additions of the network, at the rate at which
NumPy multiplies matrices in the same process.
"""

import importlib.util
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gossip import community
from benchmarks.measure import Result, cpu, load, wall
from sottovoce import kernels
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.data.interactions import Interactions
from sottovoce.models._neural import BATCH
from sottovoce.models.gmf import GMF
from sottovoce.models.neumf import NeuMF
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation

MODELS = {"gmf": GMF(), "neumf": NeuMF()}
SECONDS = {"gmf": 0.3, "neumf": 2.0}
FASTER = {"gmf": 30, "neumf": 10}
GROUP = 20
"""C, how many clients take part in an aggregation. PyTorch is timed on one such group."""


def data() -> tuple[Interactions, str]:
    """MovieLens 100K without everybody's last item where it is at hand, else data of its shape."""
    from sottovoce.data.load import load as read
    from sottovoce.data.splits.leave_one_out import LeaveOneOut
    from sottovoce.errors import SottovoceError

    place = os.environ.get("SOTTOVOCE_DATA")
    try:
        known = read("ml-100k", data_dir=Path(place) if place else None)
    except SottovoceError:
        return community(943, 1682, 105), "random data of the shape of MovieLens 100K"
    return LeaveOneOut().split(known, 1).train, "MovieLens 100K"


def federation(name: str, train: Interactions) -> Simulation:
    """A federation that has done one global round."""
    protocol = Federated(participants=GROUP, selection="in-turn")
    s = Simulation(MODELS[name], protocol, train, 1, merge=MFFedAvg(), peers=Uniform(), rounds=400)
    s.advance(1)
    return s


def _best(function: Callable[[], object], clock: Callable[[], float], count: int = 7) -> float:
    times = []
    for _ in range(count):
        began = clock()
        function()
        times.append(clock() - began)
    return min(times)


def flops(network: Any) -> int:
    """Of one instance in the network: three products with each weight, one forwards and two backwards."""
    sizes = network.sizes.tolist()
    layers = [*itertools.pairwise(sizes), (network.product + sizes[-1], 1)]
    return 6 * sum(inputs * outputs for inputs, outputs in layers) + 3 * network.product


def rate() -> float:
    """Multiplications and additions in float32 that NumPy does in a CPU-second; too small for threads.

    Threads that share a large one wait for each other busily, which on a busy machine is most of the time.
    """
    a = np.random.default_rng(0).random((400, 64, 64), np.float32)
    return float(2 * a.size * 64 / _best(lambda: a @ a, cpu))


def torch_round(name: str, train: Interactions) -> float:
    """CPU seconds of a global round in PyTorch, from one group of clients of all sizes, the best of three.

    Each client loads the model, makes an Adam of its own for all of it, samples negatives, trains one epoch
    in batches, and hands over its state, of which the server takes the average.
    """
    import torch

    generator = np.random.default_rng(0)
    sizes = np.diff(train.indptr)
    clients = np.argsort(sizes)[np.linspace(0, train.people - 1, GROUP).astype(int)]
    model = _module(name, train.items)
    shared = {k: v.clone() for k, v in model.state_dict().items() if k != "person"}
    torch.set_num_threads(1)

    def trained(client: int) -> dict[str, Any]:
        own = train.item[train.indptr[client] : train.indptr[client + 1]]
        met = np.zeros(train.items, bool)
        met[own] = True
        sampled = generator.choice(np.flatnonzero(~met), 4 * len(own))
        item = torch.from_numpy(np.concatenate([own, sampled]).astype(np.int64))
        label = torch.cat([torch.ones(len(own)), torch.zeros(len(sampled))])
        order = torch.randperm(len(item))
        model.load_state_dict(shared, strict=False)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for part in order.split(BATCH):
            optimizer.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(item[part]), label[part])
            loss.backward()
            optimizer.step()
        return {k: v.clone() for k, v in model.state_dict().items() if k != "person"}

    def aggregation() -> dict[str, Any]:
        states = [trained(client) for client in clients]
        return {k: sum(state[k] for state in states) / len(states) for k in shared}

    trained(clients[0])  # makes PyTorch load all that it needs
    return float(_best(aggregation, cpu, 3) * sizes.sum() / sizes[clients].sum())


def _module(name: str, items: int) -> Any:
    """A client's model in PyTorch."""
    import torch
    from torch import nn

    tower = name == "neumf"

    class Module(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.person = nn.Parameter(0.1 * torch.randn(2, 12))
            self.product = nn.Embedding(items, 12)
            self.output = nn.Linear(18 if tower else 12, 1)
            if tower:
                self.pair = nn.Embedding(items, 12)
                sizes = [24, 48, 24, 12, 6]
                steps = [[nn.Linear(a, b), nn.ReLU()] for a, b in itertools.pairwise(sizes)]
                self.layers = nn.Sequential(*(layer for step in steps for layer in step))

        def forward(self, item: Any) -> Any:
            x = self.person[0] * self.product(item)
            if tower:
                pair = torch.cat([self.person[1].expand(len(item), -1), self.pair(item)], dim=1)
                x = torch.cat([x, self.layers(pair)], dim=1)
            return self.output(x)[:, 0]

    return Module()


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them."""
    train, what = data()
    for name in MODELS:
        if not (f"fedncf-{name}".startswith(prefix) or prefix.startswith(f"fedncf-{name}")):
            continue
        s = federation(name, train)
        instances = (1 + s.model.negatives) * len(train)
        seconds, used = _best(lambda s=s: s.advance(1), wall), _best(lambda s=s: s.advance(1), cpu)
        yield Result(
            f"fedncf-{name}",
            used / SECONDS[name],
            f"a limit of {SECONDS[name]} s, CPU seconds",
            1.0,
            f"{used:.3f} s of CPU, {seconds:.3f} s a round, {instances / used:,.0f} instances/s; "
            f"{what}, C = {GROUP}, {kernels.threads()} threads; {load()}",
        )
        speed = rate()
        least = instances * flops(s.model) / speed
        yield Result(
            f"fedncf-{name}-arithmetic",
            used / least,
            "the network's arithmetic, CPU seconds",
            None,
            f"{flops(s.model):,} additions and multiplications per instance take {least:.3f} s at "
            f"{speed / 1e9:.0f} GFlop/s; the rest is sampling, gathering, Adam and the server",
        )
        if importlib.util.find_spec("torch") is None:
            skipped = "PyTorch is not installed: pip install 'sottovoce[torch]'"
            yield Result(f"fedncf-{name}-torch", None, "the same round in PyTorch", 1 / FASTER[name], skipped)
            continue
        theirs = torch_round(name, train)
        yield Result(
            f"fedncf-{name}-torch",
            used / theirs,
            "the same round in PyTorch, CPU seconds",
            1 / FASTER[name],
            f"{theirs / used:.0f} times as fast: PyTorch takes {theirs:.1f} CPU-seconds, batches of {BATCH}",
        )
