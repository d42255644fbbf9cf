"""Requests of administrators in few words, and the comparable part of the answers."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.messages import alter_configs as replacing
from minikafka.messages import alter_partition_reassignments as reassigning
from minikafka.messages import create_partitions as growing
from minikafka.messages import create_topics as creating
from minikafka.messages import delete_records as trimming
from minikafka.messages import delete_topics as deleting
from minikafka.messages import describe_configs as describing
from minikafka.messages import incremental_alter_configs as altering
from minikafka.messages import list_config_resources as listing
from minikafka.messages import update_features as updating
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.worlds.sim_world import batch

DATA = Path(__file__).parent / "data" / "admin_answers.json"
SIMULATED_CONTROLLER = 100
UPGRADE, SAFE, UNSAFE = 1, 2, 3
SET, DELETE, APPEND, SUBTRACT, UNKNOWN = range(5)
OPERATIONS = ("=", "deleted", "+", "-", "?")
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
THE_CONTROLLER = "the controller"
"""In a resource: the id of the controller."""
METADATA, ELR, KRAFT, TRANSACTIONS = (
    "metadata.version", "eligible.leader.replicas.version", "kraft.version", "transaction.version",
)  # fmt: skip


class Case(NamedTuple):
    """One request; `version` None is the highest that both sides have."""

    name: str
    request: Any
    version: int | None = None
    to_controller: bool = False
    waits: bool = False
    """True if the brokers must know what the cases before it changed."""


def features(*rows, dry=False):
    return updating.UpdateFeaturesRequest(
        feature_updates=[
            updating.FeatureUpdateKey(feature, level, upgrade_type=kind)
            for feature, level, kind in rows
        ],
        validate_only=dry,
    )


def feature(name, level, kind, version=None):
    return Case(f"{name} {level} by {kind}, v{version}", features((name, level, kind)), version)


def reassign(name, topic, *rows, resizing=False):
    """`rows` are (partition, replicas or None)."""
    request = reassigning.AlterPartitionReassignmentsRequest(
        topics=[
            reassigning.ReassignableTopic(
                topic, [reassigning.ReassignablePartition(*row) for row in rows]
            )
        ],
        allow_replication_factor_change=resizing,
    )
    return Case(name, request, 1)


def create(name, *topics, dry=True):
    """`topics` are (name, partitions, factor, assignments, configuration), cut anywhere."""
    request = creating.CreateTopicsRequest(timeout_ms=10_000, validate_only=dry)
    for row in topics:
        topic, partitions, factor, assignments, configs = (*row, *(-1, -1, {}, {})[len(row) - 1 :])
        request.topics.append(
            creating.CreatableTopic(
                topic, partitions, factor,
                [creating.CreatableReplicaAssignment(*each) for each in assignments.items()],
                [creating.CreatableTopicConfig(*each) for each in configs.items()],
            )
        )  # fmt: skip
    return Case(name, request)


def grow(name, *topics):
    """`topics` are (name, number of partitions, assignments or None)."""
    request = growing.CreatePartitionsRequest(timeout_ms=10_000, validate_only=True)
    for topic, count, assignments in topics:
        rows = None
        if assignments is not None:
            rows = [growing.CreatePartitionsAssignment(brokers) for brokers in assignments]
        request.topics.append(growing.CreatePartitionsTopic(topic, count, rows))
    return Case(name, request)


def delete(name, *names, version=5):
    return Case(name, deleting.DeleteTopicsRequest(topic_names=list(names), timeout_ms=9_000),
                version)  # fmt: skip


def delete_rows(name, *rows):
    topics = [deleting.DeleteTopicState(*row) for row in rows]
    return Case(name, deleting.DeleteTopicsRequest(topics=topics, timeout_ms=9_000), 6)


def trim(topic):
    partition = trimming.DeleteRecordsPartition(0, 0)
    topics = [trimming.DeleteRecordsTopic(topic, [partition])]
    return Case(f"delete records of {topic}", trimming.DeleteRecordsRequest(topics, 9_000))


def produce(topic):
    data = PartitionProduceData(0, batch(b"value"))
    topics = [TopicProduceData(topic, partition_data=[data])]
    return Case(
        f"produce to {topic}", ProduceRequest(acks=-1, timeout_ms=9_000, topic_data=topics), 9
    )


def alter(name, *resources, dry=False, to_controller=False):
    """`resources` are (type, name, rows of key, operation, value)."""
    request = altering.IncrementalAlterConfigsRequest(
        [
            altering.AlterConfigsResource(
                kind, of, [altering.AlterableConfig(*row) for row in rows]
            )
            for kind, of, rows in resources
        ],
        validate_only=dry,
    )
    return Case(name, request, 1, to_controller)


def subscription(key, value, operation=SET, *, again=False):
    name = f"{key} {OPERATIONS[operation]} {value!r}{' again' if again else ''}"
    return alter(name, (METRICS, "s", [(key, operation, value)]))


def replace(name, kind, of, **values):
    rows = [
        replacing.AlterableConfig(key.replace("_", "."), value) for key, value in values.items()
    ]
    return Case(
        name, replacing.AlterConfigsRequest([replacing.AlterConfigsResource(kind, of, rows)])
    )


def describe(name, *resources, synonyms=False, to_controller=False):
    """`resources` are (type, name, keys)."""
    request = describing.DescribeConfigsRequest(
        [describing.DescribeConfigsResource(*each) for each in resources],
        include_synonyms=synonyms,
    )
    return Case(name, request, 4, to_controller, waits=True)


def describe_cluster(endpoint_type, version, *, to_controller=False):
    where = "controller" if to_controller else "broker"
    return Case(
        f"cluster of endpoint type {endpoint_type} by a {where}, v{version}",
        DescribeClusterRequest(endpoint_type=endpoint_type), version, to_controller,
    )  # fmt: skip


def list_resources(name, *kinds, version=1):
    return Case(name, listing.ListConfigResourcesRequest(list(kinds)), version, waits=True)


_NAMES = ("name", "feature", "partition_index", "index", "resource_name", "partition_id", "topic")


def prepared(request, controller):
    """Return the request with the id of the controller."""
    for resource in getattr(request, "resources", ()):
        if resource.resource_name == THE_CONTROLLER:
            resource.resource_name = str(controller)
    return request


def answers(message):
    """Every error code of a response: the names that lead to it, the code, the text.

    Also the configuration resources of a list, and the described values.
    """
    return list(_answers(message, ()))


def _answers(message, path):
    code = getattr(message, "error_code", None)
    if code is not None:
        yield [*path, int(code), getattr(message, "error_message", None)]
    if isinstance(message, describing.DescribeConfigsResult):
        for it in message.configs:
            synonyms = [[each.name, each.value, each.source] for each in it.synonyms]
            yield [it.name, it.value, it.read_only, it.config_source, it.config_type, synonyms]
        return
    for it in getattr(message, "config_resources", ()):
        yield [it.resource_name, it.resource_type]
    for field in message.__slots__:
        rows = getattr(message, field)
        if isinstance(rows, list):
            for row in rows:
                if hasattr(row, "__slots__"):
                    yield from _answers(row, (*path, _name(row)))


def _name(row):
    return next((str(getattr(row, name)) for name in _NAMES if hasattr(row, name)), "")


def load():
    """Return the recorded answers by case."""
    return json.loads(DATA.read_text())
