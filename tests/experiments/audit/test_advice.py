"""What to do about a leak."""

import pytest

from sottovoce.experiments.audit.advice import advice, otherwise, personal


def figure(value, guessing=0.05, another=None):
    low = max(0.0, value - 0.02)
    return {"value": value, "low": low, "high": value, "guessing": guessing, "another": another, "people": 9}


def items(observer, value, **more):
    recall = figure(value, **more)
    return {"attack": "items", "observer": observer, "way": "side", "recall": recall, "precision": recall}


def announced(value):
    auc = figure(value, guessing=0.5)
    return {"attack": "announced", "observer": "masked", "way": "length", "auc": auc}


def test_what_everybody_has_is_not_personal():
    assert personal(figure(0.5))
    assert not personal(figure(0.5, another=0.5))
    assert not personal(figure(0.06))
    assert otherwise(figure(0.5, another=0.4)) == 0.4


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (items("server", 0.9), "The server can tell what single people did."),
        (items("neighbour", 0.3), "network.peers"),
        (items("participants", 0.3), "protocol.participants"),
        (items("key", 1.0), "shared key"),
        (items("decrypting", 0.3), "no row is withheld"),
        (announced(0.7), "not masked well"),
        (announced(0.51), "No attack found more about a person"),
        (items("server", 0.05), "No attack found more about a person"),
    ],
)
def test_each_observer_has_a_remedy(entry, said):
    (told,) = advice([entry])
    assert said in told


def test_a_broken_promise():
    entry = {"attack": "canaries", "observer": "steps", "way": "trials", "epsilon": 5.0, "claimed": 1.0}
    assert "does not keep its promise" in advice([entry])[0]
    assert "No attack" in advice([entry | {"epsilon": 0.5}])[0]
