"""DescribeUserScramCredentials (key 50), v0.

Both:        the mechanisms and iterations of users' SCRAM credentials; of all users if none is
             named. No key or salt is shown.
Errors:      CLUSTER_AUTHORIZATION_FAILED; RESOURCE_NOT_FOUND, DUPLICATE_RESOURCE (user).
"""

from collections import Counter

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.scram_credentials import credentials
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.registry import broker_api, controller_api

_VERSIONS = (0, 0)


@broker_api(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, versions=_VERSIONS)
def describe(
    ctx: BrokerContext, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    """Describe the credentials of users."""
    require_cluster(ctx, AclOperation.DESCRIBE)
    return _described(ctx.broker.image, request)


@controller_api(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, versions=_VERSIONS)
def describe_on_controller(
    ctx: ControllerContext, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    """Describe the credentials of users.

    Unlike Kafka (row Y1), whose controllers list this API, and do not answer.
    """
    require_cluster(ctx, AclOperation.DESCRIBE)
    return _described(ctx.services.image, request)


def _described(
    image: MetadataImage, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    known: dict[str, list[CredentialInfo]] = {}
    for user, mechanism, iterations in credentials(image):
        known.setdefault(user, []).append(CredentialInfo(mechanism, iterations))
    named = Counter(each.name for each in request.users or ()) or Counter(list(known))
    return DescribeUserScramCredentialsResponse(
        results=[_result(user, count, known) for user, count in named.items()]
    )


def _result(
    user: str, count: int, known: dict[str, list[CredentialInfo]]
) -> DescribeUserScramCredentialsResult:
    if count > 1:
        return DescribeUserScramCredentialsResult(
            user,
            ErrorCode.DUPLICATE_RESOURCE,
            "Cannot describe SCRAM credentials for the same user twice in a single request: "
            f"{user}",
        )
    if user not in known:
        return DescribeUserScramCredentialsResult(
            user,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"Attempt to describe a user credential that does not exist: {user}",
        )
    found = sorted(known[user], key=lambda each: each.mechanism)
    return DescribeUserScramCredentialsResult(user, credential_infos=found)
