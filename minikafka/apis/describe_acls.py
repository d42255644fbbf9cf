"""DescribeAcls (key 29), v1-3.

Both:        the entries that match a filter, by resource pattern, from the committed metadata.
Versions:    v1 pattern types; v2 flexible; v3 users as resources.
Errors:      CLUSTER_AUTHORIZATION_FAILED, SECURITY_DISABLED (there is no authorizer). As Kafka, a
             request with an unknown type closes the connection.
"""

from minikafka.apis._acls import all_known
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from minikafka.metadata.carried import ACCESS_CONTROL_ENTRY, records_of
from minikafka.metadata.image import MetadataImage
from minikafka.security.acl import AclFilter, AclOperation, acl_of
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import BrokerContext, ControllerContext, RequestContext
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import CLOSE

_VERSIONS = (1, 3)


@broker_api(ApiKey.DESCRIBE_ACLS, versions=_VERSIONS)
def describe_acls(
    ctx: BrokerContext, request: DescribeAclsRequest
) -> DescribeAclsResponse | object:
    """Describe the entries that this broker knows."""
    return _described(ctx, request, ctx.broker.image)


@controller_api(ApiKey.DESCRIBE_ACLS, versions=_VERSIONS)
def describe_acls_on_controller(
    ctx: ControllerContext, request: DescribeAclsRequest
) -> DescribeAclsResponse | object:
    """Describe the entries that this controller knows."""
    return _described(ctx, request, ctx.services.image)


def _described(
    ctx: RequestContext, request: DescribeAclsRequest, image: MetadataImage
) -> DescribeAclsResponse | object:
    acl_filter = AclFilter(
        request.resource_type_filter,
        request.resource_name_filter,
        request.pattern_type_filter,
        request.principal_filter,
        request.host_filter,
        request.operation,
        request.permission_type,
    )
    types = (
        request.resource_type_filter,
        request.pattern_type_filter,
        request.operation,
        request.permission_type,
    )
    if not all_known((types,)):
        return CLOSE
    require_cluster(ctx, AclOperation.DESCRIBE)
    if ctx.authorizer is None:
        return DescribeAclsResponse(
            error_code=ErrorCode.SECURITY_DISABLED,
            error_message="No Authorizer is configured on the broker",
        )
    resources: dict[tuple[int, str, int], DescribeAclsResource] = {}
    for acl in map(acl_of, records_of(image.carried, ACCESS_CONTROL_ENTRY)):
        if acl_filter.matches(acl):
            pattern = acl.resource_type, acl.resource_name, acl.pattern_type
            resource = resources.get(pattern)
            if resource is None:
                resource = resources[pattern] = DescribeAclsResource(*pattern)
            resource.acls.append(
                AclDescription(acl.principal, acl.host, acl.operation, acl.permission_type)
            )
    return DescribeAclsResponse(resources=list(resources.values()))
