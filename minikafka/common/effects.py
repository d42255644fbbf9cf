"""The effects that a node requests. The shell (or the simulator) executes them in their order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from minikafka.common.file_slice import FileSlice

Part = bytes | bytearray | memoryview | FileSlice


class SyncTarget(Protocol):
    """An object that can be made durable, from any thread."""

    def run(self) -> None:
        """Make everything that was written so far durable.

        Raises:
            StorageFault: the system reports an error.
        """


class Channel(NamedTuple):
    """One outbound connection: its address and its purpose.

    Two purposes never share a connection, so that a long poll of one cannot delay the other.
    `is_to_controller` tells which listener it goes to, and so how it is secured.
    """

    host: str
    port: int
    purpose: str
    is_to_controller: bool = False


class Reply(NamedTuple):
    """Write a response, size prefix included, to a connection."""

    connection: int
    parts: Sequence[Part]


class Mute(NamedTuple):
    """Deliver no further request of this connection until `Unmute`."""

    connection: int


class Unmute(NamedTuple):
    """Deliver requests of this connection again."""

    connection: int


class Disconnect(NamedTuple):
    """Close a client's connection, after the responses that were already written to it."""

    connection: int


class Reset(NamedTuple):
    """Reset a client's connection at once, as if its other end had crashed."""

    connection: int


class LoggedIn(NamedTuple):
    """The client of a connection has logged in: its requests may be as large as any."""

    connection: int


class Send(NamedTuple):
    """Write a request, size prefix included, to a channel, which is opened if necessary."""

    channel: Channel
    parts: Sequence[Part]


class CloseChannel(NamedTuple):
    """Close a channel; no `ChannelDown` follows."""

    channel: Channel


class Flush(NamedTuple):
    """Make files durable in another thread, then send `FlushDone(token)`."""

    token: int
    targets: Sequence[SyncTarget]


class Work(NamedTuple):
    """Run a function in another thread, then send `WorkDone(token, ...)`.

    The function has everything that it needs and shares nothing with the node: it does not change
    the node's state, read files, or use memory that is valid only until `step` returns.
    """

    token: int
    function: Callable[[], object]


class Started(NamedTuple):
    """Report that the node serves clients: its broker is unfenced, or it is only a controller."""


class Halt(NamedTuple):
    """Stop the process. `exit_code` 0 after a controlled shutdown."""

    exit_code: int
    reason: str


Effect = (
    Reply
    | Mute
    | Unmute
    | Disconnect
    | Reset
    | LoggedIn
    | Send
    | CloseChannel
    | Flush
    | Work
    | Started
    | Halt
)
