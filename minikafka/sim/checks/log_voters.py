"""The voters that nodes use are those of their logs, and change one at a time (KIP-853)."""

from dataclasses import dataclass, field

from minikafka.common.ids import Uuid
from minikafka.raft.raft_log import MetadataBatch
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import ControlType
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation

_Voters = frozenset[tuple[int, Uuid | None]]


@dataclass(slots=True)
class LogVoters:
    """The voters in the log of each node as the records say, and the committed ones."""

    coverage: Coverage
    _logged: dict[tuple[int, int], tuple[int, list[tuple[int, VoterSet]]]] = field(
        default_factory=dict
    )
    """By node and start: the end of what was read, and offsets of voters with the voters."""
    _committed: _Voters | None = None

    def check(self, node: SimNode, raft: RaftNode) -> None:
        """Compare the voters that a node uses with its log.

        Raises:
            Violation: it uses others, or leads and has appended two changes that are not
                committed.
        """
        key = (raft.node_id, node.starts)
        end, rows = self._logged.get(key, (raft.quorum.adopted_offset, []))
        if end == raft.end_offset and key in self._logged:
            return
        rows = [row for row in rows if row[0] < raft.end_offset]
        begin = max(min(end, raft.end_offset), raft.log.start_offset, raft.quorum.adopted_offset)
        for batch in raft.log.batches(begin, raft.end_offset, control_only=True):
            rows += _voters_in(batch)
        self._logged[key] = raft.end_offset, rows
        if not rows or rows[-1][0] < raft.quorum.adopted_offset:
            return
        self.coverage.rules["VotersOfTheLog"] += 1
        if raft.voters != rows[-1][1]:
            known = None if raft.voters is None else raft.voters.ids
            raise Violation(
                f"VotersOfTheLog: {node.host} uses the voters {known}, its log has "
                f"{rows[-1][1].ids} from offset {rows[-1][0]}"
            )
        # Before a record of its epoch is committed, a leader does not know which records are.
        if raft.is_leader and raft.high_watermark > raft.epoch_start_offset:
            self._check_uncommitted(raft, rows)

    def _check_uncommitted(self, raft: RaftNode, rows: list[tuple[int, VoterSet]]) -> None:
        """Compare the latest voters in a leader's log with the latest committed ones."""
        adopted, end = raft.quorum.adopted_offset, raft.high_watermark
        committed = _adopted(raft) or rows[0][1]
        for offset, voters in rows:
            if adopted <= offset < end:
                committed = voters
        if len(_keys(committed) ^ _keys(rows[-1][1])) > 1:
            raise Violation(
                f"OneVoterAtATime: n{raft.node_id} has appended the voters {rows[-1][1].ids}, "
                f"{committed.ids} are committed"
            )

    def committed(self, batch: MetadataBatch) -> None:
        """Compare the voters of a batch with the ones before.

        Raises:
            Violation: more than one voter was added or removed at once.
        """
        for offset, voters in _voters_in(batch):
            now = _keys(voters)
            before, self._committed = self._committed, now
            if before is None:
                continue
            self.coverage.rules["OneVoterAtATime"] += 1
            if len(before ^ now) > 1:
                raise Violation(
                    f"OneVoterAtATime: at offset {offset} the voters {_ids(before)} became "
                    f"{_ids(now)}"
                )


def _adopted(raft: RaftNode) -> VoterSet | None:
    """The voters in the snapshot that a node loaded last; None without a snapshot or voters."""
    voters, kraft_version = raft.quorum.history.at(raft.quorum.adopted_offset)
    return voters if kraft_version else None


def _voters_in(batch: MetadataBatch) -> list[tuple[int, VoterSet]]:
    return [
        (offset, VoterSet.from_record(value))
        for offset, (kind, value) in enumerate(batch.control, batch.base_offset)
        if kind == ControlType.KRAFT_VOTERS
    ]


def _keys(voters: VoterSet) -> _Voters:
    return frozenset((each.node_id, each.directory_id) for each in voters.voters.values())


def _ids(voters: _Voters) -> list[int]:
    return sorted(node_id for node_id, _ in voters)
