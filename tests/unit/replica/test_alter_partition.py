"""ISR proposals on their way to the controller."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages import alter_partition as messages
from minikafka.metadata.partition_registration import LeaderRecoveryState
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.in_sync_replicas import IsrProposal, IsrState
from minikafka.rpc.envelope import MAX_CLIENT_REQUEST_ELEMENTS, decode_request, encode_request
from tests.unit.replica.conftest import TOPIC_ID
from tests.unit.replica.conftest import World as PartitionWorld
from tests.worlds.broker_view import local_broker
from tests.worlds.wire_world import Wire

RETRY_MS = 50


class World(Wire):
    """One partition whose proposals go through a manager."""

    def __init__(self):
        super().__init__()
        self.local = local_broker(self, epoch=10)
        self.manager = AlterPartitionManager(
            self.env, self.controller_channel("alter-partition"), self.local
        )
        self.inner = PartitionWorld()
        self.partition = self.inner.partition
        self.partition.proposals = self.manager
        self.inner.lead(isr=(1,))

    def join(self, broker):
        """A follower is caught up: the leader proposes it."""
        self.inner.fetch(broker, 0)

    def reply(self, sent, *, code=0, isr=(1, 2), epoch=1, leader_epoch=0, rows=True):
        row = messages.AlterPartitionResponsePartitionData(
            partition_index=0, error_code=code, leader_id=1, leader_epoch=leader_epoch,
            isr=list(isr), partition_epoch=epoch,
        )  # fmt: skip
        topic = messages.AlterPartitionResponseTopicData(topic_id=TOPIC_ID, partitions=[row])
        self.answer(sent, messages.AlterPartitionResponse(topics=[topic] if rows else []))

    def refuse(self, sent, code):
        self.answer(sent, messages.AlterPartitionResponse(error_code=code))


def isr_of(sent):
    ((row,),) = (topic.partitions for topic in sent.body.topics)
    return [(x.broker_id, x.broker_epoch) for x in row.new_isr_with_epochs]


@pytest.fixture
def world():
    return World()


def test_proposal_names_epochs_of_partition_and_brokers(world):
    world.join(2)
    sent = world.one()
    assert (sent.body.broker_id, sent.body.broker_epoch) == (1, 10)
    ((row,),) = (topic.partitions for topic in sent.body.topics)
    assert sent.body.topics[0].topic_id == TOPIC_ID
    assert (row.partition_index, row.leader_epoch, row.partition_epoch) == (0, 0, 0)
    assert isr_of(sent) == [(1, 10), (2, 10)]


def test_committed_proposal_is_the_isr(world):
    world.join(2)
    world.reply(world.one())
    assert world.partition.isr == IsrState((1, 2))
    assert world.partition.partition_epoch == 1
    assert world.sent(1000) == []


def test_proposals_of_one_turn_go_together(world):
    second = PartitionWorld()
    second.partition.proposals = world.manager
    second.partition.topic_partition = second.partition.topic_partition._replace(partition=1)
    second.lead(isr=(1,))
    world.join(2)
    second.fetch(3, 0)
    ((topic),) = world.one().body.topics
    assert [row.partition_index for row in topic.partitions] == [0, 1]


def test_one_request_is_under_way_at_a_time(world):
    world.join(2)
    sent = world.one()
    second = PartitionWorld()
    second.partition.proposals = world.manager
    second.partition.topic_partition = second.partition.topic_partition._replace(partition=1)
    second.lead(isr=(1,))
    second.fetch(3, 0)
    assert world.sent(500) == []
    world.reply(sent)
    again = world.one(RETRY_MS)
    assert [row.partition_index for row in again.body.topics[0].partitions] == [1]


def test_refused_request_is_repeated(world):
    world.join(2)
    world.refuse(world.one(), ErrorCode.STALE_BROKER_EPOCH)
    assert world.sent(RETRY_MS - 1) == []
    assert isr_of(world.one(1)) == [(1, 10), (2, 10)]


def test_repeated_request_has_the_broker_s_new_epoch(world):
    world.join(2)
    world.refuse(world.one(), ErrorCode.STALE_BROKER_EPOCH)
    world.local.broker_epoch = 11
    assert world.one(RETRY_MS).body.broker_epoch == 11


def test_partition_that_the_answer_leaves_out_is_proposed_again(world):
    world.join(2)
    world.reply(world.one(), rows=False)
    assert isr_of(world.one(RETRY_MS)) == [(1, 10), (2, 10)]


def test_broken_connection_loses_no_proposal(world):
    world.join(2)
    world.calls.channel_down(world.one().channel, "reset")
    assert isr_of(world.one(RETRY_MS)) == [(1, 10), (2, 10)]


@pytest.mark.parametrize("code", [ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED])
def test_ineligible_proposal_is_dropped(world, code):
    world.join(2)
    world.reply(world.one(), code=code)
    assert world.partition.isr == IsrState((1,))
    assert world.sent(1000) == []


@pytest.mark.parametrize(
    "code",
    [ErrorCode.INVALID_UPDATE_VERSION, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NEW_LEADER_ELECTED],
)
def test_proposal_of_a_leader_that_is_behind_waits_for_metadata(world, code):
    world.join(2)
    world.reply(world.one(), code=code)
    assert world.partition.isr == IsrState((1,), (1, 2))
    assert world.sent(1000) == []


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_SERVER_ERROR, 3000])
def test_other_errors_have_the_proposal_made_again(world, code):
    world.join(2)
    world.reply(world.one(), code=code)
    assert isr_of(world.one(RETRY_MS)) == [(1, 10), (2, 10)]


def test_newer_proposal_replaces_one_that_waits(world):
    world.join(2)
    sent = world.one()
    world.inner.lead(isr=(1,), leader_epoch=1, partition_epoch=1)
    world.join(3)
    world.refuse(sent, ErrorCode.STALE_BROKER_EPOCH)
    assert isr_of(world.one(RETRY_MS)) == [(1, 10), (3, 10)]


def test_answer_of_another_leader_epoch_changes_nothing(world):
    world.join(2)
    world.reply(world.one(), leader_epoch=4, epoch=9)
    assert world.partition.partition_epoch == 0


def many(count, topics=1, members=3):
    """Proposals of partitions that need no log."""
    isr = tuple(range(1, members + 1))
    return [
        (
            SimpleNamespace(
                topic_id=Uuid.of(5, index % topics + 1),
                topic_partition=TopicPartition("many", index),
                isr_committed=lambda *_: None, isr_refused=lambda *_: None,
            ),
            IsrProposal(0, 0, isr, (-1,) * members, LeaderRecoveryState.RECOVERED),
        )
        for index in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "topics"), [(26_000, 1), (12_000, 12_000)])
def test_proposals_are_split_below_what_the_controller_accepts(world, count, topics):
    """One request of 25,001 proposals was refused, and repeated without end."""
    for partition, proposal in many(count, topics):
        world.manager.propose(partition, proposal)
    seen = []
    while len(seen) < count:
        sent = world.one()
        seen += [
            (topic.topic_id, row.partition_index)
            for topic in sent.body.topics
            for row in topic.partitions
        ]
        frame = b"".join(map(bytes, encode_request(1, "x", sent.body, 3)))
        decode_request(memoryview(frame[4:]), MAX_CLIENT_REQUEST_ELEMENTS)
        answers = [
            messages.AlterPartitionResponseTopicData(
                topic.topic_id,
                [
                    messages.AlterPartitionResponsePartitionData(row.partition_index, isr=[1])
                    for row in topic.partitions
                ],
            )
            for topic in sent.body.topics
        ]
        world.answer(sent, messages.AlterPartitionResponse(topics=answers))
    assert len(dict.fromkeys(seen)) == len(seen) == count
    assert world.sent(1000) == []


def test_proposals_that_were_not_sent_yet_go_before_a_repeated_one(world):
    for partition, proposal in many(9_000):
        world.manager.propose(partition, proposal)
    sent = world.one()
    world.refuse(sent, ErrorCode.STALE_BROKER_EPOCH)
    again = world.one(RETRY_MS)
    count = len(sent.body.topics[0].partitions)
    assert again.body.topics[0].partitions[0].partition_index == count
