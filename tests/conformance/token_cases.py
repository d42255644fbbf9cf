"""Requests about delegation tokens, in this order: who sends what.

`record_tokens` sends them to Apache Kafka, `test_tokens` to a simulated cluster. A step may keep
the token that it makes under a name. Ids and HMACs are compared by those names, times in minutes
from the request on.
"""

import time
from typing import Any, NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest
from minikafka.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from minikafka.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from minikafka.messages.expire_delegation_token import ExpireDelegationTokenRequest
from minikafka.messages.renew_delegation_token import RenewDelegationTokenRequest

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
WEEK_MS = 7 * DAY_MS
_MINUTE_MS = 60_000
_MAX_INT64 = (1 << 63) - 1
ANONYMOUS = "anonymous"
"""A client of a listener without logins."""
_OWNER_FROM = 3
BY_TOKEN = "token "
"""The beginning of a client that logs in with a token; its name follows."""


class Token(NamedTuple):
    """What a response has said about a new token."""

    token_id: str
    hmac: bytes


class Step(NamedTuple):
    """One request; `make` gets the tokens by name. The pause in ms is before it."""

    name: str
    who: str
    make: Any
    version: int
    keeps: str = ""
    pause_ms: int = 0


def create(who, name="", *, renewers=(), lifetime_ms=-1, owner=(None, None), version=3, more=""):
    rows = [CreatableRenewers(*each) for each in renewers]
    request = CreateDelegationTokenRequest(renewers=rows, max_lifetime_ms=lifetime_ms)
    if version >= _OWNER_FROM:
        request.owner_principal_type, request.owner_principal_name = owner
    about = [f"for {owner[0]}:{owner[1]}"] if owner != (None, None) else []
    about += [f"with {renewers}"] if renewers else []
    about += [f"for {lifetime_ms} ms"] if lifetime_ms != -1 else []
    words = " ".join((who, "creates", name or "a token", *about, f"v{version}{more}"))
    return Step(words, who, lambda _: request, version, name)


def renew(who, name, period_ms=-1, *, version=2, pause_ms=0):
    return Step(
        f"{who} renews {name} by {period_ms} ms, v{version}",
        who,
        lambda tokens: RenewDelegationTokenRequest(_hmac(tokens, name), period_ms),
        version,
        pause_ms=pause_ms,
    )


def expire(who, name, period_ms, *, version=2, more="", pause_ms=0):
    return Step(
        f"{who} expires {name} in {period_ms} ms, v{version}{more}",
        who,
        lambda tokens: ExpireDelegationTokenRequest(_hmac(tokens, name), period_ms),
        version,
        pause_ms=pause_ms,
    )


def describe(who, owners=None, *, version=3, more=""):
    rows = None
    if owners is not None:
        rows = [DescribeDelegationTokenOwner("User", each) for each in owners]
    return Step(
        f"{who} describes {'all' if owners is None else owners}, v{version}{more}",
        who,
        lambda _: DescribeDelegationTokenRequest(rows),
        version,
    )


def allow(who, kind, name, operation):
    def make(tokens):
        of = tokens[name].token_id if name in tokens else name
        return CreateAclsRequest([AclCreation(kind, of, 3, f"User:{who}", "*", operation, 3)])

    return Step(f"{who} gets {operation} on {kind} {name}", ANONYMOUS, make, 3)


def _hmac(tokens, name):
    return tokens[name].hmac if name in tokens else name.encode()


