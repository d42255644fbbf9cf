"""Metadata on whole nodes: topics by name and id, auto-creation, who is alive and who leads."""

import pytest

from minikafka.apis import metadata
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from minikafka.raft import metadata_reads
from tests.worlds.sim_world import create_topic, registration, started_cluster


@pytest.fixture
def one():
    cluster = started_cluster(1)
    cluster.client().close()
    create_topic(cluster, "b", partitions=2)
    create_topic(cluster, "a")
    return cluster


def ask(cluster, *topics, version=12, create=False, node_id=1, everything=False):
    request = MetadataRequest(
        topics=None if everything else [MetadataRequestTopic(*topic) for topic in topics],
        allow_auto_topic_creation=create,
    )
    return cluster.client(node_id=node_id).ask(request, MetadataResponse, version=version)


def name(text):
    return ZERO_UUID, text


@pytest.mark.parametrize("version", range(1, 14))
def test_every_version_tells_all_topics(one, version):
    answer = ask(one, everything=True, version=version, create=True)
    found = {topic.name: len(topic.partitions) for topic in answer.topics}
    assert found == {"a": 1, "b": 2}
    assert [(x.node_id, x.host, x.port) for x in answer.brokers] == [(1, "n1", 9092)]
    assert answer.controller_id == 1


def test_version_0_has_an_empty_list_for_all(one):
    assert len(ask(one, version=0, create=True).topics) == 2
    assert ask(one, version=1, create=True).topics == []


def test_topics_are_found_by_their_ids(one):
    topic_id = one.nodes[1].node.loader.image.topic("b").topic_id
    unknown = Uuid.of(4, 2)
    found, missing = ask(one, (topic_id, None), (unknown, None)).topics
    assert (found.name, found.topic_id, found.error_code) == ("b", topic_id, 0)
    assert (missing.name, missing.error_code) == (None, ErrorCode.UNKNOWN_TOPIC_ID)


def test_a_topic_that_is_named_twice_is_answered_once(one):
    topic_id = one.nodes[1].node.loader.image.topic("b").topic_id
    unknown = Uuid.of(4, 2)
    by_name = ask(one, *[name("b"), name("c")] * 3, version=9)
    assert [(topic.name, topic.error_code) for topic in by_name.topics] == [
        ("b", ErrorCode.NONE),
        ("c", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    by_id = ask(one, *[(topic_id, None), (unknown, None)] * 3)
    assert [topic.topic_id for topic in by_id.topics] == [topic_id, unknown]


def test_what_is_not_there_is_said_and_not_made(one):
    missing, wrong = ask(one, name("c"), name("no/slash")).topics
    assert missing.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert wrong.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    one.world.run(1_000)
    assert one.nodes[1].node.loader.image.topic("c") is None


@pytest.mark.parametrize(("version", "create"), [(3, True), (4, True), (12, True)])
def test_asking_makes_a_topic_where_it_may(one, version, create):
    (missing,) = ask(one, name("c"), version=version, create=create).topics
    assert missing.error_code in (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
    )
    one.world.run_until(lambda: registration(one, "c") is not None, 5_000, "topic c")
    one.world.run(100)
    (made,) = ask(one, name("c")).topics
    assert (made.error_code, made.partitions[0].leader_id) == (ErrorCode.NONE, 1)


def test_a_node_may_be_told_to_make_none():
    cluster = started_cluster(1, given={"auto.create.topics.enable": "false"})
    ask(cluster, name("c"), create=True)
    cluster.world.run(1_000)
    assert registration(cluster, "c") is None


def test_a_partition_without_leader_says_so():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[2, 3]])
    for node_id in (2, 3):
        cluster.nodes[node_id].kill()
    cluster.world.run(20_000)
    answer = ask(cluster, name("t"))
    (partition,) = answer.topics[0].partitions
    assert (partition.error_code, partition.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
    assert partition.offline_replicas == [2, 3]
    assert [broker.node_id for broker in answer.brokers] == [1]


@pytest.mark.parametrize("version", [0, 1])
def test_version_0_names_only_replicas_that_are_available(version):
    """As Kafka: an older client cannot tell a broker without an address from one that has failed."""
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    create_topic(cluster, "u", replicas=[[1, 2]])
    cluster.nodes[3].kill()
    cluster.world.run(20_000)
    answer = ask(cluster, name("t"), name("u"), version=version, create=True)
    assert sorted(broker.node_id for broker in answer.brokers) == [1, 2]
    found = [
        (x.error_code, x.leader_id, x.replica_nodes, x.isr_nodes)
        for topic in answer.topics
        for x in topic.partitions
    ]
    whole = (ErrorCode.NONE, 1, [1, 2], [1, 2])
    if version == 0:
        assert found == [(ErrorCode.REPLICA_NOT_AVAILABLE, *whole[1:]), whole]
    else:
        assert found == [(ErrorCode.NONE, 1, [1, 2, 3], [1, 2]), whole]


def test_authorized_operations_are_told_where_they_are_asked_for(one):
    """Everything, as Kafka without an authorizer says (3576, 8096)."""
    not_asked = -(2**31)
    for asked, topic, whole in ((True, 3576, 8096), (False, not_asked, not_asked)):
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name="a")],
            allow_auto_topic_creation=False,
            include_topic_authorized_operations=asked,
            include_cluster_authorized_operations=asked,
        )
        answer = one.client().ask(request, MetadataResponse, version=9)
        assert answer.topics[0].topic_authorized_operations == topic
        assert answer.cluster_authorized_operations == whole
        cluster = DescribeClusterRequest(include_cluster_authorized_operations=asked)
        found = one.client().ask(cluster, DescribeClusterResponse)
        assert found.cluster_authorized_operations == whole


