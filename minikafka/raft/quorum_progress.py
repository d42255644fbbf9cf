"""The leader's view of the other nodes: how far each voter and observer has fetched.

Source: `LeaderState`; KIP-595.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from minikafka.common.clock import Now
from minikafka.common.ids import Uuid
from minikafka.raft.voter_set import VoterSet


@dataclass(slots=True)
class Progress:
    """A leader's view of a voter or an observer; times are wall clock (DescribeQuorum)."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int = -1
    last_fetch_ms: int = -1
    last_caught_up_ms: int = -1


@dataclass(slots=True)
class QuorumProgress:
    """The nodes that have fetched from this leader, by id and directory id."""

    _nodes: dict[tuple[int, Uuid], Progress] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self._nodes.values())

    def fetched(
        self, node_id: int, directory_id: Uuid, fetch_offset: int, *, end_offset: int, now: Now
    ) -> None:
        """Note that a node has everything below `fetch_offset`; the log ends at `end_offset`."""
        key = (node_id, directory_id)
        progress = self._nodes.get(key)
        if progress is None:
            progress = self._nodes[key] = Progress(node_id, directory_id)
        progress.log_end_offset = fetch_offset
        progress.last_fetch_ms = now.wall_ms
        if fetch_offset >= end_offset:
            progress.last_caught_up_ms = now.wall_ms

    def ends_of(self, voters: VoterSet) -> dict[int, int]:
        """The end offset of each voter's log by id, -1 if unknown."""
        return {voter_id: self._voter_end(voters, voter_id) for voter_id in voters.ids}

    def voter_ends(self, voters: VoterSet, own_id: int, own_end: int) -> list[int]:
        """The end offset of each voter's log, -1 if unknown; `own_end` for the node `own_id`."""
        return [
            own_end if voter_id == own_id else self._voter_end(voters, voter_id)
            for voter_id in voters.ids
        ]

    def _voter_end(self, voters: VoterSet, voter_id: int) -> int:
        known = voters.voters[voter_id].directory_id
        for (node_id, directory_id), progress in self._nodes.items():
            if node_id == voter_id and known in (None, directory_id):
                return progress.log_end_offset
        return -1
