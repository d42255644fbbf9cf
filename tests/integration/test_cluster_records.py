"""Topics, records and leaders of `minikafka.testing.Cluster`, without a client library."""

import threading

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from minikafka.testing import Cluster, ClusterError


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3) as running:
        yield running


def test_topics_are_created_listed_and_deleted(cluster):
    cluster.create_topic("made", 2, 2, config={"min.insync.replicas": 1})
    assert cluster.topics() == ["made"]
    assert len(cluster.isr("made", 1)) == 2
    with pytest.raises(ClusterError, match="^topic made: Topic 'made' already exists"):
        cluster.create_topic("made")
    with pytest.raises(ClusterError, match="^made-2: topic made has 2 partitions, no 2$"):
        cluster.leader("made", 2)
    cluster.create_topic("placed", assignment=[[3, 1], [2, 3]])
    assert [cluster.leader("placed", partition) for partition in (0, 1)] == [3, 2]
    cluster.delete_topics("made", "placed")
    assert cluster.topics() == []
    with pytest.raises(ClusterError, match="topic"):
        cluster.leader("made")
    cluster.create_topic("again")
    with pytest.raises(ClusterError, match="^topics again, made: there is no topic made$"):
        cluster.delete_topics("again", "made")


def test_a_topic_serves_when_it_is_created(cluster):
    for number in range(20):
        cluster.create_topic(f"quick-{number}", 3)
        assert len(cluster.produce(f"quick-{number}", "a", "b", "c")) == 3
    cluster.delete_topics(*(f"quick-{number}" for number in range(20)))


def test_records_are_those_of_a_client(cluster):
    """Keys go where librdkafka with Java's partitioner sends them."""
    cluster.create_topic("both", 4)
    keys = [f"key-{number}" for number in range(40)]
    ours = cluster.produce("both", *((key, "ours") for key in keys), headers={"from": "test"})
    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "partitioner": "murmur2_random"}
    )
    for key in keys:
        producer.produce("both", key=key, value="theirs")
    producer.flush(20)
    found = cluster.records("both")
    assert len(found) == 80
    places = {}
    for record in found:
        places.setdefault(record.key, set()).add(record.partition)
    assert all(len(partitions) == 1 for partitions in places.values())
    assert set(ours) == {record for record in found if record.value == b"ours"}
    assert {record.headers for record in ours} == {(("from", b"test"),)}
    assert cluster.records("both", 2) == [record for record in found if record.partition == 2]


def test_records_without_a_key_go_to_the_partitions_in_turn(cluster):
    cluster.create_topic("turns", 3)
    found = cluster.produce("turns", b"a", "b", None, "d")
    assert [(it.partition, it.offset, it.value) for it in found] == [
        (0, 0, b"a"), (1, 0, b"b"), (2, 0, None), (0, 1, b"d"),
    ]  # fmt: skip
    (record,) = cluster.produce("turns", "e", partition=2)
    assert (record.partition, record.offset) == (2, 1)
    with pytest.raises(ClusterError, match="topic turns has 3 partitions, no 3"):
        cluster.produce("turns", "f", partition=3)
    with pytest.raises(ClusterError, match="^records for nowhere: there is no topic nowhere$"):
        cluster.produce("nowhere", "f")
    with pytest.raises(ClusterError, match="there is no topic nowhere"):
        cluster.records("nowhere")


def test_more_records_than_one_answer_holds(cluster):
    cluster.create_topic("large", config={"max.message.bytes": 4_000_000})
    for number in range(6):
        cluster.produce("large", *[bytes([number]) * 300_000] * 10)
    found = cluster.records("large")
    assert [record.offset for record in found] == list(range(60))
    assert [record.value[0] for record in found] == [number // 10 for number in range(60)]


def test_records_of_aborted_transactions_are_left_out_on_request(cluster):
    cluster.create_topic("txn")
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "t"})
    producer.init_transactions(20)
    for number, is_committed in enumerate([True, False, True, False]):
        producer.begin_transaction()
        producer.produce("txn", f"{number}")
        producer.flush(20)
        (producer.commit_transaction if is_committed else producer.abort_transaction)(20)
    producer.begin_transaction()
    producer.produce("txn", "open")
    producer.flush(20)
    assert [it.value for it in cluster.records("txn", committed=True)] == [b"0", b"2"]
    assert [it.value for it in cluster.records("txn")] == [b"0", b"1", b"2", b"3", b"open"]
    producer.abort_transaction(20)


def test_offsets_that_a_group_has_committed(cluster):
    cluster.seed({"read": ["a", "b", "c"]})
    assert cluster.committed("strangers", "read") == {}
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "readers"})
    consumer.commit(offsets=[TopicPartition("read", 0, 2)], asynchronous=False)
    consumer.close()
    assert cluster.committed("readers", "read") == {0: 2}


def test_seeds_are_there_before_the_first_client(cluster):
    cluster.seed({"orders": ["1", ("key", "2")], "empty": []}, partitions=2)
    assert {it.value for it in cluster.records("orders")} == {b"1", b"2"}
    assert cluster.records("empty") == []
    cluster.seed({"orders": ["3"]})
    assert len(cluster.records("orders")) == 3


