"""The levels of a broker's loggers, which the broker changes itself (KIP-412)."""

import logging

import pytest

from minikafka.apis.incremental_alter_configs import incremental_alter_configs
from minikafka.common.errors import ErrorCode
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.metadata.image import RESOURCE_BROKER_LOGGER, RESOURCE_TOPIC
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT
from tests.worlds.sim_world import create_topic, started_cluster

LOGGER = "minikafka.tested"
SET = 0


class CountedList(list):
    """A list that counts how often it is read."""

    reads = 0

    def __iter__(self):
        self.reads += 1
        return super().__iter__()


@pytest.fixture
def cluster():
    return started_cluster(1)


@pytest.fixture
def logger():
    logger = logging.getLogger(LOGGER)
    yield logger
    logger.setLevel(logging.NOTSET)


def level(name, broker="1"):
    return AlterConfigsResource(
        RESOURCE_BROKER_LOGGER, broker, [AlterableConfig(LOGGER, SET, name)]
    )


def alter(cluster, *resources, dry=False):
    request = IncrementalAlterConfigsRequest(resources=list(resources), validate_only=dry)
    answer = cluster.client().ask(request, IncrementalAlterConfigsResponse)
    return {(row.resource_type, row.resource_name): row.error_code for row in answer.responses}


def test_level_is_changed_and_others_are_forwarded(cluster, logger):
    create_topic(cluster, "t")
    topic = AlterConfigsResource(RESOURCE_TOPIC, "t", [AlterableConfig("retention.ms", SET, "7")])
    assert alter(cluster, level("DEBUG"), topic) == {
        (RESOURCE_BROKER_LOGGER, "1"): ErrorCode.NONE,
        (RESOURCE_TOPIC, "t"): ErrorCode.NONE,
    }
    assert logger.level == logging.DEBUG
    assert cluster.nodes[1].node.loader.image.config(RESOURCE_TOPIC, "t") == {"retention.ms": "7"}


def test_repeated_resource_changes_nothing(cluster, logger):
    answers = alter(cluster, level("DEBUG"), level("ERROR"), level("INFO", broker="2"))
    assert answers == {
        (RESOURCE_BROKER_LOGGER, "1"): ErrorCode.INVALID_REQUEST,
        (RESOURCE_BROKER_LOGGER, "2"): ErrorCode.INVALID_REQUEST,
    }
    assert logger.level == logging.NOTSET


def test_validation_changes_nothing(cluster, logger):
    assert alter(cluster, level("DEBUG"), dry=True) == {
        (RESOURCE_BROKER_LOGGER, "1"): ErrorCode.NONE
    }
    assert logger.level == logging.NOTSET


@pytest.mark.parametrize("count", [3, 300])
def test_many_resources_are_not_compared_with_one_another(cluster, count):
    """20,000 in one request held up the broker for half a minute."""
    resources = CountedList(level("DEBUG", broker=str(each)) for each in range(2, count))
    request = IncrementalAlterConfigsRequest(resources=resources)
    broker = cluster.nodes[1].node.broker
    ctx = type("Context", (), {"broker": broker, "authorizer": None})()
    answer = incremental_alter_configs(ctx, request)
    assert len(answer.responses) == len(resources)
    assert resources.reads <= 2


def test_a_forwarded_request_changes_no_levels_of_the_controller(cluster, logger):
    """The broker refuses a logger that is named twice; the controller is the same process."""
    create_topic(cluster, "t")
    topic = AlterConfigsResource(RESOURCE_TOPIC, "t", [AlterableConfig("retention.ms", SET, "7")])
    answers = alter(cluster, level("DEBUG"), level("DEBUG"), topic)
    assert answers[RESOURCE_BROKER_LOGGER, "1"] == ErrorCode.INVALID_REQUEST
    assert answers[RESOURCE_TOPIC, "t"] == ErrorCode.NONE
    assert logger.level == logging.NOTSET


def test_a_controller_that_is_not_active_changes_its_levels(logger):
    cluster = started_cluster(1, separate_controller=True, voters=3)
    node_id = next(it for it in cluster.controller_ids if it != cluster.controller_id)
    client = cluster.client("admin", node_id, CONTROLLER_PORT)
    request = IncrementalAlterConfigsRequest([level("DEBUG", str(node_id))])
    answer = client.ask(request, IncrementalAlterConfigsResponse)
    assert [row.error_code for row in answer.responses] == [ErrorCode.NONE]
    assert logger.level == logging.DEBUG


def test_a_controller_changes_its_own_levels_only(logger):
    cluster = started_cluster(1, separate_controller=True)
    client = cluster.client("admin", 100, CONTROLLER_PORT)
    request = IncrementalAlterConfigsRequest([level("DEBUG", "100"), level("WARN", "1")])
    answer = client.ask(request, IncrementalAlterConfigsResponse)
    assert [row.error_code for row in answer.responses] == [
        ErrorCode.NONE,
        ErrorCode.INVALID_REQUEST,
    ]
    assert logger.level == logging.DEBUG
