"""What a node wants done. The shell (or the simulator) carries effects out in their order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from minikafka.common.file_slice import FileSlice

Part = bytes | bytearray | memoryview | FileSlice


class SyncTarget(Protocol):
    """Something that can be made durable; from any thread."""

    def run(self) -> None:
        """Return once everything written so far survives a power loss.

        Raises:
            StorageFault: when the system reports an error.
        """


class Channel(NamedTuple):
    """One outbound connection: where it goes and what it is for.

    Two purposes never share a connection, so that a long poll of one cannot hold up the other.
    """

    host: str
    port: int
    purpose: str


class Reply(NamedTuple):
    """Write a response, size prefix included, to a connection."""

    connection: int
    parts: Sequence[Part]


class Mute(NamedTuple):
    """Deliver no further request of this connection until `Unmute`."""

    connection: int


class Unmute(NamedTuple):
    """Go on delivering requests of this connection."""

    connection: int


class Disconnect(NamedTuple):
    """Close a client's connection, after what was already written to it."""

    connection: int


class Send(NamedTuple):
    """Write a request, size prefix included, to a channel, which is opened where it is not yet."""

    channel: Channel
    parts: Sequence[Part]


class CloseChannel(NamedTuple):
    """Close a channel; no `ChannelDown` follows."""

    channel: Channel


class Flush(NamedTuple):
    """Make files durable, away from the node's own thread, then send `FlushDone(token)`."""

    token: int
    targets: Sequence[SyncTarget]


class Work(NamedTuple):
    """Run a function away from the node's own thread, then send `WorkDone(token, ...)`.

    The function is given everything it needs, and shares nothing with the node: it changes none of
    the node's state, reads no file, and no memory that is valid only until `step` returns.
    """

    token: int
    function: Callable[[], object]


class Started(NamedTuple):
    """The node serves clients: its broker is unfenced, or it has only the controller role."""


class Halt(NamedTuple):
    """Stop the process. `exit_code` 0 after a controlled shutdown."""

    exit_code: int
    reason: str


Effect = Reply | Mute | Unmute | Disconnect | Send | CloseChannel | Flush | Work | Started | Halt
