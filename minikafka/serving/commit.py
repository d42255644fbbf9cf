"""The end of a controller's handler: append the result, wait for the commit."""

from typing import Any

from minikafka.common.errors import NotControllerError
from minikafka.raft.raft_node import RaftEvent
from minikafka.serving.context import ControllerContext
from minikafka.serving.steps import FOREVER_MS, Steps, wait_until


def commit(ctx: ControllerContext, result: Any) -> Steps[Any]:
    """Return the response of a ControllerResult after its records are committed.

    A result without records waits for the controller's earlier records, so that no response shows
    uncommitted state.

    Raises:
        NotControllerError: leadership was lost first; the records may or may not be committed.
    """
    controller = ctx.services.controller
    epoch = controller.epoch
    offset = controller.append(result)
    yield from wait_until(
        (RaftEvent.COMMITTED,),
        lambda: controller.epoch != epoch or controller.is_committed(offset, epoch),
        FOREVER_MS,
    )
    if controller.epoch != epoch or not controller.is_committed(offset, epoch):
        raise NotControllerError
    return result.response
