"""`personalized` views take the senders of the best models, and explore (Algorithm 3, Belal et al. 2022)."""

import numpy as np
import pytest

from sottovoce.peers.interface import meet, period, remembers, renew
from sottovoce.peers.personalized import Personalized
from sottovoce.timing import synchronous
from tests.peers.talking import check_growing_views, crowd, talk, talk_plainly, valid


@pytest.mark.parametrize("others", ["shuffled", "everybody"])
@pytest.mark.parametrize(("exploration", "best"), [(0.0, 4), (0.4, 2), (0.5, 2), (1.0, 0)])
def test_views_take_the_best_and_explore(others, exploration, best):
    peers = Personalized(view=4, exploration=exploration, others=others, remember=6)
    crowded = crowd(40, remembered=6)
    views = meet(peers, synchronous(40), 1)
    crowded[:, :5] = (np.arange(40)[:, None] + np.arange(1, 6)) % 40
    before = views.neighbours.copy()
    renew(peers, views, crowded, synchronous(40), 1, 10)
    valid(views.neighbours)
    assert (views.neighbours >= 0).all()
    np.testing.assert_array_equal(views.neighbours[:, :best], crowded[:, :best])
    if best < 4:
        assert (views.neighbours[:, best:] != before[:, best:]).any()
    assert (crowded[:, 0] >= 0).all()
    renew(peers._replace(forget=True), views, crowded, synchronous(40), 1, 20)
    assert (crowded < 0).all()


def test_who_remembers_nobody_explores():
    peers = Personalized(view=3, exploration=0.0)
    views = meet(peers, synchronous(30), 1)
    renew(peers, views, crowd(30, 5), synchronous(30), 1, 10)
    valid(views.neighbours)
    assert (views.neighbours >= 0).all()


def test_views_grow_with_upload():
    check_growing_views(Personalized(view=3, cache=12, by_upload=True))


def test_settings_say_when_views_change_and_what_is_remembered():
    assert (period(Personalized(refresh=7)), remembers(Personalized(remember=9))) == (7, 9)


def test_plain_selection_equals_compiled():
    chosen, views = talk(Personalized(), 12, 2, 3)
    np.testing.assert_array_equal(talk_plainly(Personalized(), views, 12, 2, 3), chosen)
