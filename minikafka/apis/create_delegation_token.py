"""CreateDelegationToken (key 38), v1-3.

Broker:      checks the client, and forwards to the active controller.
Controller:  makes a token.
Errors:      DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, DELEGATION_TOKEN_AUTHORIZATION_FAILED,
             DELEGATION_TOKEN_AUTH_DISABLED, INVALID_PRINCIPAL_TYPE, UNSUPPORTED_VERSION.
"""

from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.principal import USER
from minikafka.config.node_config import NodeConfig
from minikafka.controller.delegation_token_control import create_token, owner_of
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from minikafka.metadata.delegation_tokens import is_same
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext, RequestContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps
from minikafka.serving.token_requests import REQUESTER_FROM, allows_token_requests

_VERSIONS = (1, 3)
_NO_TIME = -1


@broker_api(ApiKey.CREATE_DELEGATION_TOKEN, versions=_VERSIONS)
def create_on_broker(ctx: BrokerContext, request: CreateDelegationTokenRequest) -> Steps[Any]:
    """Check the client and the renewers, and forward."""
    code = _problem(ctx, ctx.broker.config, request)
    if not code and any(each.principal_type != USER for each in request.renewers):
        code = ErrorCode.INVALID_PRINCIPAL_TYPE
    if code:
        return _refused(ctx, request, code)
    return (yield from forward(ctx))


@controller_api(ApiKey.CREATE_DELEGATION_TOKEN, versions=_VERSIONS)
def create(ctx: ControllerContext, request: CreateDelegationTokenRequest) -> Steps[Any]:
    """Make a token."""
    code = _problem(ctx, ctx.services.config, request)
    if code:
        return _refused(ctx, request, code)
    wall_ms = ctx.env.clock.wall_ms
    result = ctx.services.controller.decide(create_token, request, ctx.principal, wall_ms)
    _fit(result.response, ctx.version)
    return (yield from commit(ctx, result))


def _problem(
    ctx: RequestContext, config: NodeConfig, request: CreateDelegationTokenRequest
) -> ErrorCode:
    if not allows_token_requests(ctx, config):
        return ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    owner = owner_of(request, ctx.principal)
    if is_same(owner, ctx.principal) or allows(
        ctx, AclOperation.CREATE_TOKENS, AclResourceType.USER, str(owner)
    ):
        return ErrorCode.NONE
    return ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED


def _refused(
    ctx: RequestContext, request: CreateDelegationTokenRequest, code: ErrorCode
) -> CreateDelegationTokenResponse:
    owner = owner_of(request, ctx.principal)
    response = CreateDelegationTokenResponse(
        code,
        owner.type,
        owner.name,
        ctx.principal.type,
        ctx.principal.name,
        _NO_TIME,
        _NO_TIME,
        _NO_TIME,
    )
    _fit(response, ctx.version)
    return response


def _fit(response: CreateDelegationTokenResponse, version: int) -> None:
    """Leave out what older versions have no fields for."""
    if version < REQUESTER_FROM:
        response.token_requester_principal_type = response.token_requester_principal_name = ""
