import pytest

from minikafka.common.errors import (
    ErrorCode,
    InvalidRequestError,
    PolicyViolationError,
    TopicDeletionDisabledError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.controller import topic_control
from minikafka.messages import create_partitions as partition_messages
from minikafka.messages import create_topics as messages
from minikafka.messages import delete_topics as delete_messages
from minikafka.metadata.image import RESOURCE_TOPIC
from minikafka.metadata.topic_name import metric_name
from tests.worlds.quorum_world import QuorumWorld


def topic(name="t", partitions=1, factor=1, **more):
    return messages.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=factor, **more
    )


def rows(*assignment):
    return [
        messages.CreatableReplicaAssignment(partition_index=index, broker_ids=list(replicas))
        for index, replicas in assignment
    ]


def config(name, value):
    return messages.CreatableTopicConfig(name=name, value=value)


def created(world, *topics):
    return [row.error_code for row in world.create_all(*topics)]


def kinds(records):
    return [type(record).__name__.removesuffix("Record") for record in records]


# Creating


def test_a_topic_is_placed_with_every_active_replica_in_sync(cluster):
    (answer,) = cluster.create_all(topic(partitions=4, factor=3))
    assert (answer.error_code, answer.error_message) == (0, None)
    assert (answer.num_partitions, answer.replication_factor) == (4, 3)
    assert answer.topic_id == cluster.image.topic_ids["t"]
    for index in range(4):
        now = cluster.partition(index=index)
        assert sorted(now.replicas) == [1, 2, 3]
        assert now.isr == now.replicas
        assert now.leader == now.replicas[0]
        assert (now.leader_epoch, now.partition_epoch) == (0, 0)
        assert now.directories == tuple(Uuid.of(50, x + 1) for x in now.replicas)
    assert sorted({cluster.partition(index=x).leader for x in range(4)}) == [1, 2, 3]


def test_the_records_of_a_topic_stand_in_one_batch_in_kafkas_order(cluster):
    cluster.create(configs={"min.insync.replicas": "2", "retention.ms": "1000"})
    batch = cluster.batches[-1]
    records = [record for _, record in batch.records]
    assert kinds(records) == ["Topic", "Config", "Config", "ClearElr", "Partition"]


def test_a_topic_without_min_isr_needs_no_clearing(cluster):
    cluster.create(configs={"retention.ms": "1000"})
    assert kinds(r for _, r in cluster.batches[-1].records) == ["Topic", "Config", "Partition"]


def test_partitions_and_factor_have_defaults():
    world = QuorumWorld.started(config={"num.partitions": "3", "default.replication.factor": "2"})
    world.join(1, 2)
    (answer,) = world.create_all(topic(partitions=-1, factor=-1))
    assert (answer.num_partitions, answer.replication_factor) == (3, 2)


def test_the_answer_shows_every_configuration_and_where_it_comes_from(cluster):
    (answer,) = cluster.create_all(topic(configs=[config("retention.ms", "77")]))
    shown = {row.name: (row.value, row.config_source) for row in answer.configs}
    assert shown["retention.ms"] == ("77", 1)
    assert shown["min.insync.replicas"] == ("1", 3)
    assert shown["segment.bytes"] == ("1073741824", 5)
    assert cluster.image.config(RESOURCE_TOPIC, "t") == {"retention.ms": "77"}


