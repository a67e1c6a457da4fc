"""The server of MF-HEAvg: adds ciphertexts that it cannot read. Bytes in, bytes out; no clock, no network.

In order: `take_key` and `start` once; then in each round `open_round` with who is chosen, `invitation` for
everybody alike, `receive` for whatever they send, and `close_round`. Who is late counts as dropped out. From
the second round on one of those chosen, the `keeper`, has to send the reference too; if it drops out
(`drop`), the next one is asked.
"""

from collections.abc import Sequence
from typing import Any

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters
from sottovoce.exchange.homomorphic.letters import CONTRIBUTION, REFERENCE, SERVER, Letter
from sottovoce.exchange.homomorphic.plan import Model, Part, Plan
from sottovoce.exchange.homomorphic.scheme import Adder, Scheme


class Server:
    """What is known without the secret key."""

    def __init__(self, plan: Plan, scheme: Scheme) -> None:
        plan.check(scheme)
        self._plan, self._scheme = plan, scheme
        self._agreed = letters.settings(plan, scheme)
        self._adder: Adder | None = None
        self._base: tuple[bytes, ...] = ()
        self._sums: tuple[bytes, ...] = ()
        self._waiting: list[int] = []
        self._keepers: list[int] = []
        self._open = False
        self._added: list[Any] = []
        self._reference: tuple[bytes, ...] = ()
        self.round = 0
        self.contributors = 0

    def take_key(self, data: bytes) -> None:
        """Read the public key that a participant made."""
        letter = letters.decode(data, letters.PUBLIC_KEY, self._agreed, [self._scheme.longest_keys()])
        if self._adder is not None:
            raise MessageError("The server has a public key already.", "Make a new server for new keys.")
        self._adder = self._scheme.adder(letter.parts[0])

    def start(self, model: Model) -> None:
        """Encrypt the initial model, which everybody may know."""
        adder, vectors = self._key(), zip((model.rows.ravel(), model.head), self._plan.base, strict=True)
        self._base = tuple(adder.seal(vector, part.fixed) for vector, part in vectors)

    def _key(self) -> Adder:
        if self._adder is None:
            raise MessageError("The server has no public key yet.", "Let a participant make keys first.")
        return self._adder

    @property
    def keeper(self) -> int | None:
        """Who has to send the reference; nobody in the first round, or once it is there."""
        missing = self._open and self._sums and not self._reference
        return self._keepers[0] if missing and self._keepers else None

    def open_round(self, chosen: Sequence[int]) -> None:
        """Begin a round with these participants."""
        if not self._base or self._open:
            raise MessageError("A round cannot begin now.", "Start with a model, and close the round before.")
        if not self._plan.fewest <= len(set(chosen)) == len(chosen) <= self._plan.clients:
            raise MessageError(
                f"{len(chosen)} participants were chosen, and {self._plan.fewest} to {self._plan.clients} "
                "different ones can be.",
                "Choose as many as the plan says, each once.",
            )
        self.round += 1
        self.contributors, self._added, self._reference, self._open = 0, [], (), True
        self._waiting, self._keepers = list(chosen), list(chosen)

    def invitation(self) -> bytes:
        """What everybody chosen needs: the base, and the sums of the round before."""
        self._require_open()
        letter = Letter(letters.INVITATION, self.round, SERVER, (*self._base, *self._sums))
        return letters.encode(letter, self._agreed)

    def receive(self, number: int, data: bytes) -> None:
        """Take what participant `number` sent: a contribution, which is added, or the reference."""
        self._require_open()
        is_reference = data[5:6] == bytes([REFERENCE])
        kind, parts = (REFERENCE, self._plan.base) if is_reference else (CONTRIBUTION, self._plan.sums)
        letter = letters.decode(data, kind, self._agreed, letters.limits(parts, self._scheme))
        if (letter.sender, letter.round) != (number, self.round):
            raise MessageError(
                f"Participant {number} sent a message of participant {letter.sender} for round "
                f"{letter.round}, and this is round {self.round}.",
                "Send one's own message, for this round.",
            )
        if is_reference:
            self._keep(number, letter.parts)
        else:
            self._add(number, letter.parts)

    def _parse(self, data: Sequence[bytes], parts: Sequence[Part]) -> list[Any]:
        adder = self._key()
        return [adder.parse(one, part.numbers, part.fixed) for one, part in zip(data, parts, strict=True)]

    def _keep(self, number: int, data: tuple[bytes, ...]) -> None:
        if number != self.keeper:
            raise MessageError(
                f"Participant {number} sent a reference that it was not asked for.",
                "Only the keeper of the round sends one.",
            )
        self._parse(data, self._plan.base)
        self._reference = data

    def _add(self, number: int, data: tuple[bytes, ...]) -> None:
        if number not in self._waiting:
            raise MessageError(
                f"No contribution of participant {number} is awaited in this round.",
                "Only those who are chosen contribute, and once.",
            )
        # Everything is checked before anything is added: a bad vector must not leave half a contribution.
        vectors = self._parse(data, self._plan.sums)
        adder = self._key()
        pairs = zip(self._added, vectors, strict=True)
        self._added = [adder.add(one, other) for one, other in pairs] if self._added else vectors
        self._waiting.remove(number)
        self.contributors += 1

    def drop(self, number: int) -> None:
        """Wait no longer for a participant, neither for a contribution nor for the reference."""
        self._require_open()
        for waiting in (self._waiting, self._keepers):
            if number in waiting:
                waiting.remove(number)

    def close_round(self) -> None:
        """End the round: its sums, over the model that it trained, are what the next one begins with."""
        self._require_open()
        if self.contributors < self._plan.fewest:
            raise MessageError(
                f"{self.contributors} participants contributed, and {self._plan.fewest} is the fewest.",
                "Wait for more, or cancel the round.",
            )
        if self._sums and not self._reference:
            asked = (
                "everybody has dropped out" if self.keeper is None else f"participant {self.keeper} is asked"
            )
            raise MessageError(f"The reference is missing; {asked}.", "Wait for it, or cancel the round.")
        adder = self._key()
        self._sums = tuple(adder.write(vector) for vector in self._added)
        self._base = self._reference or self._base
        self._open = False

    def cancel_round(self) -> None:
        """End the round without any effect; the next one begins with what this one began with."""
        self._require_open()
        self._open = False

    def _require_open(self) -> None:
        if not self._open:
            raise MessageError("No round is open.", "Open a round first.")
