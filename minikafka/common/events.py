"""What can happen to a node. `Node.step` takes one of these, and the time, and nothing else.

Bytes come in as frames (without their 4-byte size); a frame's memory is valid until `step` returns.
"""

from typing import NamedTuple

from minikafka.common.effects import Channel
from minikafka.common.faults import StorageFault


class ConnectionOpened(NamedTuple):
    """A client or another node connected to `listener`; `connection` is never used again."""

    connection: int
    listener: str
    peer_host: str


class ConnectionClosed(NamedTuple):
    """A connection is gone; answers to what it asked go nowhere."""

    connection: int


class RequestFrame(NamedTuple):
    """One request arrived, whole."""

    connection: int
    frame: memoryview


class ResponseFrame(NamedTuple):
    """One response arrived on a channel that this node had sent requests on."""

    channel: Channel
    frame: memoryview


class ChannelDown(NamedTuple):
    """A channel could not be opened, or closed; everything in flight on it is lost."""

    channel: Channel
    reason: str


class FlushDone(NamedTuple):
    """The files of a `Flush` are on disk, or `fault` says why not."""

    token: int
    fault: StorageFault | None


class WorkDone(NamedTuple):
    """The function of a `Work` returned `result`, or raised `error`."""

    token: int
    result: object
    error: Exception | None


class ReadFailed(NamedTuple):
    """Records that an answer names could not be read; the connection it was for is closed."""

    fault: StorageFault


class Tick(NamedTuple):
    """Time passed; the deadline that the node asked for may be reached."""


class ShutdownRequested(NamedTuple):
    """The operator wants a controlled shutdown."""


Event = (
    ConnectionOpened
    | ConnectionClosed
    | RequestFrame
    | ResponseFrame
    | ChannelDown
    | FlushDone
    | WorkDone
    | ReadFailed
    | Tick
    | ShutdownRequested
)