@pytest.mark.parametrize("version", [10, 11])
def test_versions_that_cannot_ask_by_id_refuse_a_request_that_does(one, version):
    """As Kafka 4.3.1: every topic of the request is refused."""
    topic_id = one.nodes[1].node.loader.image.topic("b").topic_id
    answer = ask(one, (topic_id, None), name("a"), version=version)
    refused = [(topic.name, topic.topic_id, topic.error_code) for topic in answer.topics]
    code = ErrorCode.INVALID_REQUEST
    assert refused == [("", topic_id, code), ("a", ZERO_UUID, code)]


def test_an_answer_is_made_once_for_as_long_as_it_holds(one, monkeypatch):
    made = []
    describe = metadata.describe_topic
    monkeypatch.setattr(
        metadata,
        "describe_topic",
        lambda ctx, topic: made.append(topic.name) or describe(ctx, topic),
    )
    first = ask(one, everything=True)
    assert ask(one, everything=True) == first
    assert sorted(made) == ["a", "b"]
    create_topic(one, "c")
    assert len(ask(one, everything=True).topics) == 3


def brokers_of(answer):
    return sorted(broker.node_id for broker in answer.brokers)


def test_killed_broker_is_named_for_a_moment_after_its_partitions_have_moved():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[3, 2, 1]])
    cluster.nodes[3].kill()
    loader = cluster.nodes[2].node.loader
    cluster.world.run_until(lambda: loader.image.brokers[3].fenced, 1000, "broker 3 is fenced")
    answer = ask(cluster, name("t"), node_id=2)
    assert brokers_of(answer) == [1, 2, 3]
    assert answer.topics[0].partitions[0].leader_id == 2
    assert answer.controller_id != 3
    cluster.world.run(2100)
    assert brokers_of(ask(cluster, name("t"), node_id=2)) == [1, 2]


def test_broker_that_stopped_cleanly_is_not_named():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[3, 2, 1]])
    cluster.nodes[3].shut_down()
    loader = cluster.nodes[2].node.loader
    cluster.world.run_until(lambda: loader.image.brokers[3].fenced, 10_000, "broker 3 is fenced")
    assert brokers_of(ask(cluster, node_id=2)) == [1, 2]


def test_broker_that_starts_does_not_name_those_that_were_fenced_before(monkeypatch):
    # Each batch of the metadata log is a change of its own.
    monkeypatch.setattr(metadata_reads, "_MAX_BYTES", 1)
    cluster = started_cluster(3)
    node = cluster.nodes[2]
    node.kill()
    cluster.world.run(1_000)
    cluster.nodes[3].kill()
    cluster.world.run(5_000)
    node.start()
    cluster.world.run_until(lambda: node.started, 10_000, "broker 2 serves again")
    assert brokers_of(ask(cluster, node_id=2)) == [1, 2]


def test_broker_that_came_back_is_named_once_and_stays():
    cluster = started_cluster(3)
    loader = cluster.nodes[2].node.loader
    cluster.nodes[3].kill()
    cluster.world.run_until(lambda: loader.image.brokers[3].fenced, 1000, "broker 3 is fenced")
    cluster.nodes[3].start()
    cluster.world.run_until(lambda: not loader.image.brokers[3].fenced, 2000, "it is back")
    assert brokers_of(ask(cluster, node_id=2)) == [1, 2, 3]
    cluster.world.run(2100)
    assert brokers_of(ask(cluster, node_id=2)) == [1, 2, 3]
