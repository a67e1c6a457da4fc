"""Neural collaborative filtering once more, plainly: NumPy in double precision, and PyTorch.

And the small models and communities that tests of `gmf`, `mlp` and `neumf` share.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sottovoce import registry
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.data.interactions import Interactions
from sottovoce.kernels import driver
from sottovoce.models.interface import score, score_all
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from tests.networks import ratings, simulate

# Rows of 6 numbers in all of them, so that one compilation serves all three.
SETTINGS = {
    "gmf": {"factors": 6},
    "mlp": {"factors": 6, "layers": [5, 4]},
    "neumf": {"factors": 3, "layers": [5, 4]},
}


def built(name: str, **settings: Any) -> Any:
    """One of the three models, small."""
    return registry.build("model", name, SETTINGS[name] | settings, "model")


def small(items: int = 12, people: int = 4, seed: int = 3) -> Interactions:
    """A few people with random items."""
    rng = np.random.default_rng(seed)
    return ratings((5 * (rng.random((people, items)) < 0.4)).tolist())


def groups(count: int = 24, items: int = 24, seed: int = 3) -> tuple[Interactions, Any]:
    """Two tastes, 60 % of each consumed: all items are about equally popular."""
    rng = np.random.default_rng(seed)
    liked = (np.arange(count)[:, None] % 2) == (np.arange(items)[None, :] % 2)
    return ratings((5 * (liked & (rng.random((count, items)) < 0.6))).tolist()), liked


def separation(s: Simulation, liked: Any) -> float:
    """How often a liked item scores above one that is not; 0.5 for popularity, and by chance."""
    shares = []
    for person in range(len(liked)):
        scores = np.empty(liked.shape[1], np.float32)
        _scores(s.model, s.tables, person if s.tables.slots > 1 else 0, s.people, person, scores)
        shares.append((scores[liked[person]][:, None] > scores[~liked[person]]).mean())
    return float(np.mean(shares))


@driver
def _scores(model, tables, slot, people, person, scores):
    score_all(model, tables, slot, people, person, scores)


def check_score(name: str, expected: Callable[..., float]) -> None:
    """A score is what `expected` computes from a row, a person's vector and the head, all random."""
    s = simulate(built(name), groups()[0])
    rng = np.random.default_rng(2)
    for numbers in (s.tables.rows, s.people.user, s.tables.head):
        numbers[:] = rng.normal(size=numbers.shape)
    for slot, person, item in ((0, 0, 0), (3, 3, 7), (2, 5, 23)):
        found = score(s.model, s.tables, slot, s.people, person, item)
        row, vector, head = s.tables.rows[slot * 24 + item], s.people.user[person], s.tables.head[slot]
        np.testing.assert_allclose(found, expected(row, vector, head), rtol=1e-5)


def check_learning(name: str) -> None:
    """In a federation the model tells two tastes apart."""
    data, liked = groups()
    s = simulate(built(name, step=0.02), data, protocol=Federated(participants=8), merge=MFFedAvg())
    s.advance(150)
    assert separation(s, liked) > 0.9


def layers_of(product, sizes, head):
    """The head as a list of (W, b), the output layer last."""
    shapes = [*zip(sizes[1:], sizes[:-1], strict=True), (1, product + sizes[-1])]
    found, at = [], 0
    for outputs, inputs in shapes:
        weight = head[at : at + outputs * inputs].reshape(outputs, inputs)
        found.append((weight, head[at + weight.size : at + weight.size + outputs]))
        at += weight.size + outputs
    assert at == len(head)
    return found


def loss(product, sizes, rows, vectors, head, item, who, label):
    """The mean binary cross entropy of some instances."""
    *hidden, (weight, bias) = layers_of(product, sizes, head)
    row, vector = rows[item], vectors[who]
    x = np.hstack([vector[:, product:], row[:, product:]])
    for w, b in hidden:
        x = np.maximum(x @ w.T + b, 0)
    z = np.hstack([vector[:, :product] * row[:, :product], x]) @ weight[0] + bias[0]
    return np.mean(np.logaddexp(0, z) - label * z)


def slopes(product, sizes, numbers, *instances, width=1e-6):
    """The derivatives of the loss by rows, vectors and head, by central differences."""
    found = [np.empty_like(group) for group in numbers]
    for group, slope in zip(numbers, found, strict=True):
        for place in np.ndindex(group.shape):
            kept, ends = group[place], []
            for moved in (kept + width, kept - width):
                group[place] = moved
                ends.append(loss(product, sizes, *numbers, *instances))
            group[place] = kept
            slope[place] = (ends[0] - ends[1]) / (2 * width)
    return found


def adam(numbers, gradients, moments, step, time):
    """One step of Kingma and Ba's Algorithm 1, on each group in place."""
    for group, gradient, (first, second) in zip(numbers, gradients, moments, strict=True):
        first += 0.1 * (gradient - first)
        second += 0.001 * (gradient**2 - second)
        group -= step * (first / (1 - 0.9**time)) / (np.sqrt(second / (1 - 0.999**time)) + 1e-8)


def nothing(numbers):
    """The moments of numbers that Adam has not moved yet."""
    return [(np.zeros_like(group), np.zeros_like(group)) for group in numbers]


def train_slowly(product, sizes, numbers, epochs, step, batch, optimizer, moments=None, time=0):
    """All batches of all epochs, each given as (item, who, label); `numbers` are rows, vectors and head.

    `moments` are changed in place; the number of steps so far, `time`, is returned.
    """
    moments = nothing(numbers) if moments is None else moments
    for instances in epochs:
        size = batch or len(instances[0])
        for begin in range(0, len(instances[0]), size):
            part = [column[begin : begin + size] for column in instances]
            gradients, time = slopes(product, sizes, numbers, *part), time + 1
            if optimizer == "adam":
                adam(numbers, gradients, moments, step, time)
            else:
                for group, gradient in zip(numbers, gradients, strict=True):
                    group -= step * gradient
    return time


def train_in_torch(product, sizes, numbers, epochs, step, batch, optimizer):
    """The same with PyTorch: a module with embeddings and linear layers, its optimizer and its loss."""
    import torch

    kind = torch.float64
    rows, vectors, head = (torch.tensor(group, dtype=kind) for group in numbers)
    items, people = (torch.nn.Embedding.from_pretrained(group, freeze=False) for group in (rows, vectors))
    linear = []
    for weight, bias in layers_of(product, sizes, head.numpy()):
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0], dtype=kind)
        layer.weight.data, layer.bias.data = torch.tensor(weight), torch.tensor(bias)
        linear.append(layer)
    parameters = [p for module in (items, people, *linear) for p in module.parameters()]
    chosen = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[optimizer](parameters, lr=step)
    for instances in epochs:
        size = batch or len(instances[0])
        for begin in range(0, len(instances[0]), size):
            item, who, label = (torch.tensor(column[begin : begin + size]) for column in instances)
            row, vector = items(item.long()), people(who.long())
            x = torch.hstack([vector[:, product:], row[:, product:]])
            for layer in linear[:-1]:
                x = torch.relu(layer(x))
            z = linear[-1](torch.hstack([vector[:, :product] * row[:, :product], x]))[:, 0]
            chosen.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(z, label.to(kind)).backward()
            chosen.step()
    numbers[0][:], numbers[1][:] = items.weight.detach().numpy(), people.weight.detach().numpy()
    parts = [p.detach().numpy().ravel() for layer in linear for p in (layer.weight, layer.bias)]
    numbers[2][:] = np.concatenate(parts)
