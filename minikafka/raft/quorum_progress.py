"""The leader's view of the other nodes: how far each voter and observer has fetched.

Source: `LeaderState`; KIP-595.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from minikafka.common.clock import Now
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.raft.voter_set import RaftVoter, VoterSet

_Key = tuple[int, Uuid]
_OBSERVER_TIMEOUT_MS = 300_000
_MAX_OBSERVERS = 1_000


@dataclass(slots=True, eq=False, repr=False)
class Progress:
    """A leader's view of a voter or an observer; times are wall clock (DescribeQuorum)."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int = -1
    last_fetch_ms: int = -1
    last_caught_up_ms: int = -1


@dataclass(slots=True, eq=False, repr=False)
class QuorumProgress:
    """The nodes that have fetched from this leader: the voters, and those that are none.

    A node that is not a voter is dropped when it has not fetched for five minutes, or when more
    than a thousand others have fetched since: any client may call itself an observer.
    """

    _voters: dict[_Key, Progress] = field(default_factory=dict)
    _observers: dict[_Key, Progress] = field(default_factory=dict)
    """The one that has fetched last is the last."""

    def __iter__(self) -> Iterator[Progress]:
        yield from self._voters.values()
        yield from self._observers.values()

    def fetched(
        self,
        node_id: int,
        directory_id: Uuid,
        fetch_offset: int,
        *,
        voters: VoterSet | None,
        end_offset: int,
        now: Now,
    ) -> None:
        """Note that a node has everything below `fetch_offset`; the log ends at `end_offset`."""
        if voters is not None and voters.includes(node_id, directory_id):
            key = _key(voters.voters[node_id])
            progress = self._voters.setdefault(key, Progress(node_id, directory_id))
            progress.directory_id = directory_id
        else:
            key = (node_id, directory_id)
            progress = self._observers.pop(key, Progress(node_id, directory_id))
            self._observers[key] = progress
            self._drop_observers(now)
        progress.log_end_offset = fetch_offset
        progress.last_fetch_ms = now.wall_ms
        if fetch_offset >= end_offset:
            progress.last_caught_up_ms = now.wall_ms

    def _drop_observers(self, now: Now) -> None:
        """Drop the observers that are gone; the last one fetches now."""
        while len(self._observers) > 1:
            key, oldest = next(iter(self._observers.items()))
            is_gone = oldest.last_fetch_ms + _OBSERVER_TIMEOUT_MS < now.wall_ms
            if not is_gone and len(self._observers) <= _MAX_OBSERVERS:
                return
            del self._observers[key]

    def regroup(self, voters: VoterSet) -> None:
        """Use new voters: what is known of a node stays when it becomes one, or ceases to be."""
        everyone = [*self._voters.values(), *self._observers.values()]
        self._voters.clear()
        self._observers.clear()
        for each in sorted(everyone, key=lambda it: it.last_fetch_ms):
            if voters.includes(each.node_id, each.directory_id):
                self._voters[_key(voters.voters[each.node_id])] = each
            else:
                self._observers[each.node_id, each.directory_id] = each

    def observer(self, node_id: int, directory_id: Uuid) -> Progress | None:
        """The progress of a node that is no voter; None if it has not fetched."""
        return self._observers.get((node_id, directory_id))

    def of(self, voter: RaftVoter) -> Progress | None:
        """The progress of a voter; None if it has not fetched from this leader."""
        return self._voters.get(_key(voter))

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
        progress = self.of(voters.voters[voter_id])
        return -1 if progress is None else progress.log_end_offset


def _key(voter: RaftVoter) -> _Key:
    """The key of a voter. A static one is the same voter with a new directory."""
    return voter.node_id, voter.directory_id or ZERO_UUID
