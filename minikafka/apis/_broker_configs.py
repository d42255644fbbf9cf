"""What a broker decides about changes of brokers' configurations before it forwards them.

It refuses those of other brokers, and keys and certificates that it could not use: they are in its
files, which the controller cannot read.

Source: `ConfigAdminManager.preprocess`, `DynamicBrokerConfig.validate`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from minikafka.common.errors import InvalidRequestError, KafkaError
from minikafka.config.ssl_keys import reloaded_key
from minikafka.metadata.image import RESOURCE_BROKER
from minikafka.protocol.message import ApiMessage
from minikafka.rpc.envelope import decode_response
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import allows_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.steps import Steps

_SIZE_BYTES: Final = 4

R = TypeVar("R")
Altered = Callable[[Any, Mapping[str, str]], Mapping[str, str]]
"""Returns the values of a broker after a change, from its present ones."""


def split_by_broker(
    ctx: BrokerContext, resources: Sequence[Any], altered: Altered
) -> tuple[list[Any], list[tuple[Any, KafkaError]]]:
    """Return the resources to forward, and those that this broker refuses with their errors."""
    counts = Counter(each.resource_name for each in resources if _is_broker(each))
    forwarded, refused = [], []
    for each in resources:
        # The controller refuses what is named twice.
        is_checked = _is_broker(each) and counts[each.resource_name] == 1
        error = _error(ctx, each, altered) if is_checked else None
        if error is None:
            forwarded.append(each)
        else:
            refused.append((each, error))
    return forwarded, refused


def refusals(kind: Callable[..., R], refused: Iterable[tuple[Any, KafkaError]]) -> list[R]:
    """Return the rows of a response for what was refused."""
    return [
        kind(
            error_code=error.code,
            error_message=error.message,
            resource_type=each.resource_type,
            resource_name=each.resource_name,
        )
        for each, error in refused
    ]


def forward_rest(ctx: BrokerContext, request: ApiMessage, answers: list[Any]) -> Steps[Any]:
    """Forward what is left of a request; return its response with `answers` for the other rows."""
    data = yield from forward(ctx, request)
    if not isinstance(data, bytes):
        return data
    _, found = decode_response(memoryview(data)[_SIZE_BYTES:], ctx.api_key, ctx.version)
    response: Any = found
    response.responses = [*answers, *response.responses]
    return response


def _is_broker(resource: Any) -> bool:
    return bool(resource.resource_type == RESOURCE_BROKER)


def _error(ctx: BrokerContext, resource: Any, altered: Altered) -> KafkaError | None:
    name, own = resource.resource_name, str(ctx.broker.broker_id)
    if name != own:
        if not (name.isascii() and name.isdigit()):
            # That of all brokers, or one that the controller refuses.
            return None
        return InvalidRequestError(f"Unexpected broker id, expected {own}, but received {name}")
    check = ctx.broker.keys
    if check is None:
        return None
    before = ctx.broker.image.config(RESOURCE_BROKER, own)
    after = altered(resource, before)
    if _of_keys(before) == _of_keys(after):
        return None
    # Unlike Kafka (row K4): an error would tell everybody which files this node can read.
    if not allows_cluster(ctx, AclOperation.ALTER_CONFIGS, is_asked=False):
        return None
    problem = check.problem(after)
    return InvalidRequestError(problem) if problem else None


def _of_keys(values: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in values.items() if reloaded_key(name)}
