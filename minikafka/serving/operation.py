"""APIs that the active controller decides without waiting for others."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps

if TYPE_CHECKING:
    from minikafka.controller.quorum_controller import QuorumController

Q = TypeVar("Q")


def controller_operation(
    key: int,
    versions: tuple[int, int],
    decide: Callable[[View, Q], ControllerResult[Any]],
    *,
    forwarded: bool,
    needs: AclOperation,
) -> None:
    """Serve an API that the controller decides from its latest metadata; see `committed_operation`.

    `decide` gets a view of that metadata and the request.
    """
    committed_operation(
        key,
        versions,
        lambda controller, request, _: controller.decide(decide, request),
        forwarded=forwarded,
        needs=needs,
    )


def committed_operation(
    key: int,
    versions: tuple[int, int],
    decide: "Callable[[QuorumController, Any, int], ControllerResult[Any]]",
    *,
    forwarded: bool,
    needs: AclOperation,
) -> None:
    """Serve an API on controller listeners: decide, write, answer after the commit.

    `decide` gets the controller, the request, and the version of the request. If the API is
    `forwarded`, brokers serve it too, and hand requests to the active controller. The client
    `needs` to be allowed this operation on the cluster.
    """

    @controller_api(key, versions=versions)
    def operate(ctx: ControllerContext, request: object) -> Steps[Any]:
        require_cluster(ctx, needs)
        return (yield from commit(ctx, decide(ctx.services.controller, request, ctx.version)))

    if forwarded:
        forward_to_controller(key, versions)


def forward_to_controller(key: int, versions: tuple[int, int]) -> None:
    """Serve an API on broker listeners: hand requests to the active controller."""

    @broker_api(key, versions=versions)
    def hand_on(ctx: BrokerContext, _: object) -> Steps[Any]:
        return (yield from forward(ctx))
