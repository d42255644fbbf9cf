"""The two requests that change a delegation token, which differ only in what they decide."""

from collections.abc import Callable
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.principal import KafkaPrincipal
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps
from minikafka.serving.token_requests import allows_token_requests

_VERSIONS = (1, 2)

Decide = Callable[[View, Any, KafkaPrincipal, int], ControllerResult[Any]]


def token_change(key: int, decide: Decide, refusal: Callable[[ErrorCode, int], Any]) -> None:
    """Serve one of them: brokers check the client and forward, the active controller decides.

    `refusal` makes a response of an error and the time at which the token expires.
    """

    def refused() -> Any:
        return refusal(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, -1)

    @broker_api(key, versions=_VERSIONS)
    def hand_on(ctx: BrokerContext, _: object) -> Steps[Any]:
        if not allows_token_requests(ctx, ctx.broker.config):
            return refused()
        return (yield from forward(ctx))

    @controller_api(key, versions=_VERSIONS)
    def change(ctx: ControllerContext, request: object) -> Steps[Any]:
        if not allows_token_requests(ctx, ctx.services.config):
            return refused()
        wall_ms = ctx.env.clock.wall_ms
        result = ctx.services.controller.decide(decide, request, ctx.principal, wall_ms)
        return (yield from commit(ctx, result))
