"""Every merge rule passes the checks, and the checks find what is wrong with one."""

from typing import NamedTuple

import pytest

from sottovoce import registry
from sottovoce.extend import component, merged_age, weight
from sottovoce.testing import check_merge_rule


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", registry.names("merge"))
def test_every_rule_passes(name):
    check_merge_rule(registry.build("merge", name, {}, "merge"))


@component("merge", "too-much", needs="clock")
class TooMuch(NamedTuple):
    """Takes more than all of it."""


@weight.rule(TooMuch)
def _too_much(rule, mine, theirs):
    return 1.5


@component("merge", "older", needs="row_age")
class Older(NamedTuple):
    """Makes rows older than both together."""


@weight.rule(Older)
def _half(rule, mine, theirs):
    return 0.5


@merged_age.rule(Older)
def _older(rule, mine, theirs):
    return mine + theirs + 1


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("rule", "said"), [(TooMuch(), "not a share"), (Older(), "merged_age")])
def test_faults_are_found(rule, said):
    with pytest.raises(AssertionError, match=said):
        check_merge_rule(rule)
