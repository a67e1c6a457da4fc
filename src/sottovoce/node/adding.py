"""Whoever adds in a session of two masked sums: a server, or a member of the group. It sees sums alone."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.server import Event, Failed, Send, Summed
from sottovoce.exchange.secure.two_sums import TwoSumsServer

Result = TypeVar("Result")


class Adding(Generic[Result]):
    """`receive` what participants send, or `timeout`; both say what to send, and to whom."""

    _session: TwoSumsServer[Result] | None = None
    failed: Failed | None = None
    """Why the last round gave no sums; nothing has moved then."""

    @property
    def busy(self) -> bool:
        """Whether a session is under way."""
        return self._session is not None

    def receive(self, data: bytes) -> list[Send]:
        """Take a message of a participant; what to send, and to whom."""
        return self._next(self._open().receive(data))

    def timeout(self) -> list[Send]:
        """Wait no longer for those who have not answered."""
        return self._next(self._open().timeout())

    def _begin(self, session: TwoSumsServer[Result]) -> None:
        """Begin a session. One that is under way is given up."""
        self._session, self.failed = session, None

    def _open(self) -> TwoSumsServer[Result]:
        if self._session is None:
            raise MessageError("No round is under way.", "Begin one.")
        return self._session

    def _next(self, events: Sequence[Event | Result]) -> list[Send]:
        group = self._open().group
        for event in events:
            if isinstance(event, Failed):
                self._session, self.failed = None, event
            elif not isinstance(event, Send | Summed):
                self._session = None
                self._take(event, group)
        return [event for event in events if isinstance(event, Send)]

    def _take(self, found: Result, group: Group) -> None:
        """Use the sums of a group."""


def check_agreed(group: Group, threshold: int) -> None:
    """Refuse a group that does not make two sums with this threshold."""
    if group.threshold != threshold or group.sums != 2:
        people = len(group)
        raise MessageError(
            f"A group of {people} has the threshold {group.threshold} and {group.sums} sums, and in this "
            f"community {threshold} must stay to the end of 2 sums.",
            f"Make the group with threshold={threshold} and sums=2.",
        )
