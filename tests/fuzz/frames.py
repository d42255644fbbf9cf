"""Request frames for the fuzzer: requests with odd fields, then bytes that are changed."""

from typing import NamedTuple

from minikafka.common.ids import Uuid
from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import MAX_REQUEST_ELEMENTS, decode_request, encode_request
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER
from tests.fuzz.odd_batches import changed_batch, odd_batch
from tests.fuzz.sane_fields import SANE
from tests.worlds.message_samples import Case, Sampler
from tests.worlds.odd_requests import OddSampler, request_spec
from tests.worlds.sim_world import BY_NAME, produce_request

SERVED = [
    (role, key, version)
    for role, apis in MODULES.items()
    for key, (_, low, high) in apis.items()
    for version in range(low, high + 1)
]
"""Each role, API and version that is advertised."""

OFTEN = [
    (BROKER, key, MODULES[BROKER][key][2] - behind)
    for key in (
        ApiKey.PRODUCE, ApiKey.PRODUCE, ApiKey.PRODUCE, ApiKey.PRODUCE, ApiKey.FETCH,
        ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP,
        ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP, ApiKey.DELETE_RECORDS, ApiKey.INIT_PRODUCER_ID,
    )
    for behind in (0, 1, 2)
]  # fmt: skip
"""APIs that change or keep the most state are drawn more often."""

MAX_LEARNED = 20
_MAX_DEPTH = 3
_LONGEST_NAME = 200
_MANY = 60
_VERY_MANY = 1_000
_TOO_MANY = MAX_REQUEST_ELEMENTS + 20_000
_EXTREMES = (
    b"\0", b"\1", b"\x7f", b"\x80", b"\xff", b"\0\0", b"\xff\xff", b"\x7f\xff", b"\0\0\0\0",
    b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\xff\xff", bytes(8),
    b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\x80" + bytes(7), b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\x07", b"\x80\x80\x80\x80\x80\x80",
)  # fmt: skip
_HEADER_BYTES = 8
_UNKNOWN = object()
_INDEXES = ("Index", "Partition", "PartitionIndex")
_LONG_MS = (60_000, 2**31 - 1, 2**63 - 1)


class Frame(NamedTuple):
    """One request as bytes, its size in front. `version` is what its bytes say, if they do."""

    key: int
    version: int
    number: int
    data: bytes

    def __str__(self):
        name = ApiKey(self.key).name if self.key in APIS else str(self.key)
        return f"{name} v{self.version} {self.data[:300].hex()}"


class Learned:
    """Values of answers, by field: requests that name them get further."""

    def __init__(self):
        self.values = {}

    def add(self, name, value):
        known = self.values.setdefault(name, {})
        known[value] = None
        if len(known) > MAX_LEARNED:
            del known[next(iter(known))]

    def forget(self, *values):
        for known in self.values.values():
            for value in values:
                known.pop(value, None)

    def of(self, name):
        return list(self.values.get(name, ()))

    def read(self, message, depth=0):
        """Keep the numbers, names and ids of a response."""
        for name in type(message).__slots__:
            value = getattr(message, name)
            if type(value) is list:
                if depth < _MAX_DEPTH:
                    for each in value[:3]:
                        if is_struct(each):
                            self.read(each, depth + 1)
            elif _is_worth_learning(name, value):
                self.add(name, value)


def is_struct(value):
    """True for a part of a message that has fields."""
    return "unknown_tagged_fields" in getattr(type(value), "__slots__", ())


def _is_worth_learning(name, value):
    if type(value) is int:
        return value > 0 and not name.endswith("error_code")
    if type(value) is str:
        return 0 < len(value) < _LONGEST_NAME and "message" not in name
    return isinstance(value, Uuid) and any(value)


