"""Nobody attacks."""

from typing import NamedTuple

from sottovoce.registry import component


@component("attack", "none")
class Nobody(NamedTuple):
    """Everybody is honest."""
