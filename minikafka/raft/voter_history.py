"""The voters and the kraft.version of a quorum, with the offsets of their records.

A voter set holds from the append of its record on, committed or not, and no longer once the record
is truncated (KIP-853).

Source: `KRaftControlRecordStateMachine`, `VoterSetHistory`.
"""

from typing import Generic, TypeVar

from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import ControlType

T = TypeVar("T")

_BEFORE_THE_LOG = -1


class _ByOffset(Generic[T]):
    """Values by the offset from which they hold, in ascending order; never empty."""

    __slots__ = ("_rows",)

    def __init__(self, first: T) -> None:
        self._rows: list[tuple[int, T]] = [(_BEFORE_THE_LOG, first)]

    @property
    def last(self) -> tuple[int, T]:
        """The offset of the last value, -1 if it is not from the log, and the value."""
        return self._rows[-1]

    def at(self, end_offset: int) -> T:
        """The value that records below `end_offset` have set."""
        return next(
            value for offset, value in reversed(self._rows) if self._holds(offset, end_offset)
        )

    def _holds(self, offset: int, end_offset: int) -> bool:
        return offset < end_offset or offset == self._rows[0][0]

    def add(self, offset: int, value: T) -> None:
        self._rows.append((offset, value))

    def truncate(self, end_offset: int) -> None:
        """Drop the values of records from `end_offset` on."""
        self._rows = [row for row in self._rows if self._holds(row[0], end_offset)]

    def forget(self, end_offset: int) -> None:
        """Drop what another value below `end_offset` has replaced."""
        while len(self._rows) > 1 and self._rows[1][0] < end_offset:
            del self._rows[0]


class VoterHistory:
    """Voter sets and levels of kraft.version.

    `static` are the voters of the configuration, or None. They hold until the log, or a snapshot,
    has voters.
    """

    __slots__ = ("_levels", "_static", "_voters")

    def __init__(self, static: VoterSet | None) -> None:
        """Begin with the voters of the configuration, and kraft.version 0."""
        self._static = static
        self._voters: _ByOffset[VoterSet | None] = _ByOffset(static)
        self._levels = _ByOffset(0)

    @property
    def voters(self) -> VoterSet | None:
        """The latest voters, committed or not; None if they are not known."""
        return self._voters.last[1]

    @property
    def kraft_version(self) -> int:
        """The latest level of kraft.version, committed or not."""
        return self._levels.last[1]

    @property
    def voters_offset(self) -> int:
        """The offset of the latest voters; -1 if they are neither in the log nor in a snapshot."""
        return self._voters.last[0]

    def at(self, end_offset: int) -> tuple[VoterSet | None, int]:
        """The voters and the kraft.version that records below `end_offset` have set."""
        return self._voters.at(end_offset), self._levels.at(end_offset)

    def append(self, offset: int, control: list[tuple[int, bytes]]) -> bool:
        """Use the control records of a batch that begins at `offset`; true if it has voters.

        Raises:
            MalformedMessage: a record is damaged.
        """
        has_voters = False
        for at, (kind, value) in enumerate(control, offset):
            if kind == ControlType.KRAFT_VOTERS:
                self._voters.add(at, VoterSet.from_record(value))
                has_voters = True
            elif kind == ControlType.KRAFT_VERSION:
                self._levels.add(at, int.from_bytes(value[2:4], "big"))
        return has_voters

    def truncate(self, end_offset: int) -> bool:
        """Undo the records from `end_offset` on; true if there were voters among them."""
        undone = self.voters_offset >= end_offset
        self._voters.truncate(end_offset)
        self._levels.truncate(end_offset)
        return undone

    def forget(self, end_offset: int) -> None:
        """Drop what a snapshot that ends at `end_offset` has replaced."""
        self._voters.forget(end_offset)
        self._levels.forget(end_offset)

    def load(self, end_offset: int, voters: VoterSet | None, kraft_version: int) -> None:
        """Begin with the voters of a snapshot that ends at `end_offset`."""
        self._voters = _ByOffset(self._static)
        self._levels = _ByOffset(0)
        if voters is not None:
            self._voters.add(end_offset - 1, voters)
            self._levels.add(end_offset - 1, kraft_version)
