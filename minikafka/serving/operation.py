"""APIs that the active controller decides from its latest metadata, without waiting for others."""

from collections.abc import Callable
from typing import Any, TypeVar

from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps

Q = TypeVar("Q")


def controller_operation(
    key: int,
    versions: tuple[int, int],
    decide: Callable[[View, Q], ControllerResult[Any]],
    *,
    forwarded: bool,
) -> None:
    """Serve an API on controller listeners: decide, write, answer after the commit.

    If it is `forwarded`, brokers serve the API too, and hand requests to the active controller.
    """

    @controller_api(key, versions=versions)
    def operate(ctx: ControllerContext, request: Q) -> Steps[Any]:
        return (yield from commit(ctx, ctx.services.controller.decide(decide, request)))

    if forwarded:
        forward_to_controller(key, versions)


def forward_to_controller(key: int, versions: tuple[int, int]) -> None:
    """Serve an API on broker listeners: hand requests to the active controller."""

    @broker_api(key, versions=versions)
    def hand_on(ctx: BrokerContext, _: object) -> Steps[Any]:
        return (yield from forward(ctx))
