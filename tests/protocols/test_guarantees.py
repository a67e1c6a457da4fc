"""What would undo a guarantee is refused, with the reason."""

from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.dataset_size import DatasetSize
from sottovoce.combine.linear import Linear
from sottovoce.combine.model_age import ModelAge
from sottovoce.combine.performance import Performance
from sottovoce.combine.sums.central import Central
from sottovoce.combine.sums.plain import Plain
from sottovoce.combine.sums.secure import Secure
from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.discrete_gaussian import DiscreteGaussianShare
from sottovoce.exchange.steps.gaussian import Gaussian
from sottovoce.exchange.steps.skellam import SkellamShare
from sottovoce.models.mf import MF
from sottovoce.peers.personalized import Personalized
from sottovoce.peers.uniform import Uniform
from sottovoce.privacy.guarantee import calibrated, summed_at_least
from sottovoce.protocols.central import Central as CentralTraining
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.fedfast import FedFast
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.guarantees import check
from tests.networks import ratings, simulate

LOCAL = Gaussian(noise=20.0)
CENTRAL = Central(noise=10.0)
SHARES = [step(noise=10.0, survivors=20) for step in (SkellamShare, DiscreteGaussianShare)]


FINE = SkellamShare(length=0.01, noise=10.0, survivors=20, places=22)


class Masked(NamedTuple):
    """A sum that nobody sees into, of two thirds of a group at least."""


@summed_at_least.rule(Masked)
def _summed_at_least(sum, group):
    return 2 * group // 3 + 1


@pytest.mark.parametrize("merge", [Linear(), ModelAge()])
def test_ages_and_clocks_only_count_trainings(merge):
    assert check(Gossip(), merge, Uniform(), [LOCAL]).trust == "local"


@pytest.mark.parametrize("share", SHARES)
def test_groups_without_a_server_hide_shares_of_noise(share):
    """22 people, of whom one may drop out, and one more is who reads the sum."""
    assert check(Consensus(group=22, spare=1), MFFedAvg(), Uniform(), [share]).trust == "distributed"
    assert check(Consensus(), MFFedAvg(), Uniform(), [share], None, 900).survivors == 20


@pytest.mark.parametrize("rule", [MFFedAvg(), Change(), Simple()])
def test_what_a_server_does_with_noisy_updates_is_its_own_affair(rule):
    assert check(Federated(selection="useful"), rule, None, [Clip(), LOCAL], Plain(), 900).trust == "local"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((Gossip(), DatasetSize(), Uniform(), [LOCAL]), "how much data people have"),
        ((Gossip(), Performance(), Uniform(), [LOCAL]), "depends on the receiver's private items"),
        ((Gossip(), Linear(), Personalized(), [LOCAL]), "chosen by how good"),
        ((FedFast(), Simple(), None, [LOCAL]), "people's vectors"),
        ((CentralTraining(), Simple(), None, [LOCAL]), "all data in one place"),
        ((Federated(), Simple(), None, [LOCAL], CENTRAL), "Two components"),
        ((Federated(), Simple(), None, [LOCAL, Clip()]), "after the one that adds noise"),
        ((Federated(), MFFedAvg(), None, [], CENTRAL), "both are data"),
        ((Federated(selection="useful"), Simple(), None, [], CENTRAL), "before noise was added"),
        ((Federated(), Simple(), None, [LOCAL], Plain(), 10**6), r"not below 1 / 1,000,000.*delta = 1e-07"),
        ((Gossip(), Linear(), Uniform(), SHARES[:1]), "does not hide its owner"),
        ((Federated(), Simple(), None, SHARES[1:], Plain(), 900), "does not hide its owner"),
        ((Federated(participants=20), Simple(), None, SHARES[:1], Masked(), 900), "may be of 14 people"),
        ((Consensus(group=1), MFFedAvg(), Uniform(), SHARES[:1]), "does not hide its owner"),
        ((Consensus(group=21, spare=1), MFFedAvg(), Uniform(), SHARES[:1]), r"be of 20 people.*group = 22"),
        ((Consensus(), MFFedAvg(), Uniform(), SHARES[1:], None, 21), "survivors = 19"),
        ((Consensus(modulus=16), MFFedAvg(), Uniform(), SHARES[:1]), "too many for 16 bits"),
        ((Consensus(modulus=64), MFFedAvg(), Uniform(), [FINE]), "keep 20"),
    ],
)
def test_refusals(parts, why):
    with pytest.raises(RecipeError, match=why):
        check(*parts)


@pytest.mark.parametrize("step", SHARES)
def test_shares_are_fine_in_sums_that_nobody_sees_into(step):
    promise = check(Federated(participants=60), Simple(), None, [step], Masked(), 900)
    assert promise.trust == "distributed"
    assert promise.noise == pytest.approx(10.0, rel=1e-3)
    assert promise.spent(calibrated(step).disclosures) <= promise.epsilon


def test_without_noise_nothing_is_promised():
    assert check(Gossip(), DatasetSize(), Uniform(), [Clip()], Plain(), 10) is None


def test_a_federation_with_shares_of_noise_under_masks_runs_and_counts():
    """Twenty people, of whom at least eighteen are in every sum; four aggregations are all they disclose."""
    rng = np.random.default_rng(3)
    values = rng.integers(1, 6, (20, 9)) * (rng.random((20, 9)) < 0.5)
    values[:, 0] = 3
    step = SkellamShare(length=0.5, epsilon=8.0, delta=1e-3, disclosures=4, survivors=18, places=12)
    given = {"protocol": Federated(), "merge": Simple(), "steps": [step]}
    coarse = Secure(smallest=18, row_places=8, head_places=8)
    for wrong, problem in ((Secure(smallest=17), "may be of 17 people"), (coarse, "keeps 8")):
        with pytest.raises(RecipeError, match=problem):
            simulate(MF(factors=3), ratings(values.tolist()), sum=wrong, **given)
    s = simulate(MF(factors=3), ratings(values.tolist()), sum=Secure(smallest=18), **given)
    before = s.tables.rows.copy()
    s.advance(6)
    assert s.people.disclosed.tolist() == [4] * 20
    assert (s.tables.rows != before).all()
    assert np.isfinite(s.tables.rows).all()


@pytest.mark.parametrize("protocol", [Gossip(), CentralTraining()])
def test_noise_of_a_sum_needs_a_server(protocol):
    with pytest.raises(RecipeError):
        check(protocol, Linear(), Uniform(), [], CENTRAL, 900)


def test_rules_that_weigh_people_by_their_data_are_refused_under_central_noise():
    with pytest.raises(RecipeError, match="both are data"):
        check(Federated(), FedAvg(), None, [], CENTRAL, 900)
    assert check(Federated(), Simple(), None, [], CENTRAL, 900) is not None
