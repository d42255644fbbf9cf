"""DeleteAcls (key 31), v1-3.

Both:        SECURITY_DISABLED for each filter: there is no authorizer. In Kafka the active
             controller answers, also on brokers.
Versions:    v1 pattern types; v2 flexible; v3 users as resources.
Errors:      SECURITY_DISABLED. As Kafka, a request with an unknown type closes the connection.
"""

from minikafka.apis._acls import refuse_changes
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_acls import DeleteAclsRequest
from minikafka.serving.context import RequestContext
from minikafka.serving.registry import broker_api, controller_api

_VERSIONS = (1, 3)


@controller_api(ApiKey.DELETE_ACLS, versions=_VERSIONS)
@broker_api(ApiKey.DELETE_ACLS, versions=_VERSIONS)
def delete_acls(_: RequestContext, request: DeleteAclsRequest) -> object:
    """Answer that there is no authorizer."""
    return refuse_changes(
        (row.resource_type_filter, row.pattern_type_filter, row.operation, row.permission_type)
        for row in request.filters
    )