def test_a_block_must_produce(cluster):
    cluster.seed({"watched": ["before"]})
    with cluster.assert_produces("watched", 2) as records:
        late = threading.Timer(0.3, cluster.produce, ("watched", "b"))
        late.start()
        cluster.produce("watched", "a")
    late.join()
    assert [it.value for it in records] == [b"a", b"b"]
    with cluster.assert_produces("of-the-block"):
        cluster.seed({"of-the-block": ["a"]})
    with (
        pytest.raises(AssertionError, match="expected records in topic watched, found 0\nminikaf"),
        cluster.assert_produces("watched", timeout_s=0.2),
    ):
        pass
    with (
        pytest.raises(AssertionError, match="expected 1 records in topic watched, found 2"),
        cluster.assert_produces("watched", 1),
    ):
        cluster.produce("watched", "a", "b")
    with pytest.raises(ZeroDivisionError), cluster.assert_produces("watched"):
        _ = 1 / 0


def test_leaders_are_killed_elected_and_in_sync_again(cluster):
    cluster.create_topic("led", 1, 3, config={"min.insync.replicas": 2})
    cluster.produce("led", "a")
    killed = cluster.kill_leader("led")
    cluster.produce("led", "b")
    assert cluster.leader("led") not in (None, killed)
    assert killed not in cluster.isr("led")
    cluster.start(killed)
    cluster.wait_until_in_sync("led", timeout_s=20)
    assert sorted(cluster.isr("led")) == [1, 2, 3]
    assert cluster.elr("led") == []
    cluster.move_leader("led", to=killed)
    assert cluster.leader("led") == killed
    cluster.elect("led")
    with pytest.raises(ClusterError, match="there is no election 'quick'; there are PREFERRED"):
        cluster.elect("led", kind="quick")
    with pytest.raises(ClusterError, match="^led-0 has a leader, [123]; see move_leader$"):
        cluster.elect("led", kind="designation", leader=2)
    with pytest.raises(ClusterError, match="^led-0: node 4 is not in the ISR "):
        cluster.move_leader("led", to=4)
    assert [it.value for it in cluster.records("led")] == [b"a", b"b"]


def test_no_record_is_missing_right_after_a_kill():
    """A new leader does not know yet how much is committed; readers wait for it."""
    with Cluster(nodes=3) as cluster:
        for number in range(4):
            topic = f"t-{number}"
            cluster.create_topic(topic, 3)
            cluster.produce(topic, "a", "b", "c")
            killed = cluster.kill_leader(topic)
            assert sorted(it.value for it in cluster.records(topic)) == [b"a", b"b", b"c"]
            cluster.start(killed)
            cluster.wait_until_in_sync()


def test_a_paused_leader_is_replaced(cluster):
    cluster.create_topic("paused", 1, 3, config={"min.insync.replicas": 2})
    leader = cluster.leader("paused")
    cluster.pause(leader)
    try:
        cluster.wait_for(lambda: cluster.leader("paused") not in (None, leader))
        cluster.produce("paused", "a")
        with pytest.raises(ClusterError, match="paused-0 is not in sync after 0.1 s: replicas"):
            cluster.wait_until_in_sync("paused", timeout_s=0.1)
    finally:
        cluster.resume(leader)
    cluster.wait_until_in_sync("paused")


def test_nodes_are_fenced_and_isrs_shrunk_until_they_are_healed():
    with Cluster(nodes=4, voters=1) as cluster:
        cluster.create_topic("t", assignment=[[2, 3, 4]], config={"min.insync.replicas": 1})
        cluster.shrink_isr("t", to=[2, 3, 4])
        assert cluster.brokers() == [1, 2, 3, 4]
        cluster.shrink_isr("t", to=[4])
        assert (cluster.isr("t"), cluster.leader("t"), cluster.brokers()) == ([4], 4, [1, 4])
        cluster.produce("t", "a")
        with pytest.raises(ClusterError, match="^the ISR of t-0 is node 4, not nodes 2, 4$"):
            cluster.shrink_isr("t", to=[2, 4])
        with pytest.raises(ClusterError, match="^without node 1 there is no majority of the contr"):
            cluster.fence(1)
        cluster.heal()
        cluster.wait_until_in_sync("t")
        assert cluster.brokers() == [1, 2, 3, 4]
        cluster.fence(2)
        assert cluster.brokers() == [1, 3, 4]


def test_the_eligible_leader_replicas_of_a_topic():
    with Cluster(nodes=4, voters=1) as cluster:
        cluster.create_topic("t", assignment=[[2, 3, 4]], config={"min.insync.replicas": 2})
        cluster.kill(3)
        cluster.kill(4)
        cluster.wait_for(lambda: cluster.isr("t") == [2])
        assert cluster.elr("t") in ([3], [4], [3, 4])
        cluster.kill(2)
        cluster.wait_for(lambda: cluster.leader("t") is None)
        with pytest.raises(ClusterError, match="^t-0 has no leader$"):
            cluster.kill_leader("t")
        assert 2 in cluster.elr("t")
        cluster.start(3)
        if cluster.leader("t") is None:
            cluster.elect("t", kind="designation", leader=3)
        assert cluster.leader("t") == 3
