"""A voter that does not know how it has voted, nor what it has acknowledged.

It has lost `quorum-state` or its log, or is a voter of a static quorum whose disk was replaced. If
it voted at once, a candidate without committed records could win, and the offsets that it has
reported before would count for what it lost. So it follows as an observer does until the leader has
committed, without it, a record that is newer than all that it found: then a majority of the others
has what was committed.

The voters of a dynamic quorum have directory ids. A replaced disk is another directory, so a voter
that starts for the first time has forgotten nothing: it gets its first `quorum-state` before its
log is made (`metadata_storage`). In a static quorum a first start looks like a replaced disk. All
voters of a new one start so; there is nothing to lose, and a voter that votes in the first election
is a full one.

A controller of a dynamic quorum without any metadata does not know whether it is a new node or a
voter that lost its folder, but not its directory id. It grants no vote before it knows the voters
at the leader's high watermark. If it is one of them, it has forgotten.

Unlike Kafka (row Q3), where such a voter votes and counts at once.
"""

import logging
from dataclasses import dataclass, field

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk, write_file

_log = logging.getLogger("minikafka.raft")
VOTES_FORGOTTEN = f"{METADATA_FOLDER}/votes-forgotten"
_UNKNOWN = -1


@dataclass(slots=True, eq=False, repr=False)
class ForgottenVotes:
    """True if this voter lost its votes. A file says so until the voter knows enough again."""

    disk: Disk
    is_set: bool = field(default=False, init=False)
    is_unsure: bool = field(default=False, init=False)
    """True if this node does not know yet whether it was a voter, and has forgotten."""
    _is_new: bool = field(default=False, init=False)
    """The log was empty at the start, and still is: the quorum may be a new one."""
    _found: int = field(default=_UNKNOWN, init=False)
    """The end of the leader's log when this voter had all of it for the first time."""

    def load(self, *, is_lost: bool, is_voter: bool, end_offset: int, was_used: bool) -> None:
        """Read the file, and write it if `quorum-state` or the log is lost.

        `was_used` is true if the node was in use: an empty log has lost its records.
        """
        self._is_new = not (end_offset or was_used)
        if is_lost:
            write_file(self.disk, VOTES_FORGOTTEN, b"", sync=True)
            self.disk.sync_dir("")
        elif not self.disk.exists(VOTES_FORGOTTEN):
            return
        self.is_set, self.is_unsure = is_voter, not is_voter
        if self.is_set and not self._is_new:
            self._warn()

    def _warn(self) -> None:
        _log.warning(
            "%s/%s: quorum-state or the log was lost. This voter does not vote before the others "
            "have committed a record without it",
            self.disk.root, METADATA_FOLDER,
        )  # fmt: skip

    @property
    def may_be_candidate(self) -> bool:
        """True if this voter may ask for votes."""
        return not (self.is_set or self.is_unsure) or self._is_new

    def may_grant(self, end_offset: int) -> bool:
        """True if it may vote for a candidate whose log ends at `end_offset`."""
        if self.is_unsure:
            return False
        return not self.is_set or (self._is_new and not end_offset)

    def voted(self) -> None:
        """Note a vote in the first election of a quorum; it is durable."""
        self._clear()

    def appended(self) -> None:
        """Note that the log has records, or a snapshot, durable or not: the quorum is not new."""
        self._is_new = False

    def search(self) -> None:
        """Note that another leader is followed, or the same one in another epoch."""
        self._found = _UNKNOWN

    def learned(self, *, was_voter: bool, has_all: bool) -> bool:
        """Note whether this node is a committed voter; true if it need not wait from now on.

        `has_all` is true if its log has everything below the leader's high watermark.
        """
        if not self.is_unsure:
            return False
        if was_voter:
            self.is_set, self.is_unsure = True, False
            self._warn()
        elif has_all:
            self._clear()
            return True
        return False

    def fetched(self, *, has_all: bool, high_watermark: int, end_offset: int) -> bool:
        """Note a fetch whose result is on the disk; true if this voter counts from now on.

        `has_all` is true if the leader had nothing that this log lacked.
        """
        if not self.is_set:
            return False
        if has_all and self._found == _UNKNOWN:
            self._found = end_offset
        if self._found != _UNKNOWN and self._found < high_watermark <= end_offset:
            _log.info("%s: votes and counts as a voter from now on", self.disk.root)
            self._clear()
        return not self.is_set

    def _clear(self) -> None:
        if self.is_set or self.is_unsure:
            self.is_set = self.is_unsure = False
            self.disk.remove(VOTES_FORGOTTEN)
            self.disk.sync_dir(METADATA_FOLDER)
