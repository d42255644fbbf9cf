"""Topics that clients asked for are created once at a time."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.config.values import Config
from minikafka.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from minikafka.replica.auto_topics import AutoTopics
from tests.worlds.wire_world import Wire


class World(Wire):
    def __init__(self):
        super().__init__()
        config = Config(
            {
                "offsets.topic.num.partitions": "7",
                "offsets.topic.replication.factor": "2",
                "offsets.topic.segment.bytes": "12345",
                "transaction.state.log.num.partitions": "5",
                "transaction.state.log.replication.factor": "4",
                "transaction.state.log.min.isr": "3",
                "transaction.state.log.segment.bytes": "23456",
                "request.timeout.ms": "4000",
                "num.partitions": "9",
                "default.replication.factor": "2",
            }
        )
        self.topics = AutoTopics(self.env, self.controller_channel(), config)

    def names(self, sent):
        return [topic.name for topic in sent.body.topics]

    def created(self, sent, code=0):
        rows = [CreatableTopicResult(name=name, error_code=code) for name in self.names(sent)]
        self.answer(sent, CreateTopicsResponse(topics=rows))


@pytest.fixture
def world():
    return World()


def test_topic_is_created_with_the_values_of_the_controller_if_the_broker_has_none(world):
    del world.topics.config.given["num.partitions"]
    world.topics.create(["a"])
    (topic,) = world.one().body.topics
    assert (topic.num_partitions, topic.replication_factor) == (-1, 2)


def test_topic_is_created_with_the_values_of_the_broker(world):
    world.topics.create(["a"])
    (topic,) = world.one().body.topics
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("a", 9, 2)
    assert topic.configs == []


def test_offsets_topic_has_its_own_configuration(world):
    world.topics.create([OFFSETS_TOPIC])
    (topic,) = world.one().body.topics
    assert (topic.num_partitions, topic.replication_factor) == (7, 2)
    assert {x.name: x.value for x in topic.configs} == {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": "12345",
    }


def test_transactions_topic_has_its_own_configuration(world):
    world.topics.create([TRANSACTIONS_TOPIC])
    (topic,) = world.one().body.topics
    assert (topic.num_partitions, topic.replication_factor) == (5, 4)
    assert {x.name: x.value for x in topic.configs} == {
        "cleanup.policy": "compact",
        "compression.type": "uncompressed",
        "min.insync.replicas": "3",
        "segment.bytes": "23456",
        "unclean.leader.election.enable": "false",
    }


def test_topic_that_is_under_way_is_not_asked_for_again(world):
    world.topics.create(["a", "b"])
    assert world.names(world.one()) == ["a", "b"]
    world.topics.create(["a"])
    assert world.sent() == []
    world.topics.create(["b", "c"])
    assert world.names(world.one()) == ["c"]


@pytest.mark.parametrize(
    "code", [0, ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.INVALID_REPLICATION_FACTOR, 3000]
)
def test_answered_topic_may_be_asked_for_again(world, code):
    world.topics.create(["a"])
    world.created(world.one(), code)
    world.topics.create(["a"])
    assert world.names(world.one()) == ["a"]


def test_topic_may_be_asked_for_again_when_no_controller_answered(world):
    world.controller = None
    world.topics.create(["a"])
    assert world.sent(4000) == []
    world.controller = ("controller", 9093)
    world.topics.create(["a"])
    assert world.names(world.one()) == ["a"]
