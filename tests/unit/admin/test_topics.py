"""Topics as an administrator sees them."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.topics import (
    PartitionDescription,
    add_partitions,
    create_topic,
    delete_topics,
    describe_topic_by_id,
    describe_topics,
    list_reassignments,
    list_topics,
)
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.create_partitions import CreatePartitionsRequest
from minikafka.messages.create_topics import CreateTopicsRequest
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
)
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    OngoingPartitionReassignment,
)
from tests.worlds.fake_cluster import FakeCluster, FakePartition


@pytest.fixture
def cluster():
    return (
        FakeCluster()
        .add("b", *[FakePartition(1, [1, 2], [1, 2]) for _ in range(5)])
        .add("a", FakePartition(-1, [3], [], elr=[3], last_known_elr=[3]))
        .add("c", FakePartition(2, [2], [2]))
    )


def test_topics_are_listed_by_name(cluster):
    assert [topic.name for topic in list_topics(cluster)] == ["a", "b", "c"]


def test_a_partition_without_a_leader_has_none(cluster):
    (topic,) = describe_topics(cluster, ["a"], 2000)
    assert topic.partitions == [PartitionDescription(0, None, [3], [], [3], [3])]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 7, 2000])
def test_cursors_are_followed_to_the_same_end_whatever_the_page_size(cluster, limit):
    """D1, D4."""
    described = describe_topics(cluster, ["c", "b", "a"], limit)
    assert [(it.name, [p.partition for p in it.partitions]) for it in described] == [
        ("a", [0]),
        ("b", [0, 1, 2, 3, 4]),
        ("c", [0]),
    ]


def test_a_page_has_as_many_partitions_as_were_asked_for(cluster):
    describe_topics(cluster, ["b"], 2)
    pages = [it for it in cluster.asked if isinstance(it, DescribeTopicPartitionsRequest)]
    assert {page.response_partition_limit for page in pages} == {2}
    assert [page.cursor and page.cursor.partition_index for page in pages] == [None, 2, 4]


@pytest.mark.parametrize(("name", "index"), [("b", 2), ("b", 1), ("a", 9)])
def test_a_cursor_that_does_not_advance_ends_the_paging(cluster, monkeypatch, name, index):
    """D4."""
    answers = [DescribeTopicPartitionsResponseCursor("b", 2)]
    answers.append(DescribeTopicPartitionsResponseCursor(name, index))
    monkeypatch.setattr(
        cluster, "ask", lambda _: DescribeTopicPartitionsResponse(next_cursor=answers.pop(0))
    )
    with pytest.raises(AdminError, match=f"do not end: .* partition {name}-{index}"):
        describe_topics(cluster, ["a", "b"], 2000)


def test_a_topic_that_is_deleted_between_pages_cannot_be_described(cluster, monkeypatch):
    """D1, D4: as with Apache Kafka's client."""
    ask = cluster.ask

    def answer(request):
        found = ask(request)
        cluster.topics.pop("b", None)
        return found

    monkeypatch.setattr(cluster, "ask", answer)
    with pytest.raises(AdminError) as error:
        describe_topics(cluster, ["a", "b", "c"], 2)
    assert error.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_metadata_describes_where_there_is_no_describe_topic_partitions(cluster):
    cluster.missing.add(DescribeTopicPartitionsRequest)
    described = describe_topics(cluster, ["c", "a"], 2000)
    assert [topic.name for topic in described] == ["a", "c"]
    assert described[0].partitions == [PartitionDescription(0, None, [3], [], None, None)]


def test_a_topic_that_is_not_there_cannot_be_described(cluster):
    with pytest.raises(AdminError) as error:
        describe_topics(cluster, ["zz"], 2000)
    assert error.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_topic_is_described_by_its_id(cluster):
    topic_id = cluster.topics["c"].topic_id
    described = describe_topic_by_id(cluster, topic_id)
    assert (described.name, described.topic_id) == ("c", topic_id)


def test_the_cluster_chooses_defaults_for_a_new_topic(cluster):
    create_topic(cluster, "d")
    topic = cluster.last(CreateTopicsRequest).topics[0]
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("d", -1, -1)
    assert topic.assignments == []


def test_an_assignment_names_the_replicas_of_each_partition(cluster):
    create_topic(cluster, "d", assignment=[[1, 2], [2, 3]], configs={"retention.ms": "5"})
    topic = cluster.last(CreateTopicsRequest).topics[0]
    assert [(it.partition_index, it.broker_ids) for it in topic.assignments] == [
        (0, [1, 2]),
        (1, [2, 3]),
    ]
    assert [(it.name, it.value) for it in topic.configs] == [("retention.ms", "5")]


def test_a_refused_topic_has_its_reason(cluster):
    cluster.refusals = [(ErrorCode.INVALID_CONFIG, "not like this")]
    with pytest.raises(AdminError, match="not like this"):
        create_topic(cluster, "d")


def test_creating_is_tried_again_while_the_controller_moves(cluster):
    cluster.refusals = [(ErrorCode.NOT_CONTROLLER, None)]
    create_topic(cluster, "d")
    assert "d" in cluster.topics


def test_new_partitions_may_be_assigned(cluster):
    add_partitions(cluster, {"a": (2, [[1]]), "b": (6, [])})
    first, second = cluster.last(CreatePartitionsRequest).topics
    assert (first.name, first.count, first.assignments[0].broker_ids) == ("a", 2, [1])
    assert (second.name, second.count, second.assignments) == ("b", 6, None)


def test_refused_partitions_have_their_reasons(cluster):
    cluster.refusals = [(ErrorCode.INVALID_PARTITIONS, "too few")]
    with pytest.raises(AdminError, match="too few"):
        add_partitions(cluster, {"a": (1, [])})


def test_topics_are_deleted_together(cluster):
    delete_topics(cluster, ["a", "b"])
    assert list(cluster.topics) == ["c"]


def test_a_refused_deletion_has_its_reason(cluster):
    cluster.refusals = [(ErrorCode.TOPIC_DELETION_DISABLED, None)]
    with pytest.raises(AdminError) as error:
        delete_topics(cluster, ["a"])
    assert error.value.code == ErrorCode.TOPIC_DELETION_DISABLED


def test_reassignments_are_known_by_partition(cluster):
    cluster.moving["b", 1] = OngoingPartitionReassignment(1, [1, 2, 3], [3], [1])
    moving = list_reassignments(cluster, describe_topics(cluster, ["a", "b"], 2000))
    assert moving == {TopicPartition("b", 1): ([1, 2, 3], [3], [1])}


def test_no_partition_moves_if_the_cluster_cannot_list_reassignments(cluster):
    cluster.missing.add(ListPartitionReassignmentsRequest)
    assert list_reassignments(cluster, describe_topics(cluster, ["a"], 2000)) == {}
