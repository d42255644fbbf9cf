"""DescribeConfigs on brokers and on controllers (KIP-919): who tells what."""

import logging

import pytest

from minikafka.apis import describe_configs as describe_configs_api
from minikafka.common.errors import ErrorCode
from minikafka.config.group import GROUP_KEYS
from minikafka.config.values import ConfigLayers
from minikafka.controller.result import ControllerResult
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.node.node import Node
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT, host
from tests.worlds.sim_world import create_topic, produce, started_cluster

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
GIVEN = {"metrics.http.listen": "127.0.0.1:0"}


@pytest.fixture
def cluster():
    return started_cluster(1, given=GIVEN, separate_controller=True)


def ask(cluster, node_id, kind, name, *keys):
    """Error code, then values by key, as a node tells them."""
    port = CONTROLLER_PORT if node_id == cluster.controller_id else BROKER_PORT
    client = SimClient(cluster.world, cluster.network, "teller", (host(node_id), port))
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(kind, name, list(keys) or None)]
    )
    (result,) = client.ask(request, DescribeConfigsResponse).results
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result.error_code, {entry.name: entry.value for entry in result.configs}


@pytest.mark.parametrize("node_id", [1, 100])
def test_a_node_tells_its_own_values(cluster, node_id):
    code, values = ask(cluster, node_id, BROKER, str(node_id), "metrics.http.listen", "node.id")
    assert code == ErrorCode.NONE
    assert values == {"metrics.http.listen": "127.0.0.1:0", "node.id": str(node_id)}


@pytest.mark.parametrize(("node_id", "other"), [(1, "100"), (100, "1"), (100, "x")])
def test_the_values_of_another_node_are_asked_of_that_node(cluster, node_id, other):
    assert ask(cluster, node_id, BROKER, other) == (ErrorCode.INVALID_REQUEST, {})


@pytest.mark.parametrize("node_id", [1, 100])
def test_both_know_topics_and_the_defaults_of_all_brokers(cluster, node_id):
    create_topic(cluster, "t", config={"min.insync.replicas": "2"})
    wanted = {"min.insync.replicas": "2"}
    assert ask(cluster, node_id, TOPIC, "t", "min.insync.replicas") == (ErrorCode.NONE, wanted)
    # Where the ELR is kept, the minimum is written down (KIP-966).
    assert ask(cluster, node_id, BROKER, "") == (ErrorCode.NONE, {"min.insync.replicas": "1"})
    code, _ = ask(cluster, node_id, TOPIC, "u")
    assert code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("kind", [LOGGER, METRICS])
@pytest.mark.parametrize("name", ["", "7", "x"])
def test_loggers_and_subscriptions_need_a_name(cluster, kind, name):
    code, values = ask(cluster, 1, kind, name)
    if kind == METRICS and name:
        assert values == {"interval.ms": "300000", "match": "", "metrics": ""}
    else:
        assert (code, values) == (ErrorCode.INVALID_REQUEST, {})


@pytest.mark.parametrize("node_id", [1, 100])
def test_a_resource_of_an_unknown_type_is_refused(cluster, node_id):
    assert ask(cluster, node_id, 77, "1") == (ErrorCode.INVALID_REQUEST, {})


@pytest.fixture
def levels():
    """The test may change the levels of these loggers."""
    loggers = [
        logging.getLogger(),
        logging.getLogger("minikafka.node"),
        logging.getLogger("minikafka.apis"),
    ]
    before = [logger.level for logger in loggers]
    yield loggers
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def alter_loggers(cluster, *rows, name="1", validate_only=False, others=()):
    resource = AlterConfigsResource(LOGGER, name, [AlterableConfig(*row) for row in rows])
    request = IncrementalAlterConfigsRequest([resource, *others], validate_only)
    found = cluster.client().ask(request, IncrementalAlterConfigsResponse, version=1)
    return {(row.resource_type, row.resource_name): row.error_code for row in found.responses}


SET, DELETE, APPEND = range(3)
OURS = "minikafka.node"


