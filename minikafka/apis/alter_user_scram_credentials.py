"""AlterUserScramCredentials (key 51), v0.

Broker:      forwards to the active controller.
Controller:  sets and removes SCRAM credentials of users.
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNACCEPTABLE_CREDENTIAL, UNSUPPORTED_SASL_MECHANISM,
             RESOURCE_NOT_FOUND, DUPLICATE_RESOURCE, UNSUPPORTED_VERSION (user).
"""

from typing import Any

from minikafka.controller.scram_control import alter_user_scram_credentials
from minikafka.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 0)


@controller_api(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, versions=_VERSIONS)
def alter(ctx: ControllerContext, request: AlterUserScramCredentialsRequest) -> Steps[Any]:
    """Set and remove credentials."""
    require_cluster(ctx, AclOperation.ALTER)
    result = ctx.services.controller.decide(alter_user_scram_credentials, request)
    return (yield from commit(ctx, result))


forward_to_controller(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, _VERSIONS)