class FrameSampler(OddSampler):
    """As `OddSampler`, with values that were learned, more repetitions and odd batches."""

    def __init__(self, case, maker):
        rng, rarity = maker.rng, maker.rarity
        super().__init__(case, rng, maker.topic_ids)
        self.learned = maker.learned
        self.names = maker.names
        self.many = _MANY if not rng.randrange(12) else 0
        self.many_outside = self.many
        one_in = 6 if self.spec.api_key == ApiKey.METADATA else 80
        if self.spec.api_key != ApiKey.PRODUCE and not rng.randrange(one_in * rarity):
            self.many_outside = rng.choice((_VERY_MANY, _VERY_MANY, _VERY_MANY, _TOO_MANY))
        self.sane = SANE.get(self.spec.api_key) if rng.randrange(3) else None

    def value(self, field, depth):
        rng = self.rng
        if self.sane is not None and rng.randrange(10):
            choices = self.sane.get(field.attribute, _UNKNOWN)
            if choices is None:
                count = rng.choice((1, 1, 1, 2))
                made = [self.of_type(field, field.type.element, depth + 1) for _ in range(count)]
                if not rng.randrange(4):
                    made += made[:1]
                return self._repeated(made, depth)
            if choices == ():
                return []
            if choices is not _UNKNOWN:
                return self._named(rng.choice(choices))
        return super().value(field, depth)

    def of_type(self, field, kind, depth):
        rng = self.rng
        if kind.element is not None:
            made = super().of_type(field, kind, depth)
            return self._repeated(made, depth)
        if kind.kind == "records":
            return odd_batch(rng, self.learned.of("producer_id"), sound=not rng.randrange(3))
        if kind.kind == "uuid" and self.topic_ids and rng.randrange(4):
            return rng.choice(self.topic_ids[-2:])
        if kind.kind in ("string", "uuid") and not rng.randrange(3):
            known = self.learned.of(field.attribute)
            if known:
                return rng.choice(known)
        return self._named(super().of_type(field, kind, depth))

    def _named(self, value):
        return self.names.get(value, value) if self.names and type(value) is str else value

    def _repeated(self, made, depth):
        """Elements as they are, or many times: only the outermost array has very many."""
        times = self.many_outside if depth == 0 else self.many if depth < 2 else 0
        if made and len(made) < times:
            return made * (times // len(made))
        return made

    def integer(self, field, kind):
        rng = self.rng
        if field.name in _INDEXES and rng.randrange(8):
            return rng.choice((0, 0, 1))
        if field.name.endswith("Ms") and not rng.randrange(4):
            bits = int(kind.lstrip("uint"))
            return rng.choice([value for value in _LONG_MS if value < 1 << bits - 1] or [0])
        if not rng.randrange(3):
            bits = int(kind.lstrip("uint"))
            known = [value for value in self.learned.of(field.attribute) if value < 1 << bits - 1]
            if known:
                return rng.choice(known)
        return super().integer(field, kind)

    def refresh(self, body):
        """Copy the bytes of a decoded request, and name topics of this cluster."""
        for message, field, _ in self._places(self.spec.root, body, 0):
            value = getattr(message, field.attribute)
            if isinstance(value, memoryview):
                setattr(message, field.attribute, bytes(value))
            elif isinstance(value, Uuid) and any(value) and self.rng.randrange(4):
                setattr(message, field.attribute, self.rng.choice(self.topic_ids[-2:]))

    def redraw(self, body):
        """Change one field of a request."""
        rng = self.rng
        places = list(self._places(self.spec.root, body, 0))
        if not places:
            return
        message, field, depth = rng.choice(places)
        value = getattr(message, field.attribute)
        kind = rng.randrange(3)
        if kind and value and field.type.element is not None:
            most = _MANY if self.spec.api_key == ApiKey.PRODUCE or depth else _VERY_MANY
            value = value + value[:1] if kind == 1 else (value * most)[:most]
        elif kind and value and field.type.kind == "records":
            value = changed_batch(rng, value)
        elif kind == 1 and field.type.kind.lstrip("u").startswith("int"):
            value = Sampler.integer(self, field, field.type.kind)
        else:
            value = self.value(field, depth)
        setattr(message, field.attribute, value)

    def _places(self, struct, message, depth):
        """Each field of a request: of long arrays only those of the first elements."""
        for field in struct.fields:
            if self.version not in field.versions:
                continue
            yield message, field, depth
            value = getattr(message, field.attribute)
            element = field.type.element
            if element is not None and element.is_struct:
                for each in (value or ())[:3]:
                    yield from self._places(self.spec.structs[element.struct], each, depth + 2)
            elif field.type.is_struct and value is not None:
                yield from self._places(self.spec.structs[field.type.struct], value, depth + 1)


class FrameMaker:
    """Makes frames for one cluster.

    Frames with very many elements are so many times as rare as `rarity` says: of megabytes each,
    they take most of the time. `names` has other names for groups and topics.
    """

    def __init__(self, rng, topic_ids, rarity=1):
        self.rng = rng
        self.rarity = rarity
        self.names = {}
        self.topic_ids = topic_ids
        self.learned = Learned()
        self._number = 0

    def frame(self, key, version, *, changed=False):
        """A frame of this API and version; with bytes of it changed if `changed`."""
        self._number += 1
        case = Case(request_spec(key), version)
        sampler = FrameSampler(case, self)
        body = sampler.struct(case.spec.root, depth=0)
        return self._encoded(key, version, body, changed)

    def changed(self, kept, *, changed=False):
        """A frame like `kept` with a few of its fields drawn again; also its bytes if `changed`."""
        rng = self.rng
        self._number += 1
        try:
            body = decode_request(memoryview(bytes(kept.data[4:])))[1]
        except (ValueError, MalformedMessage):
            # Nothing but its bytes can be changed.
            data = self._changed(bytearray(kept.data[4:]))
            return self._numbered(kept.key, kept.version, data)
        case = Case(request_spec(kept.key), kept.version)
        sampler = FrameSampler(case, self)
        sampler.refresh(body)
        for _ in range(rng.choice((1, 1, 2, 4))):
            sampler.redraw(body)
        return self._encoded(kept.key, kept.version, body, changed)

    def _encoded(self, key, version, body, changed):
        rng = self.rng
        client_id = rng.choice((None, "", "fuzz", "fuzz", "x" * 300))
        parts = encode_request(self._number, client_id, body, version)
        data = bytearray().join(bytes(part) for part in parts)[4:]
        if changed:
            data = self._changed(data)
        return self._numbered(key, version, data)

    def _numbered(self, key, version, data):
        # The size and the correlation id are right, so that answers can be matched.
        if len(data) >= _HEADER_BYTES:
            data[4:8] = self._number.to_bytes(4, "big")
            key = int.from_bytes(data[:2], "big", signed=True)
            version = int.from_bytes(data[2:4], "big", signed=True)
        return Frame(key, version, self._number, len(data).to_bytes(4, "big") + bytes(data))

    def produce(self):
        """A Produce that is sound but for its records."""
        self._number += 1
        rng = self.rng
        records = odd_batch(rng, self.learned.of("producer_id"))
        request = produce_request(
            self.names.get("t", "t"),
            records,
            acks=rng.choice((-1, 1)),
            partition=rng.randrange(2),
            timeout_ms=300,
        )
        parts = encode_request(self._number, "fuzz", request, BY_NAME)
        data = b"".join(bytes(part) for part in parts)
        return Frame(ApiKey.PRODUCE, BY_NAME, self._number, data)

    def _changed(self, data):
        rng = self.rng
        start = 0 if not rng.randrange(20) else _HEADER_BYTES
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            if len(data) <= start:
                break
            rng.choice(_CHANGES)(rng, data, start)
        return data


def _flip(rng, data, start):
    data[rng.randrange(start, len(data))] ^= 1 << rng.randrange(8)


def _cut(rng, data, start):
    del data[rng.randrange(start, len(data)) :]


def _overwrite(rng, data, start):
    at = rng.randrange(start, len(data))
    value = rng.choice(_EXTREMES)
    data[at : at + len(value)] = value


def _insert(rng, data, start):
    at = rng.randrange(start, len(data))
    data[at:at] = rng.choice((*_EXTREMES, rng.randbytes(rng.randrange(1, 9))))


def _remove(rng, data, start):
    at = rng.randrange(start, len(data))
    del data[at : at + rng.randrange(1, 9)]


def _repeat(rng, data, start):
    at = rng.randrange(start, len(data))
    piece = data[at : at + rng.randrange(1, 60)]
    data[at:at] = piece * rng.choice((1, 1, 2, 100))


_CHANGES = (_flip, _flip, _cut, _overwrite, _overwrite, _overwrite, _insert, _remove, _repeat)
