"""Fetches with a rack, from leaders and followers of Apache Kafka 4.3.1 and of minikafka (KIP-392).

A developer's check, not a test of the default run: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.compare_follower_fetches [--base-port P] [--delays N]
[--only WORD], where DIR has
kafka-cluster. Both clusters have three racks and RackAwareReplicaSelector, and get the same
requests. With --delays, both also deliver N records to a consumer of the leader's rack and to one
of a follower's. Exit status 1 if answers differ.
"""

import argparse
import socket
import struct
import sys
import time
from contextlib import contextmanager
from random import Random
from statistics import quantiles

from confluent_kafka import Consumer, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.common.ids import Uuid
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from minikafka.records.scan import split_batches
from minikafka.rpc.envelope import decode_response, encode_request
from minikafka.testing import Cluster
from tests.golden.kafka_nodes import KafkaNodes

RACKS = ("a", "b", "c")
CONFIG = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "auto.leader.rebalance.enable": "false",
    # A paused broker stays in the ISR.
    "broker.session.timeout.ms": "300000",
    "replica.lag.time.max.ms": "300000",
    "replica.fetch.wait.max.ms": "500",
}
WAIT_MS = 800
RECORDS = 10
_MASK = (1 << 64) - 1
TOPICS = {"plain": [[1, 2, 3], [2, 3, 1]], "aborted": [[1, 2, 3]], "stuck": [[1, 2, 3]]}


class Peer:
    """A connection to one broker."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), 20)

    def ask(self, request, version):
        self._socket.sendall(b"".join(map(bytes, encode_request(1, "c", request, version))))
        (size,) = struct.unpack(">i", self._take(4))
        return decode_response(memoryview(self._take(size)), ApiKey.FETCH, version)[1]

    def _take(self, size):
        found = b""
        while len(found) < size:
            data = self._socket.recv(size - len(found))
            assert data, "the broker has closed the connection"
            found += data
        return found


def fetch_request(ids, version, wanted, rack, **options):
    topics = {}
    for topic, partition, offset, epoch in wanted:
        each = FetchPartition(
            partition=partition, current_leader_epoch=epoch, fetch_offset=offset,
            partition_max_bytes=1 << 20,
        )  # fmt: skip
        topics.setdefault(topic, []).append(each)
    given = {"max_wait_ms": WAIT_MS, "min_bytes": 1, "max_bytes": 1 << 20, "session_epoch": -1}
    return FetchRequest(
        replica_state=ReplicaState(-1, -1), rack_id=rack if version >= 11 else "",
        topics=[
            FetchTopic("" if version >= 13 else topic, ids[topic], found)
            for topic, found in topics.items()
        ],
        **{**given, **options},
    )  # fmt: skip


def shown(answer, took_s):
    """What must be equal. Producer ids are numbers that the cluster has drawn."""
    found = []
    for topic in answer.responses:
        for data in topic.partitions:
            aborted = data.aborted_transactions
            records = bytes(data.records or b"")
            leader = data.current_leader
            found.append((
                data.partition_index, data.error_code, data.high_watermark,
                data.last_stable_offset, data.log_start_offset, data.preferred_read_replica,
                None if aborted is None else [each.first_offset for each in aborted],
                None if data.records is None else sum(
                    header.last_offset - header.base_offset + 1
                    for _, header in split_batches(records)
                ),
                data.diverging_epoch, None if leader is None else tuple(
                    getattr(leader, each) for each in ("leader_id", "leader_epoch")
                ),
            ))  # fmt: skip
    waited = "waited" if took_s > 0.8 * WAIT_MS / 1000 else "at once"
    return answer.error_code, found, [each.node_id for each in answer.node_endpoints], waited


def cases():
    """Yield name, broker, version, partitions, rack and options of each request."""
    for version in (10, 11, 12, 17):
        for node in (1, 2):
            for rack in ("", "a", "b", "c", "d"):
                for offset in (0, RECORDS, RECORDS + 1, -1):
                    name = f"v{version} node {node} rack {rack!r} offset {offset}"
                    yield name, node, version, [("plain", 0, offset, -1)], rack, {}
        for epoch in (0, 1):
            for node in (1, 2):
                wanted = [("plain", 0, 0, epoch)]
                yield f"v{version} node {node} epoch {epoch}", node, version, wanted, "b", {}
        for rack in ("a", "b", "c"):
            wanted = [("plain", 0, RECORDS, -1), ("plain", 1, RECORDS, -1)]
            yield f"v{version} two partitions rack {rack}", 1, version, wanted, rack, {}
        for level in (0, 1):
            for node in (1, 2):
                for offset in (0, 5):
                    name = f"v{version} node {node} isolation {level} offset {offset}"
                    wanted, options = [("aborted", 0, offset, -1)], {"isolation_level": level}
                    yield name, node, version, wanted, "", options
        yield (
            f"v{version} aborted rack b",
            1,
            version,
            [("aborted", 0, 0, -1)],
            "b",
            {"isolation_level": 1},
        )


def stuck_cases():
    """The same, for offsets from the high watermark to the log end."""
    for version in (11, 12, 17):
        for node in (1, 2):
            for offset in (RECORDS, RECORDS + 1, RECORDS + 2, RECORDS + 3):
                for rack in ("", "b", "c"):
                    name = f"stuck v{version} node {node} rack {rack!r} offset {offset}"
                    yield name, node, version, [("stuck", 0, offset, -1)], rack, {}


def prepare(servers):
    admin = AdminClient({"bootstrap.servers": servers})
    topics = [
        NewTopic(
            name, len(replicas), replica_assignment=replicas, config={"min.insync.replicas": "1"}
        )
        for name, replicas in TOPICS.items()
    ]
    for made in admin.create_topics(topics).values():
        made.result(30)
    time.sleep(2)
    described = admin.describe_topics(TopicCollection(list(TOPICS)))
    ids = {}
    for name, future in described.items():
        topic_id = future.result(30).topic_id
        ids[name] = Uuid.of(
            topic_id.get_most_significant_bits() & _MASK,
            topic_id.get_least_significant_bits() & _MASK,
        )
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    for topic, partition in (("plain", 0), ("plain", 1), ("stuck", 0)):
        for number in range(RECORDS):
            producer.produce(topic, b"%d" % number, partition=partition)
            producer.flush(30)
    writer = Producer({"bootstrap.servers": servers, "transactional.id": "x"})
    writer.init_transactions(30)
    for aborts in (False, True, False, True):
        writer.begin_transaction()
        for number in range(2):
            writer.produce("aborted", b"%d" % number, partition=0)
            writer.flush(30)
        (writer.abort_transaction if aborts else writer.commit_transaction)(30)
    time.sleep(2)
    return ids


def answers(cluster, ids, only):
    servers = cluster.bootstrap_servers.split(",")
    peers = {node: Peer(servers[node - 1]) for node in (1, 2)}
    found = {}

    def play(some):
        for name, node, version, wanted, rack, options in some:
            if only not in name:
                continue
            request = fetch_request(ids, version, wanted, rack, **options)
            began = time.monotonic()
            answer = peers[node].ask(request, version)
            found[name] = shown(answer, time.monotonic() - began)

    play(cases())
    for version in (12, 17):
        session_id = 0
        for epoch in range(3):
            request = fetch_request(
                ids, version, [("plain", 0, 0, -1)] if not epoch else [], "b",
                session_id=session_id, session_epoch=epoch,
            )  # fmt: skip
            began = time.monotonic()
            answer = peers[1].ask(request, version)
            session_id = answer.session_id
            name = f"session v{version} epoch {epoch}"
            found[name] = shown(answer, time.monotonic() - began)
    cluster.pause(3)
    time.sleep(1)
    producer = Producer({"bootstrap.servers": servers[0] + "," + servers[1], "acks": "1"})
    for number in range(2):
        producer.produce("stuck", b"more %d" % number, partition=0)
    producer.flush(30)
    time.sleep(1)
    play(stuck_cases())
    cluster.resume(3)
    return found


def are_alike(case, theirs, own):
    """True if two answers are equal; at the log end above the high watermark ours waits (G10)."""
    if case.startswith("stuck") and case.endswith(str(RECORDS + 2)):
        return theirs[:-1] == own[:-1]
    return theirs == own


def delays(cluster, count, pause_ms, rng):
    """Milliseconds from a record's send to its arrival, at the leader's and a follower's rack."""
    servers = cluster.bootstrap_servers
    consumers = {}
    for rack in ("a", "b"):
        consumer = consumers[rack] = Consumer({
            "bootstrap.servers": servers, "group.id": f"none-{rack}", "client.rack": rack,
            "enable.auto.commit": False, "auto.offset.reset": "latest",
        })  # fmt: skip
        end = consumer.get_watermark_offsets(TopicPartition("plain", 0), 20)[1]
        consumer.assign([TopicPartition("plain", 0, end)])
        consumer.poll(3)
    producer = Producer({"bootstrap.servers": servers, "acks": "all", "linger.ms": 0})
    found = {rack: [] for rack in consumers}
    sent = 0
    next_at = time.monotonic()
    until = next_at + count * pause_ms / 1000 + 5
    while time.monotonic() < until and any(len(each) < count for each in found.values()):
        if sent < count and time.monotonic() >= next_at:
            producer.produce("plain", struct.pack(">d", time.monotonic()), partition=0)
            producer.poll(0)
            sent += 1
            next_at += rng.uniform(0, 2 * pause_ms) / 1000
        for rack, consumer in consumers.items():
            message = consumer.poll(0.001)
            if message is not None and message.error() is None:
                (at,) = struct.unpack(">d", message.value())
                found[rack].append((time.monotonic() - at) * 1000)
    for consumer in consumers.values():
        consumer.close()
    return found


