"""Short words for tests on a simulated cluster: topics, records, produce, fetch."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.node.inputs import NodeInputs
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import World

BY_NAME = 12
"""Produce and Fetch name topics by their names up to this version."""


def started_cluster(brokers=1, seed=1, given=None, **options):
    cluster = SimCluster(world=World(seed), brokers=brokers, given=given or {}, **options)
    cluster.start()
    return cluster


def create_topic(cluster, name, partitions=1, replicas=None, config=None, client=None):
    """Create a topic; `replicas` is the assignment of each partition. Returns its id."""
    topic = CreatableTopic(
        name=name,
        num_partitions=-1 if replicas else partitions,
        replication_factor=-1,
        assignments=[
            CreatableReplicaAssignment(index, list(brokers))
            for index, brokers in enumerate(replicas or ())
        ],
        configs=[CreatableTopicConfig(key, value) for key, value in (config or {}).items()],
    )
    client = client or cluster.client()
    request = CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
    (result,) = client.ask(request, CreateTopicsResponse).topics
    assert result.error_code == ErrorCode.NONE, result.error_message
    cluster.world.run_until(
        lambda: all(
            node.node is None
            or not node.config.is_broker
            or name in node.node.loader.image.topic_ids
            for node in cluster.nodes.values()
        ),
        10_000,
        f"every broker knows {name}",
    )
    return result.topic_id


def batch(*values, timestamp=EPOCH_MS, **options):
    records = [NewRecord(timestamp, None, value) for value in values]
    return bytes(build_batch(records, BatchOptions(**options)))


def produce_request(topic, records, acks=-1, partition=0, timeout_ms=5_000):
    data = PartitionProduceData(partition, records)
    return ProduceRequest(
        acks=acks,
        timeout_ms=timeout_ms,
        topic_data=[TopicProduceData(topic, partition_data=[data])],
    )


def produce(client, topic, *values, acks=-1, partition=0, timeout_ms=5_000, version=BY_NAME):
    """The answer for the one partition that is written to."""
    request = produce_request(topic, batch(*values), acks, partition, timeout_ms)
    response = client.ask(request, ProduceResponse, version=version)
    return response.responses[0].partition_responses[0]


def produce_records(client, topic, records, acks=-1, partition=0):
    """Append a batch as it is; the answer for its partition, which must be no error."""
    request = produce_request(topic, bytes(records), acks, partition)
    response = client.ask(request, ProduceResponse, version=BY_NAME)
    answer = response.responses[0].partition_responses[0]
    assert answer.error_code == ErrorCode.NONE, answer.error_message
    return answer


def fetch_request(topic, offset=0, partition=0, **changes):
    wanted = FetchPartition(
        partition=partition, fetch_offset=offset, partition_max_bytes=1 << 20,
        current_leader_epoch=changes.pop("leader_epoch", -1),
    )  # fmt: skip
    given = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 20, "session_epoch": -1, **changes}
    return FetchRequest(topics=[FetchTopic(topic=topic, partitions=[wanted])], **given)


def fetch(client, topic, offset=0, version=BY_NAME, **changes):
    """The answer for the one partition that is read."""
    request = fetch_request(topic, offset, **changes)
    response = client.ask(request, FetchResponse, version=version)
    assert response.error_code == ErrorCode.NONE
    return response.responses[0].partitions[0]


def values_of(partition):
    """The values of the records in a fetched partition."""
    records = bytes(partition.records or b"")
    return [
        bytes(record.value)
        for position, header in split_batches(records)
        for record in read_batch(records[position : position + header.size], 0, header)
    ]


def replica(cluster, node_id, topic, partition=0):
    """A node's own replica."""
    return cluster.nodes[node_id].node.broker.replicas.get(TopicPartition(topic, partition))


def registration(cluster, topic, partition=0):
    """The partition as the controller has committed it."""
    image = cluster.nodes[cluster.controller_id].node.loader.image
    return image.partition(topic, partition)


def leader_client(cluster, topic, partition=0):
    """A client of the partition's leader."""
    return cluster.client(node_id=registration(cluster, topic, partition).leader)


def node_inputs(cluster, node_id=1):
    """A node of the cluster, and the inputs to assemble it again."""
    sim = cluster.nodes[node_id]
    ports = {listener.name: listener.port for listener in sim.config.listeners}
    return sim, NodeInputs(sim.disks, ports, sim.cluster_id, Random(1), Now(0, 0))
