"""DescribeAcls (key 29), v1-3.

Both:        SECURITY_DISABLED: there is no authorizer.
Versions:    v1 pattern types; v2 flexible; v3 users as resources.
Errors:      SECURITY_DISABLED. As Kafka, a request with an unknown type closes the connection.
"""

from minikafka.apis._acls import all_known
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from minikafka.serving.context import RequestContext
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import CLOSE

_VERSIONS = (1, 3)


@controller_api(ApiKey.DESCRIBE_ACLS, versions=_VERSIONS)
@broker_api(ApiKey.DESCRIBE_ACLS, versions=_VERSIONS)
def describe_acls(_: RequestContext, request: DescribeAclsRequest) -> DescribeAclsResponse | object:
    """Answer that there is no authorizer."""
    types = (
        request.resource_type_filter,
        request.pattern_type_filter,
        request.operation,
        request.permission_type,
    )
    if not all_known((types,)):
        return CLOSE
    return DescribeAclsResponse(
        error_code=ErrorCode.SECURITY_DISABLED,
        error_message="No Authorizer is configured on the broker",
    )
