"""Requests that no client sends on purpose: any API, any field, partitions named twice."""

from random import Random

from minikafka.common.ids import ZERO_UUID, Uuid
from tests.worlds.message_samples import ANYTHING, Case, Sampler, all_specs
from tests.worlds.sim_world import batch

_NAMES = (
    "t",
    "t",
    "t",
    "t",
    "t",
    "t",
    "u",
    "",
    "g",
    "1",
    "unknown",
    "__consumer_offsets",
    "x" * 260,
)
_NUMBERS = (0, 0, 0, 1, 1, 2, -1, -2, 7, 100)
_TIMES_MS = (0, 50, 300, 300, -1)
_FEW = ("NumPartitions", "ReplicationFactor", "Count", "SessionEpoch")
_REPEATED = 3
"""One list in so many has an element twice."""


class OddSampler(Sampler):
    """Draws fields from what a small cluster knows, mixed with what does not exist."""

    def __init__(self, case: Case, rng: Random, topic_ids: list[Uuid]) -> None:
        super().__init__(case, rng, ANYTHING)
        self.topic_ids = topic_ids

    def of_type(self, field, kind, depth):
        rng = self.rng
        if kind.element is not None:
            count = rng.choice((0, 1, 1, 2, 3) if depth else (0, 1, 1, 1, 2))
            made = [self.of_type(field, kind.element, depth + 1) for _ in range(count)]
            if made and not rng.randrange(_REPEATED):
                made.append(made[0])
            return made
        match kind.kind:
            case "string":
                return rng.choice(_NAMES)
            case "uuid":
                drawn = Uuid.of(rng.getrandbits(63), rng.getrandbits(63))
                return rng.choice((*self.topic_ids, *self.topic_ids, ZERO_UUID, drawn))
            case "records":
                return rng.choice((b"", b"r" * 100, batch(b"v"), batch(b"v", b"w"), batch(b"v")))
            case "bytes":
                return rng.choice((b"", b"\0\xff", batch(b"v")))
        return super().of_type(field, kind, depth)

    def integer(self, field, kind):
        rng = self.rng
        if field.name.endswith("Ms"):
            return rng.choice(_TIMES_MS)
        if field.name == "Acks":
            return rng.choice((-1, -1, 1, 2))
        if type(field.default) is int and rng.randrange(2):
            # The description of a field makes a request that gets further.
            return field.default
        if kind[0] == "u":
            return rng.choice((0, 1, 9092))
        if field.name in _FEW or rng.randrange(8):
            return rng.choice(_NUMBERS)
        return super().integer(field, kind)


def request_spec(api_key: int):
    """The schema of an API's request."""
    return next(
        spec for spec in all_specs() if spec.api_key == api_key and spec.name.endswith("Request")
    )


def odd_request(api_key: int, version: int, rng: Random, topic_ids: list[Uuid]):
    """A request that can be encoded; its values need not make sense."""
    spec = request_spec(api_key)
    return OddSampler(Case(spec, version), rng, topic_ids).struct(spec.root, depth=0)