def test_levels_of_loggers_are_set_described_and_removed(cluster, levels):
    levels[0].setLevel(logging.WARNING)
    assert alter_loggers(cluster, (OURS, SET, "DEBUG"), validate_only=True) == {(LOGGER, "1"): 0}
    assert ask(cluster, 1, LOGGER, "1", OURS) == (0, {OURS: "WARN"})
    assert alter_loggers(cluster, (OURS, SET, "TRACE")) == {(LOGGER, "1"): 0}
    assert ask(cluster, 1, LOGGER, "1", OURS) == (0, {OURS: "TRACE"})
    assert alter_loggers(cluster, (OURS, DELETE, None), ("root", SET, "FATAL")) == {
        (LOGGER, "1"): 0
    }
    assert ask(cluster, 1, LOGGER, "1", OURS) == (0, {OURS: "FATAL"})


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ((OURS, SET, "debug"), ErrorCode.INVALID_CONFIG),
        ((OURS, SET, " TRACE "), ErrorCode.INVALID_CONFIG),
        ((OURS, SET, None), ErrorCode.INVALID_REQUEST),
        (("no.such.logger", SET, "INFO"), ErrorCode.INVALID_CONFIG),
        (("root", DELETE, None), ErrorCode.INVALID_REQUEST),
        ((OURS, APPEND, "INFO"), ErrorCode.INVALID_REQUEST),
    ],
)
def test_level_is_refused_as_by_kafka(cluster, levels, row, error):
    before = [logger.level for logger in levels]
    assert alter_loggers(cluster, ("minikafka.apis", SET, "INFO"), row) == {(LOGGER, "1"): error}
    assert [logger.level for logger in levels] == before


def test_loggers_and_other_resources_in_one_request(cluster, levels):
    create_topic(cluster, "both")
    other = AlterConfigsResource(TOPIC, "both", [AlterableConfig("retention.ms", SET, "7")])
    assert alter_loggers(cluster, (OURS, SET, "INFO"), others=[other]) == {
        (LOGGER, "1"): 0,
        (TOPIC, "both"): 0,
    }
    cluster.world.run(1000)
    assert ask(cluster, 1, TOPIC, "both", "retention.ms") == (0, {"retention.ms": "7"})


def test_loggers_of_another_node_are_not_changed(cluster):
    assert alter_loggers(cluster, (OURS, SET, "INFO"), name="7") == {
        (LOGGER, "7"): ErrorCode.INVALID_REQUEST
    }


def test_a_resource_that_is_named_twice_with_the_same_keys_is_described_once(cluster):
    create_topic(cluster, "t")
    rows = [
        DescribeConfigsResource(TOPIC, "t", None),
        DescribeConfigsResource(TOPIC, "t", ["retention.ms"]),
    ]
    request = DescribeConfigsRequest(resources=rows * 3)
    results = cluster.client().ask(request, DescribeConfigsResponse).results
    every, one = (len(result.configs) for result in results)
    assert every > one == 1


def described_by_step(cluster, request, monkeypatch):
    """The answer, and the number of keys whose origins each step of the node computed."""
    counts = [0]

    def counted(name):
        known = getattr(ConfigLayers, name)

        def origins(*args):
            counts[-1] += 1
            return known(*args)

        monkeypatch.setattr(ConfigLayers, name, origins)

    def step(*args):
        counts.append(0)
        return known_step(*args)

    known_step = Node.step
    monkeypatch.setattr(Node, "step", step)
    counted("described_origins")
    counted("broker_origins")
    answer = cluster.client().ask(request, DescribeConfigsResponse)
    monkeypatch.undo()
    return answer, [each for each in counts if each]


@pytest.mark.parametrize("count", [1, 50])
def test_only_the_requested_keys_are_computed(cluster, count, monkeypatch):
    """1,000 lists of one key of a node took a step of 470 ms."""
    keys = [["node.id", f"x{each}"] for each in range(count)]
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(BROKER, "1", each) for each in keys]
    )
    answer, counts = described_by_step(cluster, request, monkeypatch)
    assert [[row.name for row in each.configs] for each in answer.results] == [["node.id"]] * count
    assert counts == [count]


def test_requested_keys_are_in_the_order_of_all(cluster):
    create_topic(cluster, "t")
    names = list(ask(cluster, 1, TOPIC, "t")[1])
    assert list(ask(cluster, 1, TOPIC, "t", *reversed(names))[1]) == names
    assert list(ask(cluster, 1, TOPIC, "t", names[3], "no.such", names[1])[1]) == [
        names[1],
        names[3],
    ]


