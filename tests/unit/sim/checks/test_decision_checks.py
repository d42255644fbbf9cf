"""What leaders and coordinators do is compared with what coordinators have committed before."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.checks.decision_checks import DecisionChecks
from minikafka.sim.checks.log_scan import Begun, StoredMarker
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.violation import Violation
from minikafka.transaction.records import transaction_key, transaction_value
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction
from tests.worlds.one_log import NOW, open_log

COORDINATOR = TopicPartition("__transaction_state", 0)
A, B = TopicPartition("t", 0), TopicPartition("t", 1)
TIME_MS = 50_000


class Replica:
    """A replica of the coordinator's partition, which leads."""

    def __init__(self, node_id=1, leader_epoch=0):
        self.log = open_log(SimDisk(), clean=True)
        self.node = SimpleNamespace(config=SimpleNamespace(node_id=node_id), host=f"n{node_id}")
        self.partition = SimpleNamespace(
            topic_partition=COORDINATOR, log=self.log, is_leader=True, leader_epoch=leader_epoch
        )

    def write(self, state, *partitions, name="a", producer=(7, 0), leader_epoch=0):
        """Append a record of a transactional id; a state of None is a tombstone."""
        value = None if state is None else transaction_value(
            Transaction(
                producer_id=producer[0], producer_epoch=producer[1], timeout_ms=1_000,
                state=TransactionState[state], updated_ms=TIME_MS,
                partitions=frozenset(partitions),
            ),
            2,
        )  # fmt: skip
        batch = build_batch(
            [NewRecord(TIME_MS, transaction_key(name), value)],
            BatchOptions(base_offset=self.log.log_end_offset, leader_epoch=leader_epoch),
        )
        self.log.append_as_follower(memoryview(batch), leader_epoch=leader_epoch, now=NOW)

    def commit_all(self):
        self.log.update_high_watermark(self.log.log_end_offset)


class World:
    """One coordinator, and what leaders of A and B do."""

    def __init__(self):
        self.checks = DecisionChecks()
        self.coordinator = Replica()

    def commit(self, state, *partitions, **more):
        self.coordinator.write(state, *partitions, **more)
        self.coordinator.commit_all()
        self.check()

    def check(self, replica=None):
        replica = replica or self.coordinator
        self.checks.check(replica.node, replica.partition)

    def begins(self, where, producer=(7, 0)):
        self.checks.check_beginnings(self.coordinator.node, where, [Begun(0, *producer)])

    def marks(self, where, producer=(7, 0), *, is_commit=True):
        marker = StoredMarker(1, 0, *producer, is_commit, has_new_epoch=True)
        self.checks.check_markers(self.coordinator.node, where, [marker])
        self.checks.committed_markers(where, [marker])


@pytest.fixture
def world():
    return World()


def test_a_transaction_that_follows_its_coordinator_breaks_nothing(world):
    world.commit("EMPTY")
    world.commit("ONGOING", A)
    world.begins(A)
    world.commit("ONGOING", A, B)
    world.begins(B)
    world.commit("PREPARE_COMMIT", A, B)
    world.marks(A)
    world.marks(B)
    world.commit("COMPLETE_COMMIT")
    rules = world.checks.coverage.rules
    counted = ("PartitionFirst", "DecisionFirst", "DecisionIsFinal", "MarkersFirst")
    assert [rules[name] for name in counted] == [2, 2, 1, 2]
    assert world.checks.lost_ids(COORDINATOR) == frozenset()


def test_a_partition_that_is_not_committed_is_not_in_the_transaction(world):
    world.coordinator.write("ONGOING", A)
    world.check()
    with pytest.raises(Violation, match="PartitionFirst: t-0"):
        world.begins(A)
    world.coordinator.commit_all()
    world.check()
    world.begins(A)
    with pytest.raises(Violation, match="PartitionFirst: t-1"):
        world.begins(B)
    with pytest.raises(Violation, match="PartitionFirst: t-0"):
        world.begins(A, producer=(7, 1))


def test_a_marker_before_its_decision_is_committed(world):
    world.commit("ONGOING", A)
    world.coordinator.write("PREPARE_COMMIT", A)
    world.check()
    with pytest.raises(Violation, match="DecisionFirst: t-0"):
        world.marks(A)
    world.coordinator.commit_all()
    world.check()
    world.marks(A)
    for where, producer, is_commit in ((B, (7, 0), True), (A, (7, 1), True), (A, (7, 0), False)):
        with pytest.raises(Violation, match="DecisionFirst"):
            world.marks(where, producer, is_commit=is_commit)


@pytest.mark.parametrize("after", ["PREPARE_ABORT", "COMPLETE_ABORT", "ONGOING", None])
def test_a_decision_is_final(world, after):
    world.commit("ONGOING", A)
    world.commit("PREPARE_COMMIT", A)
    world.marks(A)
    with pytest.raises(Violation, match="DecisionIsFinal"):
        world.commit(after)


def test_decisions_of_other_ids_are_independent(world):
    world.commit("ONGOING", A)
    world.commit("PREPARE_COMMIT", A)
    world.commit("ONGOING", A, name="b", producer=(8, 0))
    world.marks(A)
    world.commit("COMPLETE_COMMIT")


def test_a_transaction_is_complete_after_all_markers(world):
    world.commit("ONGOING", A, B)
    world.commit("PREPARE_ABORT", A, B)
    world.marks(A, is_commit=False)
    with pytest.raises(Violation, match="MarkersFirst.* t-1 "):
        world.commit("COMPLETE_ABORT")


def test_nothing_is_concluded_from_a_partition_that_was_not_read(world):
    world.commit("ONGOING", A)
    world.commit("PREPARE_COMMIT", A, B)
    world.marks(A)
    world.checks.unread[B] = None
    world.commit("COMPLETE_COMMIT")
    with pytest.raises(Violation):
        world.begins(A, producer=(9, 0))
    world.checks.unread[COORDINATOR] = None
    world.begins(A, producer=(9, 0))
    world.marks(B)
    world.commit("ONGOING", A, name="b", producer=(8, 0))
    world.begins(B, producer=(8, 0))


def test_the_ids_whose_records_the_latest_leader_lacks(world):
    world.commit("EMPTY", name="a")
    world.commit("EMPTY", name="b", producer=(8, 0))
    other = Replica(node_id=2, leader_epoch=1)
    other.write("EMPTY", name="a")
    other.write("EMPTY", name="c", producer=(9, 0), leader_epoch=1)
    other.commit_all()
    world.check(other)
    assert world.checks.lost_ids(COORDINATOR) == frozenset("b")
    # A deposed leader does not know it yet.
    world.commit("EMPTY", name="d", producer=(10, 0))
    assert world.checks.lost_ids(COORDINATOR) == frozenset("bd")
    world.checks.unread[COORDINATOR] = None
    assert world.checks.lost_ids(COORDINATOR) == frozenset("abcd")


def test_a_log_that_was_truncated_is_read_again(world):
    world.commit("ONGOING", A)
    world.commit("PREPARE_COMMIT", A)
    log = world.coordinator.log
    log.truncate_to(1, NOW)
    world.coordinator.partition.leader_epoch = 2
    world.coordinator.write("PREPARE_ABORT", A, leader_epoch=2)
    world.coordinator.commit_all()
    world.check()
    world.marks(A, is_commit=False)
    world.commit("COMPLETE_ABORT", leader_epoch=2)
