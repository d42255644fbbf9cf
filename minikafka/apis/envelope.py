"""Envelope (key 58), v0.

Controller:  runs the inner request, as if its client had connected here (KIP-590).
Errors:      INVALID_REQUEST (the inner request cannot be forwarded), UNSUPPORTED_VERSION,
             PRINCIPAL_DESERIALIZATION_FAILURE, NOT_CONTROLLER,
             CLUSTER_AUTHORIZATION_FAILED.
"""

from collections.abc import Generator
from typing import Any

from minikafka.common.errors import ErrorCode, KafkaError, NotControllerError
from minikafka.common.principal import ANONYMOUS, KafkaPrincipal
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.data.default_principal_data import DefaultPrincipalData
from minikafka.messages.envelope import EnvelopeRequest, EnvelopeResponse
from minikafka.protocol.message import decode_message
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import (
    UnknownApiKeyError,
    UnsupportedApiVersionError,
    decode_body,
    decode_header,
    encode_response,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.failures import failure_response
from minikafka.serving.index import MODULES
from minikafka.serving.registry import CONTROLLER, controller_api, find
from minikafka.serving.steps import Steps

FORWARDABLE = frozenset(
    (
        ApiKey.CREATE_TOPICS,
        ApiKey.DELETE_TOPICS,
        ApiKey.CREATE_PARTITIONS,
        ApiKey.CREATE_ACLS,
        ApiKey.DELETE_ACLS,
        ApiKey.ALTER_CONFIGS,
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        ApiKey.ELECT_LEADERS,
        ApiKey.UNREGISTER_BROKER,
        ApiKey.UPDATE_FEATURES,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        ApiKey.DESCRIBE_QUORUM,
        ApiKey.ADD_RAFT_VOTER,
        ApiKey.REMOVE_RAFT_VOTER,
        ApiKey.ALLOCATE_PRODUCER_IDS,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
        ApiKey.CREATE_DELEGATION_TOKEN,
        ApiKey.RENEW_DELEGATION_TOKEN,
        ApiKey.EXPIRE_DELEGATION_TOKEN,
    )
)


@controller_api(ApiKey.ENVELOPE, versions=(0, 0))
def envelope(ctx: ControllerContext, request: EnvelopeRequest) -> Steps[EnvelopeResponse]:
    """Decode the inner request, run it, and wrap its response."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    try:
        principal = _principal(request.request_principal)
    except ValueError:
        return EnvelopeResponse(error_code=ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE)
    try:
        header, reader = decode_header(memoryview(request.request_data))
        if header.api_key not in FORWARDABLE:
            return EnvelopeResponse(error_code=ErrorCode.INVALID_REQUEST)
        body = decode_body(header, reader)
    except UnsupportedApiVersionError:
        return EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    except (UnknownApiKeyError, MalformedMessage):
        return EnvelopeResponse(error_code=ErrorCode.INVALID_REQUEST)
    api = find(CONTROLLER, header.api_key, MODULES[CONTROLLER])
    if api is None or not api.low <= header.api_version <= api.high:
        return EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    inner = ControllerContext(
        ctx.env,
        header.api_key,
        header.api_version,
        header.correlation_id,
        header.client_id,
        ctx.listener,
        _host(request.client_host_address) or ctx.peer_host,
        principal,
        ctx.services,
        ctx.connection,
        is_forwarded=True,
    )
    try:
        response: Any = api.handler(inner, body)
        if isinstance(response, Generator):
            response = yield from response
    except NotControllerError:
        return EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)
    except KafkaError as error:
        response = failure_response(body, error, header.api_version)
    parts = encode_response(header.correlation_id, response, header.api_version)
    return EnvelopeResponse(response_data=b"".join(bytes(part) for part in parts)[4:])  # type: ignore[arg-type]


def _principal(data: bytes | None) -> KafkaPrincipal:
    """Return the principal for which a broker forwards.

    Raises:
        ValueError: it cannot be decoded.
    """
    if data is None:
        return ANONYMOUS
    found = decode_message(DefaultPrincipalData, data[2:], int.from_bytes(data[:2], "big"))
    return KafkaPrincipal(found.type, found.name, found.token_authenticated)


def _host(address: bytes) -> str:
    """Return the text of an address of 4 or 16 bytes; "" if it is none."""
    from ipaddress import ip_address  # noqa: PLC0415 - 8 ms that a node's start does not need

    try:
        return str(ip_address(address))
    except ValueError:
        return ""