_DESCRIBERS = ("alice", "bob", "carol", "mallory", "admin")
STEPS = [
    describe("alice", more=", nothing"),
    create("alice", "A"),
    create("alice", "B", renewers=[("User", "bob")], lifetime_ms=HOUR_MS),
    create("alice", "C", lifetime_ms=WEEK_MS * 10, version=2),
    create("alice", "D", lifetime_ms=0, version=1),
    create("bob", "E", lifetime_ms=-5, renewers=[("User", "alice"), ("User", "carol")], version=2),
    create("alice", lifetime_ms=_MAX_INT64, name="F"),
    create("alice", renewers=[("User", "bob"), ("Group", "x")]),
    create("alice", owner=("User", "bob")),
    create("alice", owner=("User", "bob"), renewers=[("Group", "x")]),
    create("alice", owner=("Robot", "alice")),
    create("alice", "G", owner=("User", "alice")),
    create("alice", "H", owner=("User", "")),
    create("alice", owner=("User", None), name="I"),
    create("admin", "J", owner=("User", "carol")),
    create("admin", "K", owner=("Robot", "r")),
    allow("alice", 7, "User:bob", 13),
    create("alice", "L", owner=("User", "bob"), more=", with the right"),
    *(describe(who) for who in _DESCRIBERS),
    *(describe(who, ["alice"]) for who in _DESCRIBERS),
    describe("alice", []),
    describe("bob", ["carol", "bob"]),
    describe("alice", ["none"]),
    describe("alice", version=2),
    describe("alice", version=1),
    allow("carol", 7, "User:alice", 14),
    allow("mallory", 6, "E", 8),
    describe("carol", more=", with the right"),
    describe("mallory", more=", with the right"),
    renew("alice", "A"),
    renew("alice", "A", HOUR_MS),
    renew("alice", "A", WEEK_MS * 10),
    renew("alice", "A", 0, version=1),
    renew("alice", "A", _MAX_INT64),
    renew("bob", "B"),
    renew("bob", "A"),
    renew("admin", "A"),
    renew("alice", "J"),
    renew("alice", "none"),
    renew("alice", ""),
    renew("admin", "J", HOUR_MS),
    renew("carol", "J", HOUR_MS),
    renew("carol", "E"),
    expire("bob", "A", HOUR_MS),
    expire("admin", "A", -1),
    expire("alice", "none", -1),
    expire("alice", "A", 2 * HOUR_MS),
    expire("alice", "A", WEEK_MS * 10),
    expire("alice", "A", _MAX_INT64),
    expire("bob", "B", 2 * HOUR_MS, version=1),
    expire("alice", "C", 0),
    renew("alice", "C", pause_ms=50),
    expire("alice", "C", HOUR_MS),
    expire("bob", "C", HOUR_MS),
    expire("alice", "C", -1),
    expire("alice", "C", -1, more=", again"),
    renew("alice", "C", HOUR_MS),
    expire("alice", "D", -_MAX_INT64),
    expire("bob", "B", -1),
    describe("alice", more=", at the end"),
    *(
        each._replace(who=who, name=f"{who}: {each.name}")
        for who in (f"{BY_TOKEN}A", ANONYMOUS)
        for each in (
            create("it"), renew("it", "A"), expire("it", "A", -1), describe("it"),
            describe("it", ["alice"]),
        )
    ),
]  # fmt: skip


def play(connect, now_ms=lambda: time.time_ns() // 1_000_000, wait=lambda ms: time.sleep(ms / 1e3)):
    """Send all; `connect(who, token)` returns a client, whose token is None if it has none."""
    tokens: dict[str, Token] = {}
    clients = {}
    answers = {}
    for step in STEPS:
        wait(step.pause_ms)
        if step.who not in clients:
            token = tokens.get(step.who.removeprefix(BY_TOKEN))
            clients[step.who] = connect(step.who, token)
        began_ms = now_ms()
        answer = clients[step.who].ask(step.make(tokens), step.version)
        if step.keeps and answer.error_code == ErrorCode.NONE:
            tokens[step.keeps] = Token(answer.token_id, bytes(answer.hmac))
        answers[step.name] = _comparable(answer, _names(tokens), began_ms)
        # Until the broker has the metadata.
        wait(100)
    for each in clients.values():
        each.close()
    return answers


def _names(tokens):
    found = {each.token_id: f"id of {name}" for name, each in tokens.items()}
    return found | {each.hmac: f"hmac of {name}" for name, each in tokens.items()}


def _comparable(value, names, now_ms, field=""):
    if isinstance(value, (bytes, memoryview)):
        return names.get(bytes(value), "none" if not value else "unknown")
    if isinstance(value, str):
        return names.get(value, value)
    if "timestamp" in field:
        # 0 and -1 are no times.
        is_time = 0 < value < _MAX_INT64
        return round((value - now_ms) / _MINUTE_MS) if is_time else value
    if isinstance(value, list):
        found = [_comparable(each, names, now_ms) for each in value]
        return sorted(found, key=lambda each: (each.get("token_id", ""),))
    if hasattr(type(value), "__slots__") and not isinstance(value, int):
        return {
            each: _comparable(getattr(value, each), names, now_ms, each)
            for each in type(value).__slots__
            if each not in ("unknown_tagged_fields", "throttle_time_ms")
        }
    return None if value is None else int(value)


assert len({step.name for step in STEPS}) == len(STEPS)
