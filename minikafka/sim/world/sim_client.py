"""A client of a simulated cluster: one connection, requests in, responses out, no threads.

Callers interpret the responses; see `workload`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from minikafka.protocol.message import ApiMessage
from minikafka.rpc.client_connection import ClientConnection, ServerAnswer
from minikafka.sim.world.network import Address, SimNetwork, SimStream
from minikafka.sim.world.world import World

M = TypeVar("M")
OnAnswer = Callable[[ApiMessage | None], None]
_SIZE_BYTES = 4


class NoResponseError(AssertionError):
    """The connection ended before the response."""


@dataclass(slots=True, eq=False)
class SimClient:
    """One connection to one broker, opened by the first request, and by the first after a loss.

    `send` calls back once: with the response, or with None if the connection was lost.
    """

    world: World
    network: SimNetwork
    name: str
    address: Address
    client_id: str = "sim"
    frames: int = 0
    _stream: SimStream | None = None
    _connection: ClientConnection = field(init=False)
    _waiting: dict[int, OnAnswer] = field(default_factory=dict)
    _count: int = 0

    def __post_init__(self) -> None:
        """Start without a connection."""
        self._connection = ClientConnection(client_id=self.client_id)

    def send(
        self,
        request: ApiMessage,
        on_answer: OnAnswer,
        *,
        version: int | None = None,
        expects_response: bool = True,
    ) -> None:
        """Send a request; `version` None: the latest that both sides support."""
        if self._stream is None:
            self._connection = ClientConnection(client_id=self.client_id)
            self._stream = self.network.connect(self.name, self.address, self)
        self._count += 1
        if expects_response:
            self._waiting[self._count] = on_answer
        self._connection.send(
            request, version=version, token=self._count, expects_response=expects_response
        )
        self._write()

    def ask(
        self,
        request: ApiMessage,
        kind: type[M],
        *,
        version: int | None = None,
        within_ms: int = 30_000,
    ) -> M:
        """Send a request and run the world until its response has arrived.

        Raises:
            NoResponseError: the connection was lost.
            ConditionTimeoutError: no response arrived within `within_ms`.
        """
        answers: list[ApiMessage | None] = []
        self.send(request, answers.append, version=version)
        self.world.run_until(
            lambda: bool(answers), within_ms, f"an answer to {type(request).__name__}"
        )
        (answer,) = answers
        if answer is None:
            raise NoResponseError(f"{type(request).__name__}: the connection was lost")
        assert isinstance(answer, kind)
        return answer

    def close(self) -> None:
        """Close the connection; call back with None for every pending request."""
        if self._stream is not None:
            self.network.close(self._stream, 0)
            self.ended("closed here")

    def arrived(self, data: bytes) -> None:
        """Handle a response."""
        self.frames += 1
        answer = self._connection.receive_frame(memoryview(data)[_SIZE_BYTES:])
        self._write()
        if answer is not None:
            self._answer(answer)

    def ended(self, reason: str) -> None:
        """Handle a lost or refused connection."""
        del reason
        self._stream = None
        waiting, self._waiting = self._waiting, {}
        for on_answer in waiting.values():
            on_answer(None)

    def _answer(self, answer: ServerAnswer) -> None:
        self._waiting.pop(cast(int, answer.token))(answer.body)

    def _write(self) -> None:
        if self._stream is None:
            return
        data = b"".join(cast(bytes, part) for part in self._connection.data_to_send())
        for frame in _frames(data):
            self.network.send(self._stream, 0, frame)


def _frames(data: bytes) -> list[bytes]:
    frames = []
    start = 0
    while start < len(data):
        end = start + _SIZE_BYTES + int.from_bytes(data[start : start + _SIZE_BYTES], "big")
        frames.append(data[start:end])
        start = end
    return frames