def report_delays(name, cluster, count):
    for pause_ms in (200, 20, 2):
        for rack, found in delays(cluster, count, pause_ms, Random(1)).items():
            cuts = quantiles(found, n=100)
            print(
                f"{name}: rack {rack}, a record every {pause_ms} ms: {len(found)} records, "
                f"p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms", flush=True,
            )  # fmt: skip


@contextmanager
def kafka(base_port):
    with KafkaNodes(3, config=CONFIG, racks=RACKS, base_port=base_port) as cluster:
        yield cluster


@contextmanager
def ours():
    with Cluster(nodes=3, config=CONFIG, racks=RACKS) as cluster:
        yield cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--base-port", type=int, default=24_092)
    parser.add_argument("--delays", type=int, default=0)
    parser.add_argument("--only", default="", help="only cases whose names have this")
    given = parser.parse_args()
    found = {}
    for name, opened in (("kafka", kafka(given.base_port)), ("minikafka", ours())):
        with opened as cluster:
            ids = prepare(cluster.bootstrap_servers)
            if given.delays:
                report_delays(name, cluster, given.delays)
            else:
                found[name] = answers(cluster, ids, given.only)
    if given.delays:
        return 0
    theirs, own = found["kafka"], found["minikafka"]
    different = [case for case in theirs if not are_alike(case, theirs[case], own[case])]
    for case in different:
        print(f"{case}:\n  kafka     {theirs[case]}\n  minikafka {own[case]}")
    print(f"{len(theirs)} requests, {len(different)} different answers")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
