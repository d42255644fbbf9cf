"""DescribeDelegationToken (key 41), v1-3.

Both:        the tokens that the client owns, has requested, may renew, or may describe, with their
             HMAC; of some owners, requesters or renewers, or of all.
Errors:      DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, DELEGATION_TOKEN_AUTH_DISABLED.
"""

from minikafka.common.errors import ErrorCode
from minikafka.common.principal import KafkaPrincipal
from minikafka.config.delegation_token_keys import DELEGATION_TOKEN_SECRET_KEY
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from minikafka.metadata.delegation_tokens import DelegationToken, delegation_tokens, token_hmac
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.context import BrokerContext, ControllerContext, NodeServices, RequestContext
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.token_requests import REQUESTER_FROM, allows_token_requests

_VERSIONS = (1, 3)


@broker_api(ApiKey.DESCRIBE_DELEGATION_TOKEN, versions=_VERSIONS)
def describe(
    ctx: BrokerContext, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    """Describe tokens."""
    return _described(ctx, ctx.broker, request)


@controller_api(ApiKey.DESCRIBE_DELEGATION_TOKEN, versions=_VERSIONS)
def describe_on_controller(
    ctx: ControllerContext, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    """Describe tokens. Unlike Kafka (row Y1), whose controllers do not answer."""
    return _described(ctx, ctx.services, request)


def _described(
    ctx: RequestContext, services: NodeServices, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    if not allows_token_requests(ctx, services.config):
        return DescribeDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    secret = services.config.values[DELEGATION_TOKEN_SECRET_KEY]
    if not secret:
        return DescribeDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    owners = None
    if request.owners is not None:
        owners = [
            KafkaPrincipal(each.principal_type, each.principal_name) for each in request.owners
        ]
    return DescribeDelegationTokenResponse(
        tokens=[
            _entry(each, token_hmac(secret, each.token_id), ctx.version)
            for each in delegation_tokens(services.image)
            if (owners is None or any(each.is_of(owner) for owner in owners))
            and _may_describe(ctx, each)
        ]
    )


def _may_describe(ctx: RequestContext, token: DelegationToken) -> bool:
    return (
        token.is_of(ctx.principal)
        or allows(
            ctx,
            AclOperation.DESCRIBE,
            AclResourceType.DELEGATION_TOKEN,
            token.token_id,
            is_asked=False,
        )
        or allows(
            ctx,
            AclOperation.DESCRIBE_TOKENS,
            AclResourceType.USER,
            str(token.owner),
            is_asked=False,
        )
    )


def _entry(token: DelegationToken, hmac: bytes, version: int) -> DescribedDelegationToken:
    described = DescribedDelegationToken(
        principal_type=token.owner.type,
        principal_name=token.owner.name,
        issue_timestamp=token.issue_ms,
        expiry_timestamp=token.expiry_ms,
        max_timestamp=token.max_ms,
        token_id=token.token_id,
        hmac=hmac,
        renewers=[DescribedDelegationTokenRenewer(each.type, each.name) for each in token.renewers],
    )
    if version >= REQUESTER_FROM:
        described.token_requester_principal_type = token.requester.type
        described.token_requester_principal_name = token.requester.name
    return described
