"""Appendix C of Perifanis and Efraimidis (2022): each attack where it fails, and where it succeeds."""

import pytest

from sottovoce.experiments.reproduce.papers.fedncf_appendix_c import attack

ALL, NOTHING = {"found": 1.0, "rightly": 1.0}, {"found": 0.0, "rightly": 0.0}


@pytest.mark.parametrize("name", ["encrypted guesses", "but one"])
def test_the_server_alone_reads_nothing(name):
    assert attack(1, attack=name) == NOTHING
    assert attack(1, attack=name, helped=True) == ALL


def test_one_participants_key_opens_everything():
    assert attack(1, attack="secret key") == ALL


def test_messages_are_as_long_whatever_a_person_did():
    assert attack(1, attack="lengths") == {"longer": 0.0}


def test_a_row_of_one_person_is_shown_to_the_next_participants():
    assert attack(1, attack="rare rows") == {"rows of one person shown": 1.0}


def test_a_forged_roster_gives_the_secret_key_away():
    assert attack(1, attack="roster") == {"secret key read": 0.0, "fingerprint differs": 1.0}
    assert attack(1, attack="roster", helped=True) == {"secret key read": 1.0, "fingerprint differs": 1.0}
