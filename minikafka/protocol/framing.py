"""The division of a byte stream into frames: a 32-bit size, then that many bytes. Without I/O.

For clients, the simulator and tests. The server's listener does the same on its receive buffers,
without copying, and uses the default limit of this module.

Source: `NetworkReceive`; `socket.request.max.bytes`.
"""

from struct import Struct

from minikafka.protocol.primitives import MalformedMessage

SIZE = Struct(">i")
DEFAULT_MAX_FRAME_SIZE = 100 * 1024 * 1024


class FrameError(MalformedMessage):
    """A frame's size is negative or above the limit: the connection must be closed."""


def check_frame_size(size: int, limit: int) -> int:
    """Return `size`.

    Raises:
        FrameError: `size` is negative or above `limit`.
    """
    if size < 0:
        raise FrameError(f"a frame of {size} bytes")
    if size > limit:
        raise FrameError(f"a frame of {size} bytes; at most {limit} are allowed")
    return size


class FrameReader:
    """Collects bytes until frames are complete. It keeps at most one incomplete frame."""

    __slots__ = ("_limit", "_pending")

    def __init__(self, limit: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        """Refuse frames of more than `limit` bytes."""
        self._limit = limit
        self._pending = bytearray()

    def feed(self, data: bytes | bytearray | memoryview) -> list[memoryview]:
        """Return the frames that `data` completes, in order, without their size prefix.

        The views stay valid, since the frames of each call share a separate buffer.

        Raises:
            FrameError: a size is negative or above the limit.
        """
        pending = self._pending
        pending += data
        frames: list[tuple[int, int]] = []
        start = 0
        while len(pending) - start >= SIZE.size:
            size = check_frame_size(SIZE.unpack_from(pending, start)[0], self._limit)
            end = start + SIZE.size + size
            if end > len(pending):
                break
            frames.append((start + SIZE.size, end))
            start = end
        if not frames:
            return []
        self._pending = pending[start:]
        view = memoryview(pending)
        return [view[begin:end] for begin, end in frames]

    @property
    def buffered(self) -> int:
        """The number of bytes of the incomplete frame."""
        return len(self._pending)
