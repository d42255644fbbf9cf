"""A range of bytes in a file, named but not read.

A Fetch response carries record bytes as `FileSlice` values. The core never copies them: the shell
that sends the response reads them straight into a send buffer (or the simulator resolves them from
its simulated disk).
"""

from typing import NamedTuple, Protocol


class SliceSource(Protocol):
    """What a `FileSlice` can be read from."""

    def read_at(self, position: int, length: int) -> bytes | memoryview:
        """Up to `length` bytes from `position`; shorter only at the end of the file."""


class FileSlice(NamedTuple):
    """`length` bytes of `source`, from byte `position`.

    They are read after the step, perhaps much later: the file may have been cut or closed by then.
    """

    source: SliceSource
    position: int
    length: int

    def read(self) -> bytes | memoryview:
        """The bytes themselves (a copy or a view, as the source likes)."""
        return self.source.read_at(self.position, self.length)
