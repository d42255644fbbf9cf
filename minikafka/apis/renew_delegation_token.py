"""RenewDelegationToken (key 39), v1-2.

Broker:      checks the client, and forwards to the active controller.
Controller:  renews a token.
Errors:      DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, DELEGATION_TOKEN_AUTH_DISABLED,
             DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_EXPIRED,
             DELEGATION_TOKEN_OWNER_MISMATCH, UNSUPPORTED_VERSION.
"""

from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.controller.delegation_token_control import renew_token
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps
from minikafka.serving.token_requests import allows_token_requests

_VERSIONS = (1, 2)
_NO_TIME = -1


@broker_api(ApiKey.RENEW_DELEGATION_TOKEN, versions=_VERSIONS)
def renew_on_broker(ctx: BrokerContext, _: RenewDelegationTokenRequest) -> Steps[Any]:
    """Check the client, and forward."""
    if not allows_token_requests(ctx, ctx.broker.config):
        return _refused()
    return (yield from forward(ctx))


@controller_api(ApiKey.RENEW_DELEGATION_TOKEN, versions=_VERSIONS)
def renew(ctx: ControllerContext, request: RenewDelegationTokenRequest) -> Steps[Any]:
    """Let a token expire later."""
    if not allows_token_requests(ctx, ctx.services.config):
        return _refused()
    wall_ms = ctx.env.clock.wall_ms
    result = ctx.services.controller.decide(renew_token, request, ctx.principal, wall_ms)
    return (yield from commit(ctx, result))


def _refused() -> RenewDelegationTokenResponse:
    return RenewDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, _NO_TIME)
