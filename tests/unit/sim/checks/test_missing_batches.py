"""Compacted logs of unclean leaders: what they lack was cleaned, or was never there."""

from types import SimpleNamespace

import pytest

from minikafka.sim.checks.committed_records import UNCLEAN_ELECTION, Committed, Lost
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of, values_of
from minikafka.sim.checks.missing_batches import first_replaced, is_left_over
from minikafka.sim.checks.replica_checks import ReplicaChecks
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.violation import Violation
from tests.worlds.one_log import NOW, append, batch, open_log


@pytest.mark.parametrize("is_open", [True, False], ids=["unclean election", "no such election"])
@pytest.mark.parametrize(
    ("committed", "is_replaced"),
    [
        (BatchIdentity(0, 1, 1, 0), False),
        (BatchIdentity(0, 1, 1, 8), True),
        (BatchIdentity(0, 0, 1, 8), True),
        (BatchIdentity(0, 0, 1, 0), True),
        (BatchIdentity(0, 3, 1, 0), True),
        (BatchIdentity(1, 3, 1, 2), True),
    ],
    ids=["cleaned", "other epoch", "shorter", "of its epoch", "longer", "later"],
)
def test_a_batch_whose_offsets_have_records(is_open, committed, is_replaced):
    """A cleaning keeps the offsets and the epoch of a batch, and not its checksum."""
    log = open_log(SimDisk(), compacted=True)
    append(log, 2, epoch=0)
    append(log, 2, epoch=2)
    known = Committed(is_open=is_open, unclean_epoch=9)
    known.add(committed, (b"v",))
    assert (first_replaced(log, known) == committed) is is_replaced


@pytest.mark.parametrize(
    ("is_open", "epoch", "is_missing"),
    [(True, 0, False), (True, 8, True), (False, 8, False)],
    ids=["cleaned", "of another history", "no unclean election"],
)
def test_a_batch_that_is_not_there(is_open, epoch, is_missing):
    log = open_log(SimDisk(), compacted=True)
    log.append_as_follower(batch(2, base_offset=2, leader_epoch=0), leader_epoch=2, now=NOW)
    append(log, 2, epoch=2)
    known = Committed(is_open=is_open, unclean_epoch=9)
    missing = BatchIdentity(0, 0, 1, epoch)
    known.add(missing, (b"v",))
    assert (first_replaced(log, known) == missing) is is_missing


def test_the_next_leader_has_cleaned_another_history():
    """It lacks a committed batch, is excused, and commits what its log has behind a gap."""
    log = open_log(SimDisk(), compacted=True)
    append(log, 2, epoch=0)
    log.append_as_follower(batch(2, base_offset=5, leader_epoch=0), leader_epoch=0, now=NOW)
    log.update_high_watermark(7)
    node = SimpleNamespace(host="n1", config=SimpleNamespace(node_id=1))
    where = log.topic_partition
    partition = SimpleNamespace(topic_partition=where, log=log, leader_epoch=6)
    removed = []
    checks = ReplicaChecks(
        nodes={},
        on_removed=lambda *lost: removed.append(lost),
        is_excused=lambda node_id, where, offset: offset == 2,
    )
    known = checks.of(where)
    known.add(batches_of(log, 0, 2)[0], (b"v", b"v"))
    with pytest.raises(Violation, match="^H2: t-0: n1 commits .*base_offset=5"):
        checks._grow(node, partition, known)
    known.add(BatchIdentity(2, 6, 1, 2), (b"w",) * 5)
    checks._compacted_leader_is_complete(node, partition, known)
    assert removed == [(where, 2)]
    checks._grow(node, partition, known)
    assert known.end_offset == 7


REMOVED = BatchIdentity(2, 3, 1, 0)


def with_gap():
    """A log whose batches at the offsets 2 to 4 were cleaned."""
    log = open_log(SimDisk(), compacted=True)
    append(log, 2, epoch=0)
    log.append_as_follower(batch(2, base_offset=5, leader_epoch=3), leader_epoch=3, now=NOW)
    return log


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (REMOVED, True),
        (REMOVED._replace(crc=9), True),
        (REMOVED._replace(leader_epoch=1), False),
        (REMOVED._replace(last_offset=2), False),
    ],
    ids=["removed", "cleaned in part", "of another epoch", "another batch"],
)
def test_a_batch_is_left_over_if_an_election_has_removed_it(kept, expected):
    known = Committed(lost=[Lost(REMOVED, (b"v", b"v"), UNCLEAN_ELECTION, 3)])
    assert is_left_over(kept, known, with_gap()) is expected
    assert not is_left_over(kept, Committed(), with_gap())


def test_no_batch_is_left_over_that_the_leader_has_replaced():
    leader = open_log(SimDisk(), compacted=True)
    append(leader, 2, epoch=0)
    append(leader, 1, epoch=3)
    known = Committed(lost=[Lost(REMOVED, (b"v", b"v"), UNCLEAN_ELECTION, 3)])
    assert not is_left_over(REMOVED, known, leader)


def test_what_is_left_over_does_not_count_when_its_replica_leads():
    log = open_log(SimDisk(), compacted=True)
    append(log, 2, epoch=0)
    append(log, 2, epoch=0)
    known = Committed()
    known.add(BatchIdentity(0, 1, 1, 0), (b"v", b"v"))
    known.add(BatchIdentity(2, 3, 1, 3), (b"w", b"w"))
    assert first_replaced(log, known) == known.batches[1]
    assert first_replaced(log, known, {2}) is None


@pytest.mark.parametrize("leader_has_cleaned", [True, False])
def test_a_follower_with_a_record_that_an_election_has_removed(monkeypatch, leader_has_cleaned):
    follower = open_log(SimDisk(), compacted=True)
    append(follower, 2, epoch=0)
    append(follower, 2, epoch=0)
    leader = with_gap()
    if not leader_has_cleaned:
        leader = open_log(SimDisk(), compacted=True)
        append(leader, 2, epoch=0)
        append(leader, 2, epoch=3)
    where = follower.topic_partition
    checks = ReplicaChecks({}, on_removed=lambda *_: None, is_excused=lambda *_: False)
    checks.image = SimpleNamespace(partition=lambda *_: SimpleNamespace(leader=1))
    logs = {(1, where): leader}
    monkeypatch.setattr(ReplicaChecks, "_log", lambda _, *asked: logs.get(asked))
    known = checks.of(where)
    known.add(batches_of(follower, 0, 2)[0], values_of(follower, batches_of(follower, 0, 2)[0]))
    known.add(BatchIdentity(2, 3, 1, 3), (b"w", b"w"))
    known.lost.append(Lost(REMOVED, (b"v", b"v"), UNCLEAN_ELECTION, 3))
    node = SimpleNamespace(host="n2", config=SimpleNamespace(node_id=2))
    if leader_has_cleaned:
        checks._cleaned_log_matches(node, follower, known, 0, 4)
        assert known.left_over == {2: {2}}
        return
    with pytest.raises(Violation, match="^LogMatching: t-0: n2 has .* b'w' is committed$"):
        checks._cleaned_log_matches(node, follower, known, 0, 4)
