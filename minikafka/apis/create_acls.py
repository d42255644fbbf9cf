"""CreateAcls (key 30), v1-3.

Both:        SECURITY_DISABLED for each entry: there is no authorizer. In Kafka the active
             controller answers, also on brokers.
Versions:    v1 pattern types; v2 flexible; v3 users as resources.
Errors:      SECURITY_DISABLED. As Kafka, a request with an unknown type closes the connection.
"""

from minikafka.apis._acls import refuse_changes
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_acls import CreateAclsRequest
from minikafka.serving.context import RequestContext
from minikafka.serving.registry import broker_api, controller_api

_VERSIONS = (1, 3)


@controller_api(ApiKey.CREATE_ACLS, versions=_VERSIONS)
@broker_api(ApiKey.CREATE_ACLS, versions=_VERSIONS)
def create_acls(_: RequestContext, request: CreateAclsRequest) -> object:
    """Answer that there is no authorizer."""
    return refuse_changes(
        (row.resource_type, row.resource_pattern_type, row.operation, row.permission_type)
        for row in request.creations
    )
