"""ACL requests without an authorizer: the answers of Apache Kafka 4.3.1, on both listeners."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from minikafka.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from minikafka.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from minikafka.sim.world.sim_client import NoResponseError
from tests.worlds.sim_world import started_cluster

ANY, TOPIC, LITERAL, READ, ALLOW = 1, 2, 3, 3, 3
EVERY_VERSION = pytest.mark.parametrize("version", [1, 2, 3])


@pytest.fixture(scope="module")
def cluster():
    return started_cluster(1)


def creation(**changes):
    row = {
        "resource_type": TOPIC, "resource_name": "t", "resource_pattern_type": LITERAL,
        "principal": "User:a", "host": "*", "operation": READ, "permission_type": ALLOW,
    }  # fmt: skip
    return AclCreation(**{**row, **changes})


def acl_filter(**changes):
    row = {
        "resource_type_filter": ANY, "pattern_type_filter": ANY, "operation": ANY,
        "permission_type": ANY,
    }  # fmt: skip
    return DeleteAclsFilter(**{**row, **changes})


@EVERY_VERSION
def test_describe(cluster, version):
    request = DescribeAclsRequest(
        resource_type_filter=ANY, pattern_type_filter=ANY, operation=ANY, permission_type=ANY
    )
    found = cluster.client().ask(request, DescribeAclsResponse, version=version)
    assert found.error_code == ErrorCode.SECURITY_DISABLED
    assert found.error_message == "No Authorizer is configured on the broker"


@EVERY_VERSION
def test_create(cluster, version):
    request = CreateAclsRequest([creation(), creation(principal="nonsense")])
    found = cluster.client().ask(request, CreateAclsResponse, version=version)
    assert [(row.error_code, row.error_message) for row in found.results] == [
        (ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")
    ] * 2


@EVERY_VERSION
def test_delete(cluster, version):
    request = DeleteAclsRequest([acl_filter(), acl_filter()])
    found = cluster.client().ask(request, DeleteAclsResponse, version=version)
    assert [(row.error_code, row.error_message) for row in found.filter_results] == [
        (ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")
    ] * 2


@pytest.mark.parametrize(
    ("request_", "response"),
    [
        (DescribeAclsRequest(operation=77), DescribeAclsResponse),
        (CreateAclsRequest([creation(), creation(resource_type=0)]), CreateAclsResponse),
        (DeleteAclsRequest([acl_filter(permission_type=4)]), DeleteAclsResponse),
    ],
)
def test_unknown_type_closes_the_connection(cluster, request_, response):
    with pytest.raises(NoResponseError):
        cluster.client().ask(request_, response, version=3)
