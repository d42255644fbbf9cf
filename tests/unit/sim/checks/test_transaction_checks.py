"""The transactions of leaders are compared with the batches of their logs."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.sim.checks.log_scan import LogScan
from minikafka.sim.checks.transaction_checks import TransactionChecks
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.violation import Violation
from tests.worlds.one_log import NOW, open_log

WHERE = TopicPartition("t", 0)
TIME_MS = 50_000


class World:
    """One replica, which is the leader, and its checks."""

    def __init__(self, **config):
        self.log = open_log(SimDisk(), clean=True, **config)
        self.checks = TransactionChecks(topics=frozenset(["t"]))
        # There is no coordinator.
        self.checks.missed(TopicPartition("__transaction_state", 0))
        self.node = SimpleNamespace(config=SimpleNamespace(node_id=1), starts=1, host="n1")
        self.partition = SimpleNamespace(
            topic_partition=WHERE, log=self.log, is_leader=True, leader_epoch=0
        )

    def add(self, batch):
        self.log.append_as_follower(memoryview(batch), leader_epoch=0, now=NOW)

    def data(self, producer_id, epoch=0, sequence=0, count=1):
        rows = [NewRecord(TIME_MS, None, b"v") for _ in range(count)]
        self.add(build_batch(rows, BatchOptions(
            base_offset=self.log.log_end_offset, leader_epoch=0, producer_id=producer_id,
            producer_epoch=epoch, base_sequence=sequence, is_transactional=True,
        )))  # fmt: skip

    def marker(self, producer_id, epoch=0, kind=ControlType.ABORT):
        self.add(build_batch(
            [control_record(kind, end_marker_value(0), TIME_MS)],
            BatchOptions(
                base_offset=self.log.log_end_offset, leader_epoch=0, producer_id=producer_id,
                producer_epoch=epoch, is_transactional=True, is_control=True,
            ),
        ))  # fmt: skip

    def commit_all(self):
        self.log.update_high_watermark(self.log.log_end_offset)

    def check(self):
        self.checks.check(self.node, self.partition)


@pytest.fixture
def world():
    return World()


def test_a_scan_finds_open_and_aborted_transactions(world):
    world.data(1, count=2)
    world.data(2)
    world.marker(1)
    world.data(1, sequence=2)
    world.marker(2, kind=ControlType.COMMIT)
    scan = LogScan.of(world.log)
    scan.go_on()
    assert scan.open == {1: 4}
    assert scan.aborted == [AbortedTransaction(1, 0, 3, 2)]
    assert scan.aborted == world.log.aborted_transactions(0, 6)
    assert [(x.base_offset, x.producer_id, x.is_commit) for x in scan.markers] == [
        (3, 1, False), (5, 2, True)
    ]  # fmt: skip
    world.marker(1, kind=ControlType.COMMIT)
    scan.go_on()
    assert scan.open == {}
    assert [x.base_offset for x in scan.markers] == [6]


def test_a_scan_of_batches_that_were_truncated_is_not_valid(world):
    world.data(1)
    world.data(1, sequence=1)
    scan = LogScan.of(world.log)
    scan.go_on()
    assert scan.is_valid(world.log)
    world.log.truncate_to(1, NOW)
    assert not scan.is_valid(world.log)
    world.log.append_as_follower(
        memoryview(build_batch([NewRecord(TIME_MS, None, b"w")] * 2, BatchOptions(
            base_offset=1, leader_epoch=3
        ))), leader_epoch=3, now=NOW,
    )  # fmt: skip
    assert not scan.is_valid(world.log)


def test_a_scan_that_retention_has_overtaken_starts_again(world):
    """The batches between its end and the new start of the log were never read."""
    world.data(1)
    world.check()
    world.partition.is_leader = False
    world.data(2)
    world.marker(1)
    world.log.roll(NOW)
    world.marker(2)
    world.data(1, sequence=1)
    world.marker(1)
    world.commit_all()
    world.log.increment_log_start_offset(3)
    world.log.delete_old_segments(NOW)
    assert world.log.aborted_transactions(3, 6) == [
        AbortedTransaction(2, 1, 3, 4), AbortedTransaction(1, 4, 5, 6)
    ]  # fmt: skip
    world.partition.is_leader = True
    world.check()
    world.checks.check_at_end(world.node, world.partition)
    assert world.checks.open_transactions(world.node, world.partition) == {}


def without_first_batches():
    """A replica whose log begins at offset 3, within transactions of producers 1, 2 and 3."""
    world = World()
    for producer_id in (1, 2, 3):
        world.data(producer_id)
    world.commit_all()
    world.log.roll(NOW)
    world.log.increment_log_start_offset(3)
    world.log.delete_old_segments(NOW)
    world.data(2, sequence=1)
    for producer_id in (1, 2, 4):
        world.data(4, sequence=producer_id)
        world.marker(producer_id)
    world.data(2, sequence=2)
    world.marker(2)
    world.marker(3, kind=ControlType.COMMIT)
    world.commit_all()
    return world


def test_an_index_is_compared_from_the_first_batch_that_is_left():
    world = without_first_batches()
    assert world.log.aborted_transactions(3, 13) == [
        AbortedTransaction(1, 0, 5, 1), AbortedTransaction(2, 1, 7, 2),
        AbortedTransaction(4, 4, 9, 2), AbortedTransaction(2, 10, 11, 2),
    ]  # fmt: skip
    world.check()
    world.checks.check_at_end(world.node, world.partition)


@pytest.mark.parametrize(
    ("at", "entry"),
    [
        (0, AbortedTransaction(9, 0, 5, 1)),
        (0, AbortedTransaction(1, 4, 5, 1)),
        (1, None),
        (1, AbortedTransaction(2, 4, 7, 2)),
        (2, None),
        (2, AbortedTransaction(4, 6, 9, 2)),
        (2, AbortedTransaction(4, 4, 9, 4)),
        (3, AbortedTransaction(2, 2, 11, 2)),
        (3, AbortedTransaction(2, 10, 12, 2)),
    ],
)
def test_a_wrong_entry_behind_the_first_batches(at, entry):
    world = without_first_batches()
    entries = world.log.segments.active.indexes.aborted
    entries[at : at + 1] = [] if entry is None else [entry]
    with pytest.raises(Violation, match="^AbortedIndex: .* in its index, its log has"):
        world.checks.check_at_end(world.node, world.partition)


def test_sound_transactions_break_no_rule(world):
    for sequence in range(40):
        world.data(1, epoch=sequence)
        world.data(2, sequence=sequence)
        world.check()
        world.marker(1, epoch=sequence)
        world.commit_all()
        world.check()
        world.marker(2, kind=ControlType.COMMIT)
        world.commit_all()
        world.check()
    world.checks.check_at_end(world.node, world.partition)
    rules = world.checks.coverage.rules
    assert all(rules[name] > 40 for name in ("StableOffset", "FencedEpoch", "AbortedIndex"))


def test_a_stable_offset_above_an_open_transaction(world, monkeypatch):
    world.data(1)
    world.commit_all()
    world.check()
    monkeypatch.setattr(ProducerState, "first_unstable_offset", property(lambda _: None))
    with pytest.raises(Violation, match="^StableOffset: t-0: n1 has last stable offset 1, "):
        world.check()


def test_a_stable_offset_that_moves_back(world, monkeypatch):
    world.data(1)
    world.marker(1)
    world.commit_all()
    world.check()
    monkeypatch.setattr(ProducerState, "first_unstable_offset", property(lambda _: 1))
    with pytest.raises(Violation, match="^StableOffset: .* before 2"):
        world.check()
    world.partition.leader_epoch = 1
    world.check()


def test_retention_removes_records_of_open_transactions(world):
    """As in Kafka: the last stable offset is the log start offset then."""
    world.data(1)
    world.log.roll(NOW)
    world.data(2)
    world.commit_all()
    world.log.increment_log_start_offset(1)
    world.check()


def test_a_batch_with_an_old_epoch(world):
    world.data(1, epoch=2)
    world.data(1, epoch=1)
    with pytest.raises(Violation, match="^FencedEpoch: t-0: n1: the batch at 1 has epoch 1"):
        world.check()


def test_a_marker_with_the_epoch_of_its_transaction(world):
    world.data(1, epoch=1)
    world.marker(1, epoch=2)
    world.data(1, epoch=2)
    world.check()
    world.marker(1, epoch=2)
    world.check()
    world.checks.epochs_are_bumped = True
    world.data(1, epoch=3)
    world.marker(1, epoch=3)
    with pytest.raises(Violation, match="^EpochBump: t-0: n1: the marker at 5 "):
        world.check()


def test_an_index_without_the_last_aborted_transaction(world):
    world.data(1)
    world.commit_all()
    world.check()
    world.marker(1)
    world.log.segments.active.indexes.aborted.clear()
    with pytest.raises(Violation, match="^AbortedIndex: t-0: n1 has \\[\\] at the end"):
        world.check()


class GapWorld(World):
    """A log that begins at offset 2, as if a cleaning had removed what was before."""

    def __init__(self, *, compacted):
        super().__init__(compacted=compacted)
        self.add(build_batch([NewRecord(TIME_MS, None, b"v")], BatchOptions(
            base_offset=2, leader_epoch=0
        )))  # fmt: skip
        self.data(1)
        self.log.roll(NOW)
        self.data(2)
        self.data(1, sequence=1)
        self.commit_all()
        self.check()

    def end(self, producer, changes):
        """Abort a transaction of a producer id, and change its entry in the index."""
        self.marker(producer)
        entries = self.log.segments.active.indexes.aborted
        entries[-1] = entries[-1]._replace(**changes)


EARLIER = {"first_offset": 1}


@pytest.mark.parametrize(
    ("producer_id", "changes"),
    [(1, {}), (1, EARLIER), (2, {"last_stable_offset": 1})],
    ids=["as the log", "first batch is gone", "held back by what is gone"],
)
def test_an_index_knows_the_beginnings_that_were_cleaned(producer_id, changes):
    world = GapWorld(compacted=True)
    world.end(producer_id, changes)
    compared = world.checks.coverage.rules["AbortedIndex"]
    world.check()
    assert world.checks.coverage.rules["AbortedIndex"] > compared


@pytest.mark.parametrize(
    ("producer_id", "changes"),
    [
        (1, {"first_offset": 2}),
        (1, {"first_offset": 4}),
        (1, {"producer_id": 2, **EARLIER}),
        (1, {"last_stable_offset": 3}),
        (1, {"last_stable_offset": 5}),
        (2, {"first_offset": 3}),
        (2, {"last_stable_offset": 2}),
        (2, {"last_stable_offset": 4}),
    ],
)
def test_a_wrong_entry_in_an_index_of_a_cleaned_log(producer_id, changes):
    world = GapWorld(compacted=True)
    world.end(producer_id, changes)
    with pytest.raises(Violation, match="^AbortedIndex: t-0: n1 has .* at the end of its index"):
        world.check()


def test_an_earlier_beginning_in_a_log_that_is_never_cleaned():
    world = GapWorld(compacted=False)
    world.end(1, EARLIER)
    with pytest.raises(Violation, match="^AbortedIndex"):
        world.check()


@pytest.mark.parametrize("first_offset", [0, 1])
def test_a_transaction_whose_marker_was_cleaned_before_the_replica_had_it(first_offset):
    world = World(compacted=True)
    world.data(1)
    world.data(1, epoch=2)
    world.marker(1, epoch=3)
    world.commit_all()
    asked = []
    world.checks.may_lack_marker = lambda *given: (
        asked.append(given) or given == (WHERE, 1, first_offset)
    )
    if first_offset == 0:
        world.checks.check_at_end(world.node, world.partition)
    else:
        with pytest.raises(Violation, match="of epochs 0 and 2, and no marker before 1$"):
            world.checks.check_at_end(world.node, world.partition)
    assert asked == [(WHERE, 1, 0)]


def test_the_index_of_a_new_leader_is_compared_as_a_whole(world):
    for sequence in range(3):
        world.data(1, sequence=sequence)
        world.marker(1)
    world.commit_all()
    world.check()
    del world.log.segments.active.indexes.aborted[0]
    world.check()
    world.partition.leader_epoch = 1
    with pytest.raises(Violation, match="^AbortedIndex: .* in its index, its log has"):
        world.check()
    with pytest.raises(Violation, match="^AbortedIndex"):
        world.checks.check_at_end(world.node, world.partition)


def test_damaged_replicas_and_other_topics_are_not_compared(world):
    world.data(1)
    world.marker(1)
    world.log.segments.active.indexes.aborted.clear()
    world.checks.is_damaged = lambda *_: True
    world.check()
    world.checks.is_damaged = lambda *_: False
    world.checks.topics = frozenset()
    world.check()
    world.checks.topics = frozenset(["t"])
    with pytest.raises(Violation):
        world.check()


def test_a_follower_is_scanned_when_it_leads(world):
    world.partition.is_leader = False
    world.data(1)
    world.data(2)
    world.check()
    assert not world.checks.coverage.rules
    world.partition.is_leader = True
    world.check()
    assert world.checks.open_transactions(world.node, world.partition) == {1: 0, 2: 1}
    world.partition.is_leader = False
    world.log.truncate_to(1, NOW)
    world.check()
    world.data(3)
    world.partition.is_leader = True
    assert world.checks.open_transactions(world.node, world.partition) == {1: 0, 3: 1}


def test_the_markers_of_a_damaged_leader_are_found_in_a_follower(world):
    """Seed 98001669: they were lost, and a committed read was taken for an aborted one."""
    world.data(1)
    world.marker(1)
    world.checks.is_damaged = lambda *_: True
    world.check()
    assert not world.checks.markers
    world.checks.is_damaged = lambda *_: False
    world.partition.is_leader = False
    world.check()
    (markers,) = world.checks.markers.values()
    assert [each.producer_id for each in markers.values()] == [1]
