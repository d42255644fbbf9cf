"""Common parts of the requests that change the voters."""

from collections.abc import Iterable
from typing import Protocol

from minikafka.common.errors import (
    InconsistentClusterIdError,
    InvalidRequestError,
    RequestTimedOutError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.metadata.broker_registration import Endpoint
from minikafka.raft.voter_changes import VoterChange
from minikafka.serving.context import ControllerContext
from minikafka.serving.steps import Steps, wait_until

_MAX_LISTENERS = 32
_LONGEST_NAME = 255


class VoterRequest(Protocol):
    """A request about one voter."""

    cluster_id: str | None
    voter_id: int
    voter_directory_id: Uuid


class ListenerOfVoter(Protocol):
    """An endpoint in a request."""

    name: str
    host: str
    port: int


def check(ctx: ControllerContext, request: VoterRequest) -> None:
    """Check that the request is for this cluster and names a voter.

    Raises:
        InconsistentClusterIdError: it is for another cluster.
        InvalidRequestError: it names no node or no directory.
    """
    if request.cluster_id is not None and request.cluster_id != ctx.services.cluster_id:
        raise InconsistentClusterIdError
    if request.voter_id < 0 or request.voter_directory_id == ZERO_UUID:
        raise InvalidRequestError("the request names no voter: an id and a directory id are needed")


def endpoints_of(listeners: Iterable[ListenerOfVoter]) -> tuple[Endpoint, ...]:
    """The endpoints of a request's listeners, which the metadata log keeps.

    Raises:
        InvalidRequestError: there are more, or longer ones, than any node has.
    """
    found = tuple(Endpoint(each.name, each.host, each.port) for each in listeners)
    if len(found) > _MAX_LISTENERS:
        raise InvalidRequestError(
            f"the request has {len(found)} listeners; a voter has at most {_MAX_LISTENERS}"
        )
    for each in found:
        if max(len(each.name), len(each.host)) > _LONGEST_NAME or not each.port:
            raise InvalidRequestError(
                "a listener needs a port, and a name and a host of at most "
                f"{_LONGEST_NAME} characters"
            )
    return found


def settled(ctx: ControllerContext, change: VoterChange, deadline_ms: int) -> Steps[None]:
    """Wait for the end of a change.

    Raises:
        RequestTimedOutError: it has not ended in time; its record may be committed later.
        KafkaError: it has failed.
    """
    if not (yield from wait_until((change.key,), lambda: change.is_done, deadline_ms)):
        ctx.services.raft.changes.give_up(change)
        raise RequestTimedOutError("the change of the voters was not committed in time")
    if change.error is not None:
        raise change.error
