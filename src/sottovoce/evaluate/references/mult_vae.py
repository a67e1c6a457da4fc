"""Mult-VAE: a variational autoencoder with a multinomial likelihood (Liang, Krishnan, Hoffman, Jebara 2018).

A person's items x, as a vector of zeros and ones divided by its length, of which training drops a share,
become

    h = tanh(x W₁ + b₁),   (μ, ln σ²) = h W₂ + b₂,   z = μ + σ ε,   s = tanh(z W₃ + b₃) W₄ + b₄,

with ε ~ N(0, I). What is minimised is the mean over people of

    −Σ_own ln softmax(s)ⱼ + β KL(N(μ, σ²) ‖ N(0, I)),

by Adam (Kingma and Ba 2014). β rises linearly from 0 to `beta`, over all of the training. A person's scores
are s with z = μ and all items. Weights start as Glorot and Bengio (2010) proposed, biases at zero.

FPL calls `layers` of 200 and 100 "200-100-200" (Section 4.3, Anelli et al. 2020); it tries 300-100-300 and
600-200-600 too, at 50, 100 and 200 epochs. `dropout`, `beta`, `step` and the form of the network are those of
Liang et al. Their batches of 500 people are too few steps for a community of a thousand people: `batch` and
`epochs` were chosen on the weighting set.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, limited
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component
from sottovoce.state import Floats

FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
"""β₁, β₂ and ε of Adam."""
Weights = list[NDArray[Any]]
"""W₁ [items, hidden], b₁, W₂ [hidden, 2 latent], b₂, W₃ [latent, hidden], b₃, W₄ [hidden, items], b₄."""


@component("reference", "mult-vae", needs="scipy threadpoolctl", gives="order")
class MultVAE(NamedTuple):
    """Variational autoencoder."""

    hidden: Annotated[int, Ge(1)] = 200
    """The neurons of the layer before the code, and of the layer behind it."""
    latent: Annotated[int, Ge(1)] = 100
    """The length of the code z."""
    epochs: Annotated[int, Ge(1)] = 100
    """Passes over all people."""
    batch: Annotated[int, Ge(1)] = 100
    """People per step."""
    step: Annotated[float, Gt(0)] = 1e-3
    """The learning rate."""
    dropout: Annotated[float, Ge(0), Lt(1)] = 0.5
    """The share of a person's items that a step leaves out of the input."""
    beta: Annotated[float, Ge(0), Le(10)] = 0.2
    """β at the end."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Learn to reproduce everybody's items."""
        matrix = consumed(train)
        with limited():
            weights = self._learn(matrix, np.random.default_rng(seed))

        def score(begin: int, end: int) -> Floats:
            with limited():
                return scores(weights, _scaled(matrix[begin:end]))

        return score

    def _learn(self, matrix: Any, random: np.random.Generator) -> Weights:
        weights = start(matrix.shape[1], self.hidden, self.latent, random)
        first, second = ([np.zeros_like(w) for w in weights] for _ in range(2))
        people = np.flatnonzero(np.diff(matrix.indptr))
        total = self.epochs * -(-len(people) // self.batch)
        done = 0
        for _ in range(self.epochs):
            order = random.permutation(people)
            for n in range(0, len(order), self.batch):
                wanted = matrix[np.sort(order[n : n + self.batch])]
                noise = random.standard_normal((wanted.shape[0], self.latent), np.float32)
                given = self._dropped(wanted, random)
                slopes = loss_and_slopes(weights, given, wanted, noise, self.beta * done / total)[1]
                done += 1
                adam(weights, first, second, slopes, self.step, done)
        return weights

    def _dropped(self, wanted: Any, random: np.random.Generator) -> Any:
        """The input of a step. Kept items count more, as much as there is less of them on average."""
        given = _scaled(wanted)
        given.data *= (random.random(len(given.data)) >= self.dropout) / np.float32(1 - self.dropout)
        return given

    def memory_needed(self, people: int, items: int) -> int:
        """Weights, both moments, slopes and what Adam works with; two dense batches."""
        weights = 2 * items * self.hidden + 3 * self.hidden * self.latent
        return (6 * weights + 3 * min(self.batch, people) * items) * 4


def start(items: int, hidden: int, latent: int, random: np.random.Generator) -> Weights:
    """The weights before any training."""
    weights: Weights = []
    for inputs, outputs in ((items, hidden), (hidden, 2 * latent), (latent, hidden), (hidden, items)):
        bound = np.sqrt(6 / (inputs + outputs))
        weights.append(random.uniform(-bound, bound, (inputs, outputs)).astype(np.float32))
        weights.append(np.zeros(outputs, np.float32))
    return weights


def scores(weights: Weights, given: Any) -> Floats:
    """s of people with the input `given` [people, items], a sparse matrix."""
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    code = (np.tanh(given @ w1 + b1) @ w2 + b2)[:, : len(w3)]
    found: Floats = np.tanh(code @ w3 + b3) @ w4 + b4
    return found


def loss_and_slopes(
    weights: Weights, given: Any, wanted: Any, noise: NDArray[Any], beta: float
) -> tuple[float, Weights]:
    """The loss of a batch, and its slopes.

    `given` and `wanted` are sparse [people, items]: the input, and zeros and ones. `noise` is ε.
    """
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    people, latent = noise.shape
    before = np.tanh(given @ w1 + b1)
    both = before @ w2 + b2
    mean, logarithm = both[:, :latent], both[:, latent:]
    deviation = np.exp(logarithm / 2)
    code = mean + deviation * noise
    behind = np.tanh(code @ w3 + b3)
    share = behind @ w4 + b4
    share -= share.max(axis=1, keepdims=True)
    likely = wanted.multiply(share).sum()
    np.exp(share, out=share)
    sums = share.sum(axis=1, keepdims=True)
    own = np.asarray(wanted.sum(axis=1)).reshape(-1, 1)
    distance = (mean**2 + deviation**2 - 1 - logarithm).sum() / 2
    loss = float((own * np.log(sums)).sum() - likely + beta * distance) / people

    # Backwards. The slope by s is own · softmax(s) − wanted.
    share *= own / sums / people
    rows = np.repeat(np.arange(people), np.diff(wanted.indptr))
    share[rows, wanted.indices] -= wanted.data / people
    at_behind = (share @ w4.T) * (1 - behind**2)
    at_code = at_behind @ w3.T
    scale = beta / people
    at_both = np.concatenate(
        [at_code + scale * mean, at_code * noise * deviation / 2 + scale * (deviation**2 - 1) / 2], axis=1
    )
    at_before = (at_both @ w2.T) * (1 - before**2)
    layers = (given, at_before), (before, at_both), (code, at_behind), (behind, share)
    return loss, [slope for x, out in layers for slope in (x.T @ out, out.sum(axis=0))]


def adam(
    weights: Weights, first: Weights, second: Weights, slopes: Weights, step: float, number: int
) -> None:
    """Step `number` of Adam, from 1; weights and moments change."""
    rate = np.float32(step * np.sqrt(1 - SECOND**number) / (1 - FIRST**number))
    small = np.float32(TINY * np.sqrt(1 - SECOND**number))
    for w, m, v, g in zip(weights, first, second, slopes, strict=True):
        m += np.float32(1 - FIRST) * (g - m)
        np.multiply(g, g, out=g)
        v += np.float32(1 - SECOND) * (g - v)
        np.sqrt(v, out=g)
        g += small
        np.divide(m, g, out=g)
        g *= rate
        w -= g


def _scaled(matrix: Any) -> Any:
    """Every row of zeros and ones, divided by its length."""
    found = matrix.copy()
    lengths = np.maximum(np.diff(found.indptr), 1).astype(np.float32)
    found.data /= np.repeat(np.sqrt(lengths), np.diff(found.indptr))
    return found
