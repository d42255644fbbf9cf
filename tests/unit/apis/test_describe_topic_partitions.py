"""Pages of DescribeTopicPartitions (D1, D2)."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.apis.describe_topic_partitions import describe_topic_partitions
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, InvalidRequestError
from minikafka.common.ids import Uuid
from minikafka.config.values import Config
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequestCursor as Cursor,
)
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration


def broker(number, fenced=False):
    return BrokerRegistration(
        broker_id=number, epoch=1, incarnation_id=Uuid.of(1, number),
        endpoints=(Endpoint("PLAINTEXT", "h", 9092),), features={}, rack=None, fenced=fenced,
        in_controlled_shutdown=False, log_dirs=(), cordoned_log_dirs=None, registered_at=1,
    )  # fmt: skip


def partition(leader=1):
    return PartitionRegistration(
        replicas=(1, 2, 3), directories=(Uuid.of(0, 1),) * 3, isr=(1,), elr=(2,),
        last_known_elr=(3,), leader=leader, leader_epoch=4, partition_epoch=5,
    )  # fmt: skip


class World:
    def __init__(self, limit=2000, **topics):
        builder = ImageBuilder(MetadataImage())
        builder.put_broker(broker(1))
        builder.put_broker(broker(2, fenced=True))
        for number, (name, count) in enumerate(topics.items()):
            builder.put_topic(name, Uuid.of(7, number))
            for index in range(count):
                builder.put_partition(Uuid.of(7, number), index, partition())
        config = Config({"max.request.partition.size.limit": str(limit)})
        self.context = SimpleNamespace(
            env=Environment(Random(1)), api_key=ApiKey.DESCRIBE_TOPIC_PARTITIONS, version=0,
            listener="PLAINTEXT", authorizer=None,
            broker=SimpleNamespace(
                image=builder.build(1, 1), local=SimpleNamespace(config=config)
            ),
        )  # fmt: skip

    def ask(self, *names, limit=2000, cursor=None):
        return describe_topic_partitions(
            self.context,
            DescribeTopicPartitionsRequest(
                topics=[TopicRequest(name) for name in names],
                response_partition_limit=limit,
                cursor=cursor,
            ),
        )

    def page(self, *names, **more):
        """What a page holds, and where the next one begins."""
        response = self.ask(*names, **more)
        rows = [
            (topic.name, [p.partition_index for p in topic.partitions]) for topic in response.topics
        ]
        cursor = response.next_cursor
        return rows, None if cursor is None else (cursor.topic_name, cursor.partition_index)


@pytest.fixture
def world():
    return World(b=3, a=2)


def test_partition_has_its_replicas_and_eligible_leaders(world):
    """D2."""
    row = world.ask("a").topics[0].partitions[0]
    assert (row.error_code, row.leader_id, row.leader_epoch) == (0, 1, 4)
    assert (row.replica_nodes, row.isr_nodes) == ([1, 2, 3], [1])
    assert (row.eligible_leader_replicas, row.last_known_elr) == ([2], [3])
    assert row.offline_replicas == [2, 3]


def test_an_unclean_leader_is_told(world):
    """L8: as a tagged field, which released clients skip."""
    builder = ImageBuilder(world.context.broker.image)
    state = LeaderRecoveryState.RECOVERING
    unclean = replace(partition(), leader_recovery_state=state)
    builder.put_partition(Uuid.of(7, 1), 1, unclean)
    world.context.broker.image = builder.build(2, 1)
    (topic,) = world.ask("a").topics
    assert [row.leader_recovery_state for row in topic.partitions] == [0, 1]


def test_all_topics_come_in_the_order_of_their_names(world):
    assert world.page() == ([("a", [0, 1]), ("b", [0, 1, 2])], None)


def test_topic_that_is_named_twice_comes_once(world):
    assert world.page("b", "b") == ([("b", [0, 1, 2])], None)


@pytest.mark.parametrize(
    ("limit", "rows", "cursor"),
    [
        (1, [("a", [0])], ("a", 1)),
        (2, [("a", [0, 1])], ("b", 0)),
        (3, [("a", [0, 1]), ("b", [0])], ("b", 1)),
        (5, [("a", [0, 1]), ("b", [0, 1, 2])], None),
        (0, [("a", [0])], ("a", 1)),
        (-3, [("a", [0])], ("a", 1)),
    ],
)
def test_page_ends_at_the_limit(world, limit, rows, cursor):
    """D1."""
    assert world.page(limit=limit) == (rows, cursor)


def test_broker_s_limit_holds_too():
    assert World(limit=1, a=2).page(limit=100) == ([("a", [0])], ("a", 1))


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_pages_together_hold_every_partition_once(world, limit):
    seen, cursor = [], None
    while True:
        response = world.ask(limit=limit, cursor=cursor)
        seen += [(t.name, p.partition_index) for t in response.topics for p in t.partitions]
        if response.next_cursor is None:
            break
        cursor = Cursor(response.next_cursor.topic_name, response.next_cursor.partition_index)
    assert seen == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]


def test_page_goes_on_where_the_cursor_points(world):
    assert world.page(cursor=Cursor("b", 1)) == ([("b", [1, 2])], None)


def test_cursor_of_a_topic_that_is_gone_goes_on_with_the_next(world):
    assert world.page(cursor=Cursor("aa", 2)) == ([("b", [0, 1, 2])], None)


def test_cursor_of_a_named_topic_that_is_gone_skips_nothing_of_the_next(world):
    rows, cursor = world.page("aa", "b", cursor=Cursor("aa", 2))
    assert rows == [("aa", []), ("b", [0, 1, 2])]
    assert cursor is None


def test_cursor_of_a_topic_that_is_not_asked_for_is_refused(world):
    """D1: as in Apache Kafka; with all topics asked for any cursor will do."""
    with pytest.raises(InvalidRequestError):
        world.ask("a", "b", cursor=Cursor("aa", 0))
    assert world.page("b", cursor=Cursor("b", 2)) == ([("b", [2])], None)


def test_cursor_behind_the_last_partition_goes_on_with_the_next_topic(world):
    """D1: the topic was created again with fewer partitions."""
    assert world.page(cursor=Cursor("a", 9)) == ([("a", []), ("b", [0, 1, 2])], None)


def test_cursor_behind_the_last_topic_is_an_empty_last_page(world):
    assert world.page(cursor=Cursor("c", 0)) == ([], None)


def test_page_that_is_full_ends_before_a_topic_that_is_not_there(world):
    """D1."""
    rows, cursor = world.page("a", "aa", "b", limit=2)
    assert (rows, cursor) == ([("a", [0, 1])], ("aa", 0))
    assert world.page("a", "aa", "b", cursor=Cursor("aa", 0)) == (
        [("aa", []), ("b", [0, 1, 2])],
        None,
    )


def test_topic_that_is_deleted_between_pages_is_left_out_or_has_an_error():
    """D1: pages are not consistent with each other."""
    rows, cursor = World(a=2, b=3, c=1).page(limit=3)
    assert (rows, cursor) == ([("a", [0, 1]), ("b", [0])], ("b", 1))
    without_b = World(a=2, c=1)
    assert without_b.page(cursor=Cursor("b", 1)) == ([("c", [0])], None)
    named = without_b.ask("a", "b", "c", cursor=Cursor("b", 1)).topics
    assert [(it.name, it.error_code, len(it.partitions)) for it in named] == [
        ("b", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0),
        ("c", 0, 1),
    ]


def test_ten_thousand_partitions_come_in_five_pages_of_the_default_size():
    """D1."""
    world = World(many=10_000)
    sizes, cursor = [], None
    while True:
        response = world.ask(limit=2**31 - 1, cursor=cursor)
        (topic,) = response.topics
        assert topic.partitions[0].partition_index == 2000 * len(sizes)
        sizes.append(len(topic.partitions))
        if response.next_cursor is None:
            break
        cursor = Cursor(response.next_cursor.topic_name, response.next_cursor.partition_index)
    assert sizes == [2000] * 5


def test_everybody_may_do_everything_with_a_topic(world):
    """There is no authorizer; Apache Kafka answers the same without one."""
    known, missing = world.ask("a", "none").topics
    assert known.topic_authorized_operations == 0b1101_1111_1000
    assert missing.topic_authorized_operations == 0b1101_1111_1000


def test_cursor_before_the_first_partition_is_refused(world):
    with pytest.raises(InvalidRequestError):
        world.ask(cursor=Cursor("a", -1))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("no/name", ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_topic_that_is_not_there_has_an_error(world, name, code):
    (topic,) = world.ask(name).topics
    assert (topic.name, topic.error_code) == (name, code)
