"""Brokers with two log directories say where their replicas are (KIP-858)."""

import pytest

from minikafka.common.errors import ErrorCode, StaleBrokerEpochError, UnsupportedVersionError
from minikafka.common.ids import Uuid
from minikafka.controller import directory_assignments
from minikafka.controller.view import View
from minikafka.messages import assign_replicas_to_dirs as messages
from minikafka.metadata.features import METADATA_VERSION
from tests.worlds.quorum_world import QuorumWorld, formatted_disk

HOME, OTHER, UNKNOWN = Uuid.of(60, 1), Uuid.of(60, 2), Uuid.of(60, 3)
UNASSIGNED, LOST = Uuid.of(0, 1), Uuid.of(0, 2)


@pytest.fixture
def spread(world):
    """Topic t on 1 and 2, min ISR 2; broker 1 has two directories."""
    world.register(1, log_dirs=[HOME, OTHER])
    world.heartbeat(1)
    world.join(2)
    world.create(assignment=((1, 2),), configs={"min.insync.replicas": "2"})
    return world


def assign(world, directory, broker=1, topic_id=None, index=0, **changes):
    """(records, error code of the partition)."""
    request = messages.AssignReplicasToDirsRequest(
        broker_id=broker,
        broker_epoch=world.image.brokers[broker].epoch,
        directories=[
            messages.AssignReplicasToDirsRequestDirectoryData(
                directory,
                [
                    messages.AssignReplicasToDirsRequestTopicData(
                        topic_id or world.image.topic_ids["t"],
                        [messages.AssignReplicasToDirsRequestPartitionData(index)],
                    )
                ],
            )
        ],
    )
    for name, value in changes.items():
        setattr(request, name, value)
    records, response = world.apply(
        world.controller.decide(directory_assignments.assign_replicas_to_dirs, request)
    )
    ((row,),) = (topic.partitions for topic in response.directories[0].topics)
    assert response.directories[0].id == directory
    return records, row.error_code


def test_a_directory_is_noted_and_nothing_else_changes(spread):
    before = spread.partition()
    assert before.directory(1) == UNASSIGNED
    (record,), error = assign(spread, OTHER)
    assert error == ErrorCode.NONE
    now = spread.partition()
    assert (now.directory(1), now.directory(2)) == (OTHER, before.directory(2))
    assert (now.leader_epoch, now.isr, now.partition_epoch) == (0, (1, 2), 1)
    assert record.directories == list(now.directories)


def test_what_is_known_is_not_written_again(spread):
    assign(spread, OTHER)
    assert assign(spread, OTHER) == ([], ErrorCode.NONE)


def test_a_directory_that_fails_takes_the_leaderships_in_it_along(spread):
    assign(spread, OTHER)
    spread.heartbeat(1, offline_log_dirs=[OTHER])
    now = spread.partition()
    assert (now.leader, now.isr, now.elr) == (2, (2,), (1,))


def test_a_directory_that_failed_before_it_was_named_counts_as_failed(spread):
    spread.heartbeat(1, offline_log_dirs=[OTHER])
    assert spread.partition().leader == 1
    assert assign(spread, OTHER)[1] == ErrorCode.NONE
    now = spread.partition()
    assert (now.leader, now.isr) == (2, (2,))
    assert now.directory(1) == OTHER


def test_a_replica_that_restarted_empty_elsewhere_is_not_eligible(spread):
    """E2: its directory is gone; what is in the other one now is an empty log."""
    spread.enable_recovery()
    assign(spread, OTHER)
    spread.heartbeat(1, offline_log_dirs=[OTHER])
    assert spread.partition().elr == (1,)
    assign(spread, HOME)
    now = spread.partition()
    assert (now.isr, now.elr, now.last_known_elr) == ((2,), (), (1,))


def test_a_replica_whose_log_is_gone_is_not_eligible(spread):
    """E7: the broker says so itself; the directory works."""
    spread.enable_recovery()
    assign(spread, OTHER)
    assign(spread, LOST)
    now = spread.partition()
    assert (now.leader, now.isr, now.elr, now.last_known_elr) == (2, (2,), (), (1,))
    assign(spread, OTHER)
    now = spread.partition()
    assert (now.leader, now.isr, now.directory(1)) == (2, (2,), OTHER)


def test_the_last_known_leader_leads_again_once_its_log_is_back(world):
    """L6: it was unfenced before it said so, and no other event elects it."""
    world.register(1, log_dirs=[HOME, OTHER])
    world.heartbeat(1)
    world.create(assignment=((1,),))
    assign(world, LOST)
    now = world.partition()
    assert (now.leader, now.isr, now.elr, now.last_known_leader) == (-1, (), (), 1)
    assign(world, LOST)
    assert world.partition().leader == -1
    assign(world, OTHER)
    assert (world.partition().leader, world.partition().isr) == (1, (1,))


