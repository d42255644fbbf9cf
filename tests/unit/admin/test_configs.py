"""Configurations as an administrator sees them."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.configs import (
    Resource,
    ResourceType,
    alter_configs,
    broker_ids,
    configured_names,
    describe_configs,
)
from minikafka.common.errors import ErrorCode
from minikafka.config.definition import ConfigSource
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_configs import DescribeConfigsRequest
from minikafka.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from tests.worlds.fake_cluster import FakeCluster, FakePartition

TOPIC = Resource(ResourceType.TOPIC, "a")


@pytest.fixture
def cluster():
    partition = FakePartition(1, [1], [1])
    return FakeCluster().add("a", partition, configs={"min.insync.replicas": "2"})


def test_an_entry_knows_where_its_value_comes_from(cluster):
    (entry,) = describe_configs(cluster, [TOPIC], synonyms=True)[TOPIC]
    assert (entry.name, entry.value) == ("min.insync.replicas", "2")
    assert entry.source is ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert [it.source for it in entry.synonyms] == [
        ConfigSource.DYNAMIC_TOPIC_CONFIG,
        ConfigSource.DEFAULT_CONFIG,
    ]


def test_every_key_is_asked_for(cluster):
    describe_configs(cluster, [TOPIC])
    request = cluster.last(DescribeConfigsRequest)
    assert request.resources[0].configuration_keys is None
    assert not request.include_synonyms


@pytest.mark.parametrize(
    ("resource", "asked_of"),
    [
        (TOPIC, []),
        (Resource(ResourceType.BROKER, "2"), [2]),
        (Resource(ResourceType.BROKER, ""), []),
        (Resource(ResourceType.GROUP, "5"), []),
    ],
)
def test_only_a_brokers_own_configuration_is_asked_of_it(cluster, resource, asked_of):
    describe_configs(cluster, [resource])
    alter_configs(cluster, resource, {"a": "b"}, [])
    assert cluster.asked_of == asked_of * 2


def test_values_are_set_and_removed_in_one_request(cluster):
    alter_configs(cluster, TOPIC, {"retention.ms": "5"}, ["segment.ms"])
    (resource,) = cluster.last(IncrementalAlterConfigsRequest).resources
    assert (resource.resource_type, resource.resource_name) == (2, "a")
    assert [(it.name, it.config_operation, it.value) for it in resource.configs] == [
        ("retention.ms", 0, "5"),
        ("segment.ms", 1, None),
    ]


def test_a_refused_change_has_its_reason(cluster):
    cluster.refusals = [(ErrorCode.INVALID_CONFIG, "no such thing")]
    with pytest.raises(AdminError, match="no such thing"):
        alter_configs(cluster, TOPIC, {"retention.ms": "x"}, [])


def test_brokers_are_in_order_with_and_without_describe_cluster(cluster):
    cluster.live = [3, 1]
    assert broker_ids(cluster) == [1, 3]
    cluster.missing.add(DescribeClusterRequest)
    assert broker_ids(cluster) == [1, 3]


def test_no_name_is_configured_if_the_cluster_lacks_the_api(cluster):
    assert configured_names(cluster, ResourceType.GROUP) == []
