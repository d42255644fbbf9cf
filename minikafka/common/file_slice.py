"""A range of bytes in a file that is not read yet.

A Fetch response contains record bytes as `FileSlice` values. The core never copies them: the shell
reads them directly into a send buffer (or the simulator reads them from its simulated disk).
"""

from typing import NamedTuple, Protocol


class SliceSource(Protocol):
    """The source of a `FileSlice`."""

    def read_at(self, position: int, length: int) -> bytes | memoryview:
        """Read up to `length` bytes from `position`; fewer only at the end of the file."""


class FileSlice(NamedTuple):
    """`length` bytes of `source`, from byte `position`.

    They are read after the step, perhaps much later: the file may have been cut or closed before.
    """

    source: SliceSource
    position: int
    length: int

    def read(self) -> bytes | memoryview:
        """Read the bytes: a copy or a view, depending on the source."""
        return self.source.read_at(self.position, self.length)
