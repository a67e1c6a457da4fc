"""One participant of MF-HEAvg: bytes in, bytes out; no clock, no network.

In order: one participant (`spread.maker`) makes keys (`make_keys`), and encrypts the secret one to each other
(`wrapped_key`), who reads it (`accept`). In each round a participant that is chosen reads the invitation
(`join`, which gives the model), trains, and encrypts what changed (`contribute`). One of them also encrypts
the model that it decrypted and averaged (`reference`), so that rows which nobody changes are kept.
"""

from collections.abc import Mapping

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters, spread
from sottovoce.exchange.homomorphic.letters import Letter
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from sottovoce.exchange.homomorphic.scheme import Holder, Numbers, Scheme
from sottovoce.exchange.homomorphic.spread import Identity


class Participant:
    """A holder of the secret key."""

    def __init__(
        self, number: int, me: Identity, roster: Mapping[int, bytes], plan: Plan, scheme: Scheme
    ) -> None:
        plan.check(scheme)
        if roster.get(number) != me.public:
            raise MessageError(
                f"The roster does not hold the public key of participant {number}.",
                "Ask for a roster that names this participant with its own key.",
            )
        self.number, self._me, self._roster = number, me, dict(roster)
        self._plan, self._scheme = plan, scheme
        self._agreed = letters.settings(plan, scheme)
        self._keys: Holder | None = None
        self._model: Model | None = None
        self._round = 0
        self.changed = False
        """Whether the last contribution did not fit the limits, and was clipped or became zeros."""

    @property
    def keys(self) -> Holder:
        """Its keys; refuses before it has any."""
        if self._keys is None:
            raise MessageError(
                f"Participant {self.number} has no keys yet.",
                "Let it make them, or accept them from another.",
            )
        return self._keys

    def _letter(self, kind: int, number: int, *parts: bytes) -> bytes:
        return letters.encode(Letter(kind, number, self.number, parts), self._agreed)

    def make_keys(self) -> bytes:
        """Make keys for everybody; returns the letter with the public key, for the server."""
        self._require_no_keys()
        self._keys = self._scheme.make()
        return self._letter(letters.PUBLIC_KEY, 0, self._keys.public)

    def wrapped_key(self, to: int) -> bytes:
        """The secret key, encrypted to another participant; the server can carry it."""
        sealed = spread.wrap(self.keys.secret, self._me, self.number, to, self._roster)
        return self._letter(letters.WRAPPED_KEY, 0, sealed)

    def accept(self, data: bytes) -> None:
        """Take over the secret key that another participant encrypted to this one."""
        self._require_no_keys()
        longest = [self._scheme.longest_keys() + spread.OVERHEAD]
        letter = letters.decode(data, letters.WRAPPED_KEY, self._agreed, longest)
        secret = spread.unwrap(letter.parts[0], self._me, self.number, letter.sender, self._roster)
        self._keys = self._scheme.holder(secret)

    def _require_no_keys(self) -> None:
        if self._keys is not None:
            raise MessageError(
                f"Participant {self.number} has keys already.", "Make a new participant for new keys."
            )

    def join(self, invitation: bytes) -> Model:
        """Decrypt the base and the last round's sums, and average: the model to be trained."""
        plan, keys = self._plan, self.keys
        longest = letters.limits((*plan.base, *plan.sums), self._scheme)
        letter = letters.decode(invitation, letters.INVITATION, self._agreed, longest, len(plan.base))
        if letter.sender != letters.SERVER or letter.round <= self._round:
            raise MessageError(
                f"An invitation is to round {letter.round}, and this participant was in round {self._round}.",
                "The server must count rounds upwards, and invite to each once.",
            )
        parts = (*plan.base, *plan.sums)[: len(letter.parts)]
        opened: list[Numbers] = [
            keys.open(data, part.numbers, part.fixed) for data, part in zip(letter.parts, parts, strict=True)
        ]
        model = plan.model((opened[0], opened[1]))
        if len(opened) > len(plan.base):
            model = plan.average(model, (opened[2], opened[3], opened[4], opened[5]), self._scheme)
        self._model, self._round = model, letter.round
        return Model(model.rows.copy(), model.head.copy())

    def contribute(self, change: Change) -> bytes:
        """Encrypt what training the model of this round changed.

        Numbers that do not fit the limits are made to (`Plan.fitted`), and `changed` says so to the person
        here alone: whether a participant answers must not depend on its data.
        """
        self._require_model()
        fitted = self._plan.fitted(change)
        self.changed = fitted is not change
        keys, vectors = self.keys, self._plan.vectors(fitted)
        parts = zip(vectors, self._plan.sums, strict=True)
        sealed = [keys.seal(vector, part.fixed) for vector, part in parts]
        return self._letter(letters.CONTRIBUTION, self._round, *sealed)

    def reference(self) -> bytes:
        """Encrypt the model of this round anew, for those who come after it."""
        model = self._require_model()
        vectors = zip((model.rows.ravel(), model.head), self._plan.base, strict=True)
        sealed = [self.keys.seal(vector, part.fixed) for vector, part in vectors]
        return self._letter(letters.REFERENCE, self._round, *sealed)

    def _require_model(self) -> Model:
        if self._model is None:
            raise MessageError(
                f"Participant {self.number} has not joined a round yet.", "Give it an invitation first."
            )
        return self._model
