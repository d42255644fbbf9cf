"""ACL requests to a cluster with an authorizer, through a broker and the controller."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.principal import KafkaPrincipal
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from minikafka.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from minikafka.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.get_replica_log_info import (
    GetReplicaLogInfoRequest,
    GetReplicaLogInfoResponse,
)
from minikafka.security.acl import Acl
from tests.worlds.authorized_cluster import AuthorizedCluster
from tests.worlds.sim_world import create_topic, fetch, produce

READ = Acl(2, "t", 3, "User:mallory", "*", 3, 3)
WRITE = READ._replace(operation=4)
ANY = (1, None, 1, None, None, 1, 1)
EVERY_VERSION = pytest.mark.parametrize("version", [1, 2, 3])


@pytest.fixture
def secured():
    return AuthorizedCluster()


def create(client, *acls, version=3):
    request = CreateAclsRequest([AclCreation(*acl) for acl in acls])
    found = client.ask(request, CreateAclsResponse, version=version)
    return [row.error_code for row in found.results]


def delete(client, *filters, version=3):
    request = DeleteAclsRequest([DeleteAclsFilter(*each) for each in filters])
    found = client.ask(request, DeleteAclsResponse, version=version)
    return [(row.error_code, len(row.matching_acls)) for row in found.filter_results]


def describe(client, *wanted, version=3):
    found = client.ask(DescribeAclsRequest(*(wanted or ANY)), DescribeAclsResponse, version=version)
    return found.error_code, [
        (row.resource_type, row.resource_name, row.pattern_type, len(row.acls))
        for row in found.resources
    ]


@EVERY_VERSION
def test_create_describe_delete(secured, version):
    admin = secured.admin()
    assert create(admin, READ, WRITE, READ._replace(pattern_type=4), version=version) == [0, 0, 0]
    secured.settle()
    assert describe(admin, version=version) == (0, [(2, "t", 3, 2), (2, "t", 4, 1)])
    assert describe(admin, *READ, version=version) == (0, [(2, "t", 3, 1)])
    assert delete(admin, READ, version=version) == [(0, 1)]
    secured.settle()
    assert describe(admin, version=version) == (0, [(2, "t", 3, 1), (2, "t", 4, 1)])


def test_without_rights_on_the_cluster(secured):
    mallory = secured.client()
    denied = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert create(mallory, READ) == [denied]
    assert delete(mallory, ANY) == [(denied, 0)]
    assert describe(mallory) == (denied, [])
    secured.allow(4, "kafka-cluster", 8)
    assert describe(mallory)[0] == 0
    assert create(mallory, READ) == [denied]
    secured.allow(4, "kafka-cluster", 7)
    assert create(mallory, READ) == [0]
    assert delete(mallory, READ) == [(0, 1)]


def test_an_acl_takes_effect_at_once_on_lanes_and_sessions_too(secured):
    """A producer and a consumer that run lose their rights with the next request."""
    create_topic(secured.cluster, "t", client=secured.admin())
    producer, consumer = secured.client(), secured.client()
    assert produce(producer, "t", b"a").error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    secured.allow(*READ[:2], 4)
    for _ in range(5):
        assert produce(producer, "t", b"a").error_code == 0
    assert fetch(consumer, "t").error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    secured.allow(*READ[:2], 3)
    for _ in range(5):
        assert fetch(consumer, "t").error_code == 0
    secured.remove_all()
    assert produce(producer, "t", b"a").error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert fetch(consumer, "t").error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_another_principal_has_its_own_metadata(secured):
    admin = secured.admin()
    create_topic(secured.cluster, "t", client=admin)
    assert [name for name, _ in secured.topics(admin)] == ["t"]
    assert secured.topics(secured.client()) == []
    assert secured.topics(secured.client(), "t") == [("t", ErrorCode.TOPIC_AUTHORIZATION_FAILED)]
    assert secured.topics(secured.client(), "u") == [("u", ErrorCode.TOPIC_AUTHORIZATION_FAILED)]
    secured.allow(2, "t", 8)
    assert secured.topics(secured.client()) == [("t", 0)]
    assert secured.topics(secured.client(KafkaPrincipal("User", "eve"))) == []


def test_entries_survive_a_restart_of_all_nodes(secured):
    secured.allow(4, "kafka-cluster", 8)
    secured.restart()
    assert describe(secured.client()) == (0, [(4, "kafka-cluster", 3, 1)])


def test_a_pattern_matches_only_topics_that_the_member_may_see(secured):
    pytest.importorskip("re2")
    admin = secured.admin()
    for name in ("t1", "t2", "other"):
        create_topic(secured.cluster, name, client=admin)
    secured.allow(3, "g", 3)
    secured.allow(2, "t2", 8)
    member = secured.client()
    beat = ConsumerGroupHeartbeatRequest(
        "g", "member", 0, rebalance_timeout_ms=10_000, subscribed_topic_regex="t.*",
        topic_partitions=[],
    )  # fmt: skip
    find = FindCoordinatorRequest("", 0, ["g"])
    for _ in range(200):
        secured.cluster.world.run(100)
        if not admin.ask(find, FindCoordinatorResponse, version=4).coordinators[0].error_code:
            answer = member.ask(beat, ConsumerGroupHeartbeatResponse, version=1)
            if not answer.error_code:
                beat.member_epoch = answer.member_epoch
                beat.subscribed_topic_regex = beat.topic_partitions = None
                beat.rebalance_timeout_ms = -1
    shard = secured.cluster.nodes[1].node.broker.groups.shard_of("g")
    (resolved,) = shard.groups.group("g").resolved.values()
    assert resolved.topics == {"t2"}


def test_the_ends_of_logs_are_for_brokers(secured):
    """The API of this project, which Kafka does not have."""
    client = secured.client()
    request = GetReplicaLogInfoRequest(broker_id=1)
    denied = client.ask(request, GetReplicaLogInfoResponse, version=0)
    assert denied.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    secured.allow(4, "kafka-cluster", 9)
    assert client.ask(request, GetReplicaLogInfoResponse, version=0).error_code == 0
