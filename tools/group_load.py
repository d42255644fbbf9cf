"""Members of groups as coroutines: raw requests of one process, so that a load has many of them.

A member of the consumer protocol behaves as Kafka's client: it has at once what it is assigned, and
says so in its next heartbeat, which it sends without delay. One of the classic protocol joins, and
gets its assignment; the leader gives nothing to anybody.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from minikafka.rpc.client_connection import ClientConnection

HEARTBEAT_VERSION: Final = 1
JOIN_VERSION: Final = 9
SYNC_VERSION: Final = 5
REBALANCE_TIMEOUT_MS: Final = 300_000
_LEAVE_EPOCH: Final = -1
_JOIN_TIMEOUT_MS: Final = 60_000
_CLIENT_ID: Final = "group-load"
_RETRY_S: Final = 0.1
_RNG: Final = Random()
_RETRIABLE: Final = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)

_REJOINS: Final = frozenset({ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID})


class Connection(asyncio.Protocol):
    """One connection to a broker; requests are answered in order."""

    def __init__(self) -> None:
        """Send all requests in the versions that are given."""
        self._protocol = ClientConnection(client_id=_CLIENT_ID, negotiate=False, max_in_flight=4096)
        self._transport: asyncio.Transport | None = None
        self._waiting: set[asyncio.Future[Any]] = set()

    @classmethod
    async def open(cls, address: tuple[str, int]) -> "Connection":
        """Connect."""
        _, made = await asyncio.get_running_loop().create_connection(cls, *address)
        return made

    async def ask(self, request: Any, version: int) -> Any:
        """Send a request and return the response."""
        assert self._transport is not None, "it is connected"
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.add(answered)
        answered.add_done_callback(self._waiting.discard)
        self._protocol.send(request, version=version, token=answered)
        for part in self._protocol.data_to_send():
            assert isinstance(part, bytes | bytearray | memoryview), "a client sends no file slices"
            self._transport.write(part)
        return await answered

    def close(self) -> None:
        """Close the socket."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Complete the requests that are answered."""
        for answer in self._protocol.receive(data):
            assert isinstance(answer.token, asyncio.Future)
            if not answer.token.done():
                answer.token.set_result(answer.body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the requests in flight."""
        for pending in list(self._waiting):
            if not pending.done():
                pending.set_exception(exc or ConnectionError("the broker closed the connection"))


@dataclass(slots=True, eq=False)
class ConsumerMember:
    """A member of the consumer protocol."""

    connection: Connection
    group_id: str
    topics: Sequence[str]
    member_id: str = field(default_factory=lambda: str(Uuid.draw(_RNG)))
    epoch: int = 0
    owned: dict[Uuid, tuple[int, ...]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    interval_s: float = 5.0
    is_settled: bool = False
    """True if the coordinator knows what this member has."""

    @property
    def partitions(self) -> int:
        """The number of partitions that the member has."""
        return sum(map(len, self.owned.values()))

    async def beat(self) -> int:
        """Send one heartbeat; return its error code."""
        request = ConsumerGroupHeartbeatRequest(self.group_id, self.member_id, self.epoch)
        if not self.epoch:
            request.rebalance_timeout_ms = REBALANCE_TIMEOUT_MS
            request.subscribed_topic_names = list(self.topics)
            request.topic_partitions = []
        elif not self.is_settled:
            request.topic_partitions = [
                ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, list(indexes))
                for topic_id, indexes in self.owned.items()
            ]
        answer = await self.connection.ask(request, HEARTBEAT_VERSION)
        if answer.error_code:
            self.errors[ErrorCode(answer.error_code).name] += 1
            if answer.error_code in _REJOINS:
                self.epoch, self.owned, self.is_settled = 0, {}, False
            return int(answer.error_code)
        self.epoch = answer.member_epoch
        self.interval_s = answer.heartbeat_interval_ms / 1000
        self.is_settled = True
        if answer.assignment is not None:
            found = {
                each.topic_id: tuple(each.partitions) for each in answer.assignment.topic_partitions
            }
            self.is_settled = found == self.owned
            self.owned = found
        return 0

    async def join(self) -> None:
        """Send heartbeats until the group has this member."""
        while True:
            if not await self.beat():
                return
            await asyncio.sleep(_RETRY_S)

    async def leave(self) -> None:
        """Leave the group."""
        request = ConsumerGroupHeartbeatRequest(self.group_id, self.member_id, _LEAVE_EPOCH)
        await self.connection.ask(request, HEARTBEAT_VERSION)

    async def live(self) -> None:
        """Send heartbeats until cancelled, or until an error that a client gives up at."""
        while True:
            code = await self.beat()
            if code in _RETRIABLE:
                await asyncio.sleep(_RETRY_S)
            elif code and code not in _REJOINS:
                return
            elif self.is_settled:
                await asyncio.sleep(self.interval_s)


@dataclass(slots=True, eq=False)
class ClassicMember:
    """A member of the classic protocol."""

    connection: Connection
    group_id: str
    member_id: str = ""
    generation: int = -1
    errors: Counter[str] = field(default_factory=Counter)

    async def join(self) -> int:
        """Join a generation, and get an assignment; return the error code that ends that."""
        while True:
            joined = await self.connection.ask(
                JoinGroupRequest(
                    self.group_id, 45_000, _JOIN_TIMEOUT_MS, self.member_id, None, "consumer",
                    [JoinGroupRequestProtocol("range", b"\0" * 16)],
                ),
                JOIN_VERSION,
            )  # fmt: skip
            self.member_id = joined.member_id or self.member_id
            if joined.error_code == ErrorCode.MEMBER_ID_REQUIRED:
                continue
            if joined.error_code:
                self.errors[ErrorCode(joined.error_code).name] += 1
                return int(joined.error_code)
            request = SyncGroupRequest(
                self.group_id, joined.generation_id, self.member_id, None, "consumer", "range"
            )
            if joined.leader == self.member_id:
                request.assignments = [
                    SyncGroupRequestAssignment(each.member_id, b"\0" * 10)
                    for each in joined.members
                ]
            synced = await self.connection.ask(request, SYNC_VERSION)
            if not synced.error_code:
                self.generation = joined.generation_id
                return 0
            self.errors[ErrorCode(synced.error_code).name] += 1
            if synced.error_code != ErrorCode.REBALANCE_IN_PROGRESS:
                return int(synced.error_code)


async def connections(address: tuple[str, int], count: int) -> list[Connection]:
    """Open connections, some at a time: more than a listener's backlog would be refused."""
    found: list[Connection] = []
    while len(found) < count:
        some = min(50, count - len(found))
        found += await asyncio.gather(*(Connection.open(address) for _ in range(some)))
    return found


async def until(condition: Callable[[], bool], timeout_s: float, what: str) -> float:
    """Wait until a condition holds; return the time."""
    deadline_s = time.perf_counter() + timeout_s
    while not condition():
        if time.perf_counter() > deadline_s:
            raise TimeoutError(f"{what}: not within {timeout_s} s")
        await asyncio.sleep(0.005)
    return time.perf_counter()


def is_stable(members: Sequence[ConsumerMember], partitions: int) -> bool:
    """True if all members have one epoch and equal shares of all partitions, and have said so."""
    epochs = set()
    count = 0
    least = partitions // len(members)
    for each in members:
        if not each.is_settled or not each.epoch or not 0 <= each.partitions - least <= 1:
            return False
        epochs.add(each.epoch)
        count += each.partitions
    return count == partitions and len(epochs) == 1


def errors_of(members: Iterable[ConsumerMember | ClassicMember]) -> str:
    """Return how often each error was answered."""
    found: Counter[str] = Counter()
    for each in members:
        found.update(each.errors)
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items())) or "none"


async def ended(tasks: Sequence["asyncio.Task[None]"]) -> None:
    """Cancel tasks, and wait for them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
