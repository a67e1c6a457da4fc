"""Numbers and lists in sentences."""

from collections.abc import Sequence

_MANY = {"person": "people", "entry": "entries"}


def count(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural.

    >>> count(1, "node"), count(28_290, "message"), count(2, "person")
    ('1 node', '28,290 messages', '2 people')
    """
    return f"{number:,} {noun if number == 1 else _MANY.get(noun, f'{noun}s')}"


def listed(names: Sequence[str], most: int = 10, between: str = ", ") -> str:
    """Names separated by `between`. After the first `most` names, only the number of the others.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 other'
    """
    shown, more = between.join(names[:most]), len(names) - most
    return f"{shown} and {count(more, 'other')}" if more > 0 else shown
