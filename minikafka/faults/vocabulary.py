"""The faults of answers: one table of kinds, their validation, and their JSON form.

A fault is validated where it is written: an API, version, error or field that does not exist, or
that could never have an effect, is refused with a message that names what exists.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, NamedTuple, Self

from minikafka.common.errors import ErrorCode
from minikafka.faults.partition_lists import names_partitions, names_topics
from minikafka.messages.api_keys import APIS, ApiKey, response_class
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER, CONTROLLER

MAX_MS: Final = 24 * 60 * 60 * 1000
MAX_TEXT: Final = 1000
ROLES: Final = (BROKER, CONTROLLER)


class FaultError(ValueError):
    """A fault that cannot exist; the message says what is wrong and what exists."""


class AnswerKind(NamedTuple):
    """One kind of fault: its meaning, and what it needs. `apis` is empty if it is for all."""

    name: str
    meaning: str
    needs: tuple[str, ...] = ()
    takes_after: bool = True
    apis: tuple[ApiKey, ...] = ()


KINDS: Final[dict[str, AnswerKind]] = {
    kind.name: kind
    for kind in (
        AnswerKind("error", "answers with `error`", ("error",)),
        AnswerKind("delay", "waits for `ms` before the request is handled, or answered", ("ms",)),
        AnswerKind("drop", "never answers; the connection stays open and silent"),
        AnswerKind("half", "sends the first half of the answer, then closes the connection"),
        AnswerKind("close", "closes the connection instead of an answer"),
        AnswerKind("reset", "resets the connection (RST) instead of an answer"),
        AnswerKind(
            "throttle",
            "answers with throttle_time_ms = `ms`, which nearly every API has, and reads no further"
            " request for that time",
            ("ms",),
            takes_after=False,
        ),
        AnswerKind(
            "corrupt",
            "changes one byte of a record batch on the wire, so that its checksum is wrong",
            takes_after=False,
            apis=(ApiKey.FETCH,),
        ),
        AnswerKind(
            "stale_leader",
            "names the leader and epoch from when the fault was set; if there was no change since,"
            " another replica and the epoch before",
            takes_after=False,
            apis=(ApiKey.METADATA, ApiKey.DESCRIBE_TOPIC_PARTITIONS),
        ),
    )
}

ASKERS: Final[dict[int, str]] = {
    ApiKey.FETCH: "replica_id",
    ApiKey.LIST_OFFSETS: "replica_id",
    ApiKey.OFFSET_FOR_LEADER_EPOCH: "replica_id",
    ApiKey.FETCH_SNAPSHOT: "replica_id",
    ApiKey.ALTER_PARTITION: "broker_id",
    ApiKey.BROKER_REGISTRATION: "broker_id",
    ApiKey.BROKER_HEARTBEAT: "broker_id",
    ApiKey.ALLOCATE_PRODUCER_IDS: "broker_id",
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: "broker_id",
    ApiKey.GET_REPLICA_LOG_INFO: "broker_id",
    ApiKey.CONTROLLER_REGISTRATION: "controller_id",
}
"""The field of a request that names the node that asks."""

_KEYS: Final[dict[str, int]] = {
    info.name: key
    for key, info in APIS.items()
    if key in MODULES[BROKER] or key in MODULES[CONTROLLER]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFault:
    """A fault of the answers to one API.

    `id` names it in `hits`. It hits the calls that match `topic` (a name or an id), `partition`,
    `client_id`, `versions` (lowest, highest), `broker_id` (the node that asks) and `role` (of the
    listener). A request of a node to a broker listener matches only if `broker_id` names the node.
    Of the calls that match, `nth` is the first that is hit (from 1), `times` how many are hit: all
    without a number, one if there is `nth`. `probability` with `seed` decides about each of them.
    Each node counts for itself, or all nodes that have the same `counter_file`.

    An answer at a node has no effect beside the answer unless `after` is set: then the request is
    handled, and only its answer is false, late or missing.

    Raises:
        FaultError: it could never hit.
    """

    api: str
    kind: str = ""
    error: str = ""
    ms: int = 0
    topic: str | None = None
    partition: int | None = None
    client_id: str | None = None
    broker_id: int | None = None
    role: str = ""
    versions: tuple[int, int] | None = None
    nth: int | None = None
    times: int | None = None
    probability: float = 1.0
    seed: int = 0
    after: bool = False
    counter_file: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        """Validate; fill in `kind`, `role` and `times`."""
        for name, value in _given(self):
            _check_type(name, value)
        if self.api not in _KEYS:
            raise FaultError(_unknown_api(self.api))
        if not self.kind and self.error:
            object.__setattr__(self, "kind", "error")
        if not self.kind:
            raise FaultError(f"a fault needs an error or a kind; kinds are {', '.join(KINDS)}")
        if self.kind not in KINDS:
            raise FaultError(f"unknown kind of fault {self.kind!r}{nearest(self.kind, KINDS)}")
        if not self.role:
            object.__setattr__(self, "role", BROKER if self.key in MODULES[BROKER] else CONTROLLER)
        if self.nth is not None and self.times is None:
            object.__setattr__(self, "times", 1)
        self._check_kind()
        self._check_request()
        self._check_numbers()

    @classmethod
    def named(cls, api: str, what: str, **match: Any) -> Self:
        """Make a fault from the name of an error or of a kind.

        Raises:
            FaultError: it could never hit.
        """
        for name in match:
            _check_field(name)
        if not isinstance(what, str):
            raise FaultError(
                f"what: must be the name of an error or a kind, not {_json_type(what)}"
            )
        if what in KINDS:
            return cls(api=api, kind=what, **match)
        if what not in ErrorCode.__members__ and not what.isupper() and nearest(what, KINDS):
            raise FaultError(f"unknown kind of fault {what!r}{nearest(what, KINDS)}")
        return cls(api=api, error=what, **match)

    @property
    def key(self) -> int:
        """The key of the API."""
        return _KEYS[self.api]

    @property
    def code(self) -> ErrorCode:
        """The code of `error`."""
        return ErrorCode[self.error]

    def __str__(self) -> str:
        what = self.error or self.kind
        return f"{self.id or 'fault'}: {self.api} {what}{' after the work' if self.after else ''}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, as JSON values."""
        found: dict[str, Any] = dict(_given(self))
        if self.versions is not None:
            found["versions"] = list(self.versions)
        return found

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Make a fault from its JSON form.

        Raises:
            FaultError: the value is not a fault, or one that could never hit.
        """
        if not isinstance(value, Mapping):
            raise FaultError(f"a fault is an object, not {_json_type(value)}")
        for name in value:
            _check_field(name)
        if "api" not in value:
            raise FaultError("a fault needs the field 'api'")
        given = dict(value)
        if isinstance(given.get("versions"), list):
            given["versions"] = tuple(given["versions"])
        return cls(**given)

    def _check_kind(self) -> None:
        kind = KINDS[self.kind]
        if self.error and self.error not in ErrorCode.__members__:
            raise FaultError(f"unknown error {self.error!r}{nearest(self.error, _ERRORS)}")
        if self.error == "NONE":
            raise FaultError("error: NONE is not an error")
        for name in ("error", "ms"):
            given = bool(getattr(self, name))
            if given and name not in kind.needs:
                raise FaultError(f"{name}: a fault of kind {self.kind} has none")
            if name in kind.needs and not given:
                raise FaultError(f"{name}: a fault of kind {self.kind} needs it")
        if self.after and not kind.takes_after:
            raise FaultError(f"after: with kind {self.kind} the request is always handled")
        if kind.apis and self.key not in kind.apis:
            names = " or ".join(APIS[key].name for key in kind.apis)
            raise FaultError(f"kind {self.kind}: is for {names}, not for {self.api}")
        if self.kind == "throttle" and not hasattr(response_class(self.key)(), "throttle_time_ms"):
            raise FaultError(f"kind throttle: {self.api} has no throttle_time_ms")

    def _check_request(self) -> None:
        served = MODULES.get(self.role)
        if served is None:
            raise FaultError(f"role: {self.role!r} is not one of {', '.join(ROLES)}")
        if self.key not in served:
            raise FaultError(f"role: no {self.role} serves {self.api}")
        _, low, high = served[self.key]
        if self.versions is not None and not low <= self.versions[0] <= self.versions[1] <= high:
            raise FaultError(
                f"versions: {self.api} is served in versions {low} to {high},"
                f" not in {self.versions[0]} to {self.versions[1]}"
            )
        if self.topic is not None and not names_topics(self.key):
            raise FaultError(f"topic: {self.api} names no topics")
        if self.partition is not None and not names_partitions(self.key):
            raise FaultError(f"partition: {self.api} names no partitions")
        if self.partition is not None and self.topic is None:
            raise FaultError("partition: needs a topic")
        if self.broker_id is not None and self.key not in ASKERS:
            raise FaultError(f"broker_id: {self.api} does not name the node that asks")

    def _check_numbers(self) -> None:
        least = {"ms": 0, "partition": 0, "broker_id": 0, "nth": 1, "times": 1}
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise FaultError(f"{name}: must be at least {low}, not {value}")
        if self.ms > MAX_MS:
            raise FaultError(f"ms: must be at most {MAX_MS}, not {self.ms}")
        if not 0 < self.probability <= 1:
            raise FaultError(f"probability: must be above 0 and at most 1, not {self.probability}")


_FIELDS: Final = {each.name: each for each in fields(AnswerFault)}
_ERRORS: Final = tuple(name for name in ErrorCode.__members__ if name != "NONE")
_TEXTS: Final = ("api", "kind", "error", "topic", "client_id", "role", "counter_file", "id")
_NUMBERS: Final = ("ms", "partition", "broker_id", "nth", "times", "seed")


def api_names() -> tuple[str, ...]:
    """Return the names of the APIs that a node serves."""
    return tuple(_KEYS)


def kind_table() -> list[str]:
    """Return the rows of the table of kinds in the documents."""
    rows = ["| kind | the node … | needs | `after` | for |", "| --- | --- | --- | --- | --- |"]
    for kind in KINDS.values():
        needs = ", ".join(f"`{name}`" for name in kind.needs) or "-"
        apis = ", ".join(APIS[key].name for key in kind.apis) or "every API"
        after = "yes" if kind.takes_after else "-"
        rows.append(f"| `{kind.name}` | {kind.meaning} | {needs} | {after} | {apis} |")
    return rows


def _given(fault: AnswerFault) -> Iterable[tuple[str, Any]]:
    for each in fields(fault):
        value = getattr(fault, each.name)
        if (
            each.default is MISSING
            or value != each.default
            or type(value) is not type(each.default)
        ):
            yield each.name, value


def _check_type(name: str, value: object) -> None:
    if name in _TEXTS:
        is_right, wanted = isinstance(value, str), "a string"
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise FaultError(f"{name}: is longer than {MAX_TEXT} characters")
    elif name in _NUMBERS:
        is_right, wanted = type(value) is int, "a whole number"
    elif name == "probability":
        is_right, wanted = type(value) in (int, float), "a number"
    elif name == "versions":
        is_right = (
            isinstance(value, tuple) and len(value) == 2 and all(type(x) is int for x in value)
        )
        wanted = "the lowest and the highest version"
    else:
        is_right, wanted = type(value) is bool, "true or false"
    if not is_right:
        raise FaultError(f"{name}: must be {wanted}, not {_json_type(value)}")


def _check_field(name: object) -> None:
    if name not in _FIELDS:
        raise FaultError(f"a fault has no field {name!r}{nearest(str(name), _FIELDS)}")


def _unknown_api(name: str) -> str:
    if name in {info.name for info in APIS.values()}:
        return f"no node serves the API {name}"
    return f"unknown API {name!r}{nearest(name, _KEYS)}"


def nearest(name: str, known: Collection[str]) -> str:
    """Return "; did you mean …?" for a name that does not exist, or nothing."""
    folded = {each.replace("_", "").lower(): each for each in known}
    close = difflib.get_close_matches(name.replace("_", "").lower()[:100], folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""


def _json_type(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
