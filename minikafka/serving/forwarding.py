"""Forwarding of requests that only the active controller can serve.

A broker forwards the unchanged request, header and body, inside an Envelope, and sends the bytes of
the controller's response to the client unchanged. Source: KIP-590; `ForwardingManagerImpl`.
"""

from typing import Any, cast

from minikafka.common.errors import (
    ErrorCode,
    NotControllerError,
    RequestTimedOutError,
    UnknownServerError,
)
from minikafka.common.principal import KafkaPrincipal
from minikafka.common.wait_key import WaitKey
from minikafka.config import broker as keys
from minikafka.messages.data.default_principal_data import DefaultPrincipalData
from minikafka.messages.envelope import EnvelopeRequest
from minikafka.protocol.message import ApiMessage, encode_message
from minikafka.rpc.controller_channel import CLOSED_OVER_REQUEST, ControllerChannel
from minikafka.rpc.envelope import encode_request
from minikafka.serving.context import BrokerContext
from minikafka.serving.steps import CLOSE, Steps, wait_until

_VERSION = 0
_SIZE_BYTES = 4


def forward(ctx: BrokerContext, request: ApiMessage | None = None) -> Steps[Any]:
    """Return the controller's response to the current request, ready to be sent.

    With `request` the controller gets this one instead.

    Raises:
        RequestTimedOutError: no controller answered before the timeout.
        NotControllerError: the controller that answered is not active.
        UnknownServerError: the controller rejected the envelope.
    """
    timeout_ms = ctx.broker.config.values[keys.REQUEST_TIMEOUT_MS]
    return (yield from _through(ctx, ctx.broker.forwarding, timeout_ms, request))


def forward_alone(ctx: BrokerContext, work_ms: int) -> Steps[Any]:
    """As `forward`, on a separate connection: the controller may take `work_ms` longer.

    Raises:
        RequestTimedOutError, NotControllerError, UnknownServerError: as `forward`.
    """
    timeout_ms = max(work_ms, 0) + int(ctx.broker.config.values[keys.REQUEST_TIMEOUT_MS])
    channel = ctx.broker.forwarding.alone(timeout_ms)
    try:
        return (yield from _through(ctx, channel, timeout_ms))
    finally:
        channel.close()


def _through(
    ctx: BrokerContext,
    channel: ControllerChannel,
    timeout_ms: int,
    forwarded: ApiMessage | None = None,
) -> Steps[Any]:
    host = ctx.peer_host or "127.0.0.1"
    request = EnvelopeRequest(
        request_data=_frame(ctx, forwarded),
        request_principal=_encoded(ctx.principal),
        client_host_address=_address_bytes(host),
    )
    answers: list[tuple[Any | None, str]] = []
    arrived = WaitKey("forwarded request")

    def done(response: Any | None, why: str) -> None:
        if response is not None:
            # The bytes of the response are valid in this step only.
            data = response.response_data
            response.response_data = None if data is None else bytes(data)
        answers.append((response, why))
        ctx.env.notify(arrived)

    channel.send(request, _VERSION, timeout_ms=timeout_ms, on_done=done)
    if not (
        yield from wait_until([arrived], lambda: bool(answers), ctx.deadline_ms(2 * timeout_ms))
    ):
        # The channel retries for `timeout_ms`; its last request may take another `timeout_ms`.
        raise RequestTimedOutError("no answer from the active controller in time")
    response, why = answers[0]
    if response is None:
        raise UnknownServerError(why) if why == CLOSED_OVER_REQUEST else RequestTimedOutError(why)
    if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
        return CLOSE
    if response.error_code == ErrorCode.NOT_CONTROLLER:
        raise NotControllerError
    if response.error_code or response.response_data is None:
        raise UnknownServerError
    data = response.response_data
    return len(data).to_bytes(4, "big") + data


def _frame(ctx: BrokerContext, request: ApiMessage | None) -> bytes:
    if request is None:
        assert ctx.frame is not None
        return bytes(ctx.frame)
    parts = encode_request(ctx.correlation_id, ctx.client_id, request, ctx.version)
    return b"".join(cast(list[bytes], parts))[_SIZE_BYTES:]


def _encoded(principal: KafkaPrincipal) -> bytes:
    """Return a principal as the Envelope has it, after its version."""
    data = DefaultPrincipalData(
        type=principal.type,
        name=principal.name,
        token_authenticated=principal.token_authenticated,
    )
    return bytes(2) + encode_message(data, 0)


def _address_bytes(host: str) -> bytes:
    """Return an IP address as the Envelope encodes it, in 4 or 16 bytes."""
    from ipaddress import ip_address  # noqa: PLC0415 - 8 ms that a node's start does not need

    try:
        return ip_address(host.split("%", 1)[0]).packed
    except ValueError:
        return bytes((127, 0, 0, 1))