@pytest.mark.parametrize("version", [1, 4])
def test_many_resources_are_described_in_several_steps(cluster, version, monkeypatch):
    for name in ("a", "b", "c"):
        create_topic(cluster, name)
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(TOPIC, name, None) for name in "abcx"],
        include_synonyms=True,
    )
    at_once = cluster.client().ask(request, DescribeConfigsResponse, version=version)
    monkeypatch.setattr(describe_configs_api, "_ROW_US", 150)
    assert cluster.client().ask(request, DescribeConfigsResponse, version=version) == at_once
    answer, counts = described_by_step(cluster, request, monkeypatch)
    assert len(answer.results) == 4
    assert len(counts) == 3


def test_stored_values_that_cannot_be_parsed_stop_nothing_and_are_described(cluster, caplog):
    """Unlike Kafka, where the logs of such a topic cannot be configured (row O2)."""
    rows = [
        (TOPIC, "t", "unclean.recovery.strategy", "Fastest"),
        (TOPIC, "t", "retention.ms", "week"),
        (BROKER, "", "log.retention.minutes", "week"),
        (BROKER, "", "group.max.size", "many"),
        (BROKER, "1", "producer.id.expiration.ms", "never"),
    ]
    create_topic(cluster, "t")
    controller = cluster.nodes[cluster.controller_id].node.controller
    controller.append(ControllerResult([ConfigRecord(*row) for row in rows], None))
    cluster.world.run(100)
    create_topic(cluster, "u")
    for topic in ("t", "u"):
        assert produce(cluster.client(), topic, b"x").base_offset == 0
    for kind, name, key, text in rows:
        assert ask(cluster, 1, kind, name, key) == (ErrorCode.NONE, {key: text})
    lines = [line for line in caplog.messages if "no effect" in line]
    assert len(lines) == 9  # Each node names those that count for it.
    cluster.nodes[1].kill()
    cluster.nodes[1].start()
    cluster.world.run(5_000)
    assert produce(cluster.client(), "t", b"x").base_offset == 1


def test_synonyms_are_those_of_kafka(cluster):
    """KIP-226, as Kafka 4.3.1 lists them: a key without a default has none, until it has a value;
    then those of its other units follow."""
    create_topic(cluster, "t")

    def synonyms(kind, name, key):
        resource = DescribeConfigsResource(kind, name, [key])
        request = DescribeConfigsRequest([resource], include_synonyms=True)
        answer = cluster.client().ask(request, DescribeConfigsResponse, version=4)
        (row,) = answer.results[0].configs
        return [(each.name, each.value, each.source) for each in row.synonyms]

    assert synonyms(TOPIC, "t", "retention.ms") == []
    assert synonyms(BROKER, "1", "log.retention.ms") == []
    change = AlterConfigsResource(BROKER, "1", [AlterableConfig("log.retention.ms", 0, "888888")])
    request = IncrementalAlterConfigsRequest([change])
    answer = cluster.client().ask(request, IncrementalAlterConfigsResponse)
    assert answer.responses[0].error_code == ErrorCode.NONE
    cluster.world.run(500)
    found = [("log.retention.ms", "888888", 2), ("log.retention.hours", "168", 5)]
    assert synonyms(BROKER, "1", "log.retention.ms") == found
    assert synonyms(TOPIC, "t", "retention.ms") == found


def test_a_group_is_described_with_the_defaults_of_the_broker(cluster):
    """As Kafka 4.3.1 describes it, also a group that has no values of its own."""
    name, by_broker = "consumer.session.timeout.ms", "group.consumer.session.timeout.ms"
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(GROUP, "g", None)], include_synonyms=True
    )

    def row():
        answer = cluster.client().ask(request, DescribeConfigsResponse, version=4)
        found = {each.name: each for each in answer.results[0].configs}
        assert sorted(found) == sorted(key.name for key in GROUP_KEYS)
        each = found[name]
        assert (each.config_type, each.read_only, each.is_sensitive) == (3, False, False)
        synonyms = [(synonym.name, synonym.value, synonym.source) for synonym in each.synonyms]
        return each.value, each.config_source, synonyms

    assert row() == ("45000", 5, [(by_broker, "45000", 5)])
    controller = cluster.nodes[cluster.controller_id].node.controller
    controller.append(ControllerResult([ConfigRecord(GROUP, "g", name, "50000")], None))
    cluster.world.run(100)
    assert row() == ("50000", 8, [(name, "50000", 8), (by_broker, "45000", 5)])
