"""The directories of a broker's replicas, on the way to the controller."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.messages import assign_replicas_to_dirs as messages
from minikafka.replica.directory_assignments import DirectoryAssignments
from tests.worlds.broker_view import local_broker
from tests.worlds.wire_world import Wire

TOPIC = Uuid.of(7, 7)
ONE, TWO = Uuid.of(9, 1), Uuid.of(9, 2)
RETRY_MS = 200


def replica(index):
    return TopicIdPartition(TOPIC, index)


class World(Wire):
    def __init__(self):
        super().__init__()
        self.local = local_broker(self, epoch=10)
        self.assignments = DirectoryAssignments(
            self.env, self.controller_channel("directories"), self.local
        )

    def reply(self, sent, code=0):
        """Take everything, or refuse each partition with `code`."""
        self.answer(
            sent,
            messages.AssignReplicasToDirsResponse(
                directories=[
                    messages.AssignReplicasToDirsResponseDirectoryData(
                        directory.id,
                        [
                            messages.AssignReplicasToDirsResponseTopicData(
                                topic.topic_id,
                                [
                                    messages.AssignReplicasToDirsResponsePartitionData(
                                        it.partition_index, code
                                    )
                                    for it in topic.partitions
                                ],
                            )
                            for topic in directory.topics
                        ],
                    )
                    for directory in sent.body.directories
                ]
            ),
        )


def told(sent):
    return {
        (directory.id, it.partition_index)
        for directory in sent.body.directories
        for topic in directory.topics
        for it in topic.partitions
    }


@pytest.fixture
def world():
    return World()


def test_what_is_noted_in_one_turn_goes_into_one_request(world):
    world.assignments.assign(replica(0), ONE)
    world.assignments.assign(replica(1), TWO)
    sent = world.one()
    assert (sent.body.broker_id, sent.body.broker_epoch) == (1, 10)
    assert told(sent) == {(ONE, 0), (TWO, 1)}
    world.reply(sent)
    assert world.assignments.pending == {}
    assert world.sent(RETRY_MS) == []


def test_what_the_controller_has_accepted_is_passed_on(world):
    accepted = []
    world.assignments.listener = SimpleNamespace(accepted=lambda *each: accepted.append(each))
    world.assignments.assign(replica(0), ONE)
    sent = world.one()
    world.assignments.assign(replica(0), TWO)
    world.reply(sent)
    assert accepted == [(replica(0), ONE)]
    (sent,) = world.sent(0)
    world.reply(sent, ErrorCode.UNKNOWN_TOPIC_ID)
    assert (accepted, world.assignments.pending) == ([(replica(0), ONE)], {})


def test_a_request_has_at_most_two_thousand(world):
    for index in range(2001):
        world.assignments.assign(replica(index), ONE)
    sent = world.one()
    assert len(told(sent)) == 2000
    assert world.sent() == []
    world.reply(sent)
    assert told(world.one()) == {(ONE, 2000)}


def test_a_replica_that_moved_meanwhile_is_reported_again(world):
    world.assignments.assign(replica(0), ONE)
    sent = world.one()
    world.assignments.assign(replica(0), TWO)
    world.reply(sent)
    assert told(world.one()) == {(TWO, 0)}


def test_a_refusal_of_the_whole_is_tried_again_later(world):
    world.assignments.assign(replica(0), ONE)
    refusal = messages.AssignReplicasToDirsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
    world.answer(world.one(), refusal)
    assert world.sent(RETRY_MS - 1) == []
    world.local.broker_epoch = 20
    assert world.one(1).body.broker_epoch == 20


def test_a_refusal_of_a_partition_is_tried_again_later(world):
    world.assignments.assign(replica(0), ONE)
    world.reply(world.one(), ErrorCode.UNKNOWN_SERVER_ERROR)
    assert world.sent(RETRY_MS - 1) == []
    assert told(world.one(1)) == {(ONE, 0)}


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ],
)
def test_a_replica_that_the_controller_does_not_have_is_forgotten(world, code):
    world.assignments.assign(replica(0), ONE)
    world.reply(world.one(), code)
    assert world.assignments.pending == {}


def test_what_is_known_meanwhile_is_not_told(world):
    world.assignments.assign(replica(0), ONE)
    world.assignments.forget(replica(0))
    assert world.sent() == []


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER])
def test_an_answer_about_a_former_replica_settles_no_new_one(world, code):
    accepted = []
    world.assignments.listener = SimpleNamespace(accepted=lambda *each: accepted.append(each))
    world.assignments.assign(replica(0), ONE)
    sent = world.one()
    world.assignments.forget(replica(0))
    world.assignments.assign(replica(0), ONE)
    world.reply(sent, code)
    assert accepted == []
    assert told(world.one(RETRY_MS)) == {(ONE, 0)}
