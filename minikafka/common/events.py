"""The events of a node. `Node.step` takes one of these and the time, and nothing else.

Bytes arrive as frames (without their 4-byte size); a frame's memory is valid until `step` returns.
"""

from typing import Final, NamedTuple

from minikafka.common.effects import Channel
from minikafka.common.faults import OutOfFilesError, StorageFault

REFUSED: Final = "connection refused"
"""The reason of a `ChannelDown` if the system at that address refuses connections.

The system runs and can be reached, and no process listens at the address. A system that does not
answer, for any cause, refuses nothing.
"""


class ConnectionOpened(NamedTuple):
    """A client or another node connected to `listener`. The number `connection` is unique.

    `certificate_name` is the distinguished name (RFC 2253) in the verified certificate of the other
    side; None without TLS, or if it has shown none.
    """

    connection: int
    listener: str
    peer_host: str
    certificate_name: str | None = None


class AuthenticationFailed(NamedTuple):
    """A client or node could not prove who it is, before its connection to `listener` opened."""

    listener: str


class KeyFileChanged(NamedTuple):
    """The file `path` with keys of signed tokens has a new content, which can be used."""

    path: str
    text: str


class ConnectionClosed(NamedTuple):
    """A connection was closed; responses to its requests are dropped."""

    connection: int


class RequestFrame(NamedTuple):
    """One complete request arrived."""

    connection: int
    frame: memoryview


class ResponseFrame(NamedTuple):
    """One response arrived on a channel on which this node has sent requests."""

    channel: Channel
    frame: memoryview


CLOSED_BY_PEER: Final = "closed by the other side"
"""The reason of a `ChannelDown` if the other side accepted the connection, and ended it."""


class ChannelDown(NamedTuple):
    """A channel could not be opened, or closed; everything in flight on it is lost."""

    channel: Channel
    reason: str


class FlushDone(NamedTuple):
    """The files of a `Flush` are durable, or `fault` has the reason why not."""

    token: int
    fault: StorageFault | OutOfFilesError | None


class WorkDone(NamedTuple):
    """The function of a `Work` returned `result`, or raised `error`."""

    token: int
    result: object
    error: Exception | None


class ReadFailed(NamedTuple):
    """Records of a response could not be read; the connection of the response is closed."""

    fault: StorageFault


class Tick(NamedTuple):
    """Time passed; the next deadline of the node may be reached."""


class ShutdownRequested(NamedTuple):
    """The operator requests a controlled shutdown."""


Event = (
    ConnectionOpened
    | AuthenticationFailed
    | KeyFileChanged
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