def test_validate_only_answers_and_writes_nothing(cluster):
    (answer,) = cluster.create_all(topic(), validate_only=True)
    assert answer.error_code == 0
    assert "t" not in cluster.image.topic_ids


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (topic(name=""), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(name="a b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(name="."), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(name="x" * 250), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(name="here.and_there"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(name="__cluster_metadata"), ErrorCode.INVALID_REQUEST),
        (topic(name="here_and.there"), ErrorCode.TOPIC_ALREADY_EXISTS),
        (topic(partitions=0), ErrorCode.INVALID_PARTITIONS),
        (topic(partitions=-2), ErrorCode.INVALID_PARTITIONS),
        (topic(factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic(factor=4), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic(configs=[config("no.such.key", "1")]), ErrorCode.INVALID_CONFIG),
        (topic(configs=[config("retention.ms", "soon")]), ErrorCode.INVALID_CONFIG),
        (topic(configs=[config("retention.ms", None)]), ErrorCode.INVALID_CONFIG),
        (topic(assignments=rows((0, (1,)))), ErrorCode.INVALID_REQUEST),
        (topic(factor=-1, assignments=rows((0, (1,)))), ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_topic_is_refused(cluster, wanted, error):
    cluster.create("here_and.there")
    assert created(cluster, wanted) == [error]


@pytest.mark.parametrize(
    "assignment",
    [
        [(0, (1, 1))],
        [(0, (1, 9))],
        [(0, ())],
        [(0, (1, 2)), (1, (1,))],
        [(0, (1,)), (0, (2,))],
        [(1, (1,))],
        [(0, (4,))],
    ],
)
def test_an_assignment_is_refused(cluster, assignment):
    cluster.register(4)
    wanted = topic(partitions=-1, factor=-1, assignments=rows(*assignment))
    assert created(cluster, wanted) == [ErrorCode.INVALID_REPLICA_ASSIGNMENT]


def test_a_fenced_replica_is_placed_but_not_in_sync(cluster):
    cluster.fence(1)
    assert cluster.create(assignment=((1, 2),)).error_code == 0
    now = cluster.partition()
    assert (now.replicas, now.isr, now.leader) == ((1, 2), (2,), 2)


def test_a_broker_that_was_stopped_cleanly_gets_replicas(cluster):
    cluster.create("led", ((3, 1), (1, 3)))
    cluster.heartbeat(3, want_shut_down=True)
    assert cluster.image.brokers[3].in_controlled_shutdown
    (refused,) = cluster.create_all(topic("early", factor=3))
    assert refused.error_message == (
        "Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be "
        "reached because only 2 broker(s) are registered or some brokers have all their log "
        "directories cordoned."
    )
    cluster.heartbeat(1)
    cluster.heartbeat(2)
    assert cluster.heartbeat(3, want_shut_down=True)[1].should_shut_down
    assert created(cluster, topic("after", partitions=3, factor=3)) == [0]
    for index in range(3):
        now = cluster.partition("after", index)
        assert sorted(now.replicas) == [1, 2, 3]
        assert sorted(now.isr) == [1, 2]
    assert add(cluster, "after", 4) == 0
    assert 3 in cluster.partition("after", 3).replicas
    assert cluster.create("by_hand", ((3, 1),)).error_code == 0
    assert cluster.partition("by_hand").isr == (1,)


def test_no_topic_is_placed_while_every_broker_is_fenced(cluster):
    for broker_id in (1, 2, 3):
        cluster.fence(broker_id)
    (refused,) = cluster.create_all(topic())
    assert refused.error_code == ErrorCode.INVALID_REPLICATION_FACTOR
    assert refused.error_message == (
        "Unable to replicate the partition 1 time(s): All brokers are currently fenced."
    )
    refused = cluster.create(assignment=((2, 3),))
    assert refused.error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert refused.error_message == (
        "All brokers specified in the manual partition assignment for partition 0 are fenced or in "
        "controlled shutdown."
    )


def test_a_name_that_is_there_twice_is_refused_and_the_others_are_created(cluster):
    answers = cluster.create_all(topic("twice"), topic("once"), topic("twice"))
    assert {row.name: row.error_code for row in answers} == {
        "twice": ErrorCode.INVALID_REQUEST,
        "once": 0,
    }
    assert list(cluster.image.topic_ids) == ["once"]


def test_topics_of_one_request_may_collide_as_in_kafka(cluster):
    assert created(cluster, topic("a.b"), topic("a_b")) == [0, 0]
    assert created(cluster, topic("a__b"), topic("a_.b")) == [0, 0]
    assert created(cluster, topic("a._b")) == [ErrorCode.INVALID_TOPIC_EXCEPTION]


def test_each_name_of_a_request_is_compared_once(cluster, monkeypatch):
    compared = []
    monkeypatch.setattr(
        topic_control, "metric_name", lambda name: compared.append(name) or metric_name(name)
    )
    cluster.create_all(*[topic(f"there_{number}") for number in range(100)])
    compared.clear()
    wanted = [topic(f"t_{number}") for number in range(100)]
    codes = created(cluster, *wanted, topic("there.7"))
    assert codes == [0] * 100 + [ErrorCode.INVALID_TOPIC_EXCEPTION]
    assert len(compared) <= 100 + 2 * 102


def test_configurations_of_like_topics_are_worked_out_once(cluster):
    like = {"configs": [config("retention.ms", "1")]}
    first, second, other = cluster.create_all(topic("a", **like), topic("b", **like), topic("c"))
    assert first.configs is second.configs
    assert first.configs != other.configs


def test_too_many_partitions_are_refused_as_a_whole(cluster):
    request = messages.CreateTopicsRequest(
        topics=[topic("a", partitions=6000), topic("b", partitions=4001)]
    )
    with pytest.raises(PolicyViolationError):
        cluster.controller.decide(topic_control.create_topics, request)


# Adding partitions


def add(world, name="t", count=3, assignment=None, *, validate_only=False):
    request = partition_messages.CreatePartitionsRequest(
        topics=[
            partition_messages.CreatePartitionsTopic(
                name=name,
                count=count,
                assignments=None
                if assignment is None
                else [
                    partition_messages.CreatePartitionsAssignment(broker_ids=list(x))
                    for x in assignment
                ],
            )
        ],
        validate_only=validate_only,
    )
    return (
        world.apply(world.controller.decide(topic_control.create_partitions, request))[1]
        .results[0]
        .error_code
    )


def test_partitions_are_added_behind_the_others(cluster):
    cluster.create(assignment=((1, 2),))
    assert add(cluster, count=3) == 0
    partitions = cluster.image.topic("t").partitions
    assert list(partitions) == [0, 1, 2]
    assert all(len(x.replicas) == 2 for x in partitions.values())


def test_added_partitions_may_be_assigned(cluster):
    cluster.create(assignment=((1, 2),))
    assert add(cluster, count=2, assignment=[(3, 1)]) == 0
    assert cluster.partition(index=1).replicas == (3, 1)


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"name": "other"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"count": 1}, ErrorCode.INVALID_PARTITIONS),
        ({"count": 0}, ErrorCode.INVALID_PARTITIONS),
        ({"count": 20_000}, ErrorCode.POLICY_VIOLATION),
        ({"count": 3, "assignment": [(1, 2)]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"count": 2, "assignment": [(1,)]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"count": 2, "assignment": [(1, 9)]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_partitions_are_refused(cluster, named, error):
    cluster.create(assignment=((1, 2),))
    assert add(cluster, **named) == error
    assert len(cluster.image.topic("t").partitions) == 1


@pytest.mark.parametrize("name", ["__consumer_offsets", "__transaction_state"])
def test_an_internal_topic_gets_no_partitions(cluster, name):
    cluster.create(name=name, assignment=((1, 2),))
    assert add(cluster, name=name, count=3) == ErrorCode.INVALID_PARTITIONS
    assert len(cluster.image.topic(name).partitions) == 1


def test_validating_added_partitions_writes_nothing(cluster):
    cluster.create(assignment=((1, 2),))
    assert add(cluster, count=3, validate_only=True) == 0
    assert len(cluster.image.topic("t").partitions) == 1


# Deleting


def delete(world, *states, names=(), version=6):
    request = delete_messages.DeleteTopicsRequest(
        topics=[delete_messages.DeleteTopicState(name=n, topic_id=i) for n, i in states],
        topic_names=list(names),
    )
    return world.apply(world.controller.decide(topic_control.delete_topics, request, version))[
        1
    ].responses


def test_a_topic_is_deleted_by_name_with_its_configuration(cluster):
    cluster.create(configs={"retention.ms": "5"})
    topic_id = cluster.image.topic_ids["t"]
    (answer,) = delete(cluster, names=["t"], version=5)
    assert (answer.name, answer.topic_id, answer.error_code) == ("t", topic_id, 0)
    assert cluster.image.topics == {}
    assert cluster.image.config(RESOURCE_TOPIC, "t") == {}


def test_a_topic_is_deleted_by_its_id(cluster):
    cluster.create()
    (answer,) = delete(cluster, (None, cluster.image.topic_ids["t"]))
    assert (answer.name, answer.error_code) == ("t", 0)
    assert cluster.image.topic("t") is None


@pytest.mark.parametrize(
    ("state", "error"),
    [
        (("other", ZERO_UUID), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ((None, Uuid.of(1, 1)), ErrorCode.UNKNOWN_TOPIC_ID),
        ((None, ZERO_UUID), ErrorCode.INVALID_REQUEST),
        (("t", Uuid.of(1, 1)), ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_deletion_is_refused(cluster, state, error):
    cluster.create()
    assert [row.error_code for row in delete(cluster, state)] == [error]
    assert "t" in cluster.image.topic_ids


BY_NAME, BY_ID, BOTH, NEITHER = "name", "id", "both", "neither"


@pytest.mark.parametrize(
    ("rows", "answers", "is_deleted"),
    [
        ([BY_NAME, BY_NAME], [("t", False, "Duplicate topic name.")], False),
        ([BY_ID, BY_ID], [(None, True, "Duplicate topic id.")], False),
        ([BY_NAME, BY_ID], [("t", True, "The provided topic name maps to an ID that was")], False),
        ([BY_ID, BY_NAME], [("t", True, "The provided topic name maps to an ID that was")], False),
        (
            [BY_NAME, BY_ID, BY_ID],
            [(None, True, "Duplicate topic id."), ("t", True, "The provided topic name maps")],
            False,
        ),
        (
            [BY_NAME, BY_NAME, BY_ID],
            [("t", False, "Duplicate topic name."), ("t", True, None)],
            True,
        ),
        (
            [BY_NAME, BOTH],
            [("t", True, "You may not specify both"), ("t", True, None)],
            True,
        ),
        (
            [NEITHER, NEITHER],
            [(None, False, "Neither topic name nor id"), (None, False, "Neither topic name nor")],
            False,
        ),
    ],
)
def test_a_topic_that_is_named_twice_is_kept(cluster, rows, answers, is_deleted):
    """The answers are those of Apache Kafka 4.3.1, which shuffles them."""
    cluster.create()
    topic_id = cluster.image.topic_ids["t"]
    states = {
        BY_NAME: ("t", ZERO_UUID), BY_ID: (None, topic_id), BOTH: ("t", topic_id),
        NEITHER: (None, ZERO_UUID),
    }  # fmt: skip
    found = delete(cluster, *(states[row] for row in rows))
    assert len(found) == len(answers)
    for row, (name, has_id, text) in zip(found, answers, strict=True):
        assert (row.name, row.topic_id) == (name, topic_id if has_id else ZERO_UUID)
        assert row.error_code == (ErrorCode.INVALID_REQUEST if text else 0)
        assert (row.error_message or "").startswith(text or "")
    assert ("t" in cluster.image.topic_ids) is not is_deleted


def test_deletion_can_be_disabled():
    world = QuorumWorld.started(config={"delete.topic.enable": "false"})
    request = delete_messages.DeleteTopicsRequest(topic_names=["t"])
    with pytest.raises(TopicDeletionDisabledError):
        world.controller.decide(topic_control.delete_topics, request, 3)
    with pytest.raises(InvalidRequestError):
        world.controller.decide(topic_control.delete_topics, request, 2)