@pytest.mark.parametrize("elr", [0, 1])
def test_the_last_isr_member_leads_again_from_another_directory(elr):
    """Its disk came back under another id, with the log; no other event elects it."""
    world = QuorumWorld.started(
        formatted_disk({METADATA_VERSION: 30, "eligible.leader.replicas.version": elr})
    )
    world.register(1, log_dirs=[HOME])
    world.heartbeat(1)
    world.create(assignment=((1,),))
    assign(world, HOME)
    world.heartbeat(1, want_fence=True)
    world.register(1, epoch=world.image.brokers[1].epoch, log_dirs=[OTHER])
    world.heartbeat(1)
    assert world.partition().leader == -1
    assign(world, OTHER)
    now = world.partition()
    assert (now.leader, now.isr, now.directory(1)) == (1, (1,), OTHER)


def test_a_replica_that_moves_between_directories_that_work_stays(spread):
    assign(spread, OTHER)
    assign(spread, HOME)
    assert spread.partition().isr == (1, 2)


def test_what_cannot_be_assigned_is_named(spread):
    assert assign(spread, HOME, topic_id=UNKNOWN)[1] == ErrorCode.UNKNOWN_TOPIC_ID
    assert assign(spread, HOME, index=7)[1] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    spread.join(3)
    assert assign(spread, HOME, broker=3)[1] == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_another_incarnation_may_not_speak(spread):
    with pytest.raises(StaleBrokerEpochError):
        assign(spread, HOME, broker_epoch=1)


def test_a_level_without_directories_takes_none():
    world = QuorumWorld.started(formatted_disk({METADATA_VERSION: 16}))
    world.join(1)
    with pytest.raises(UnsupportedVersionError):
        assign(world, HOME, topic_id=UNKNOWN)


def test_a_directory_changes_neither_elr_nor_last_known_elr_e4(world):
    """apache/kafka#20716 cleared the ELR with the assignment of a directory."""
    for broker in (1, 2, 3):
        world.register(broker, log_dirs=[Uuid.of(60, 10 * broker), Uuid.of(60, 10 * broker + 1)])
        world.heartbeat(broker)
    world.enable_recovery()
    world.create(configs={"min.insync.replicas": "2"})
    world.propose(1, [1])
    for broker in (1, 2):
        (record,), _ = assign(world, Uuid.of(60, 10 * broker), broker)
        assert record.eligible_leader_replicas is None
        assert world.partition().elr == (2, 3)
    for broker in (1, 2, 3):
        world.fence(broker)
    world.register(2, log_dirs=[Uuid.of(60, 20), Uuid.of(60, 21)])
    before = world.partition()
    assert (before.leader, before.elr, before.last_known_elr) == (-1, (1, 3), (2,))
    assign(world, Uuid.of(60, 11), 1)
    after = world.partition()
    assert after.directory(1) == Uuid.of(60, 11)
    assert (after.leader, after.elr, after.last_known_elr, after.last_known_leader) == (
        -1, (1, 3), (2,), before.last_known_leader
    )  # fmt: skip


def test_the_work_for_each_replica_is_the_same_in_large_topics(world, monkeypatch):
    """2,000 replicas of a topic with 9,000 partitions took 1.7 s: each copied the topic's map."""
    world.register(1, log_dirs=[HOME, OTHER])
    world.heartbeat(1)
    world.join(2)
    world.create(assignment=((1, 2),) * 50)
    for index in range(50):
        assign(world, OTHER, index=index)
    world.fence(1)
    world.register(1, log_dirs=[HOME, UNKNOWN])
    world.heartbeat(1)
    monkeypatch.setattr(View, "after", lambda *_: pytest.fail("an image is built for a replica"))
    for index in range(50):
        _, error = assign(world, HOME, index=index)
        assert error == ErrorCode.NONE
        assert world.partition(index=index).directory(1) == HOME


def test_two_directories_that_fail_in_one_heartbeat_both_take_their_replicas_along(world):
    homes = [Uuid.of(60, x) for x in (1, 2, 3)]
    world.register(1, log_dirs=homes)
    world.heartbeat(1)
    world.join(2)
    world.create(assignment=((1, 2),) * 3)
    for index, home in enumerate(homes):
        assign(world, home, index=index)
    world.heartbeat(1, offline_log_dirs=homes[1:])
    assert world.image.brokers[1].log_dirs == (homes[0],)
    assert [world.partition(index=index).leader for index in range(3)] == [1, 2, 2]
    assert [world.partition(index=index).isr for index in range(3)] == [(1, 2), (2,), (2,)]
