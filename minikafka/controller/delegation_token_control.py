"""Delegation tokens: made, renewed, expired and removed by the controller.

Source: `DelegationTokenControlManager`, KIP-48, KIP-900.
"""

import logging
from hmac import compare_digest
from typing import Final

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.common.principal import USER, KafkaPrincipal
from minikafka.config import delegation_token_keys as keys
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from minikafka.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from minikafka.messages.metadata_records.delegation_token_record import DelegationTokenRecord
from minikafka.messages.metadata_records.remove_delegation_token_record import (
    RemoveDelegationTokenRecord,
)
from minikafka.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from minikafka.metadata.delegation_tokens import DelegationToken, delegation_tokens, token_hmac
from minikafka.metadata.features import DELEGATION_TOKENS_FROM
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.serde import MetadataRecord

_log = logging.getLogger("minikafka.controller")
_MAX_INT64: Final = (1 << 63) - 1


def owner_of(request: CreateDelegationTokenRequest, requester: KafkaPrincipal) -> KafkaPrincipal:
    """Return whom a new token is for."""
    if not request.owner_principal_name:
        return requester
    return KafkaPrincipal(request.owner_principal_type or "", request.owner_principal_name)


def create_token(
    view: View, request: CreateDelegationTokenRequest, requester: KafkaPrincipal, wall_ms: int
) -> ControllerResult[CreateDelegationTokenResponse]:
    """Make a token, at the wall-clock time `wall_ms`."""
    owner = owner_of(request, requester)
    response = CreateDelegationTokenResponse(
        principal_type=owner.type,
        principal_name=owner.name,
        token_requester_principal_type=requester.type,
        token_requester_principal_name=requester.name,
    )
    secret = view.config[keys.DELEGATION_TOKEN_SECRET_KEY]
    if not secret:
        response.error_code = ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    elif view.metadata_version < DELEGATION_TOKENS_FROM:
        response.error_code = ErrorCode.UNSUPPORTED_VERSION
    elif any(each.principal_type != USER for each in request.renewers):
        response.error_code = ErrorCode.INVALID_PRINCIPAL_TYPE
    if response.error_code or not secret:
        return ControllerResult([], response)
    lifetime_ms = view.config[keys.DELEGATION_TOKEN_MAX_LIFETIME_MS]
    if request.max_lifetime_ms > 0:
        lifetime_ms = min(lifetime_ms, request.max_lifetime_ms)
    token = DelegationToken(
        str(Uuid.draw(view.rng)),
        owner,
        requester,
        tuple(KafkaPrincipal(USER, each.principal_name) for each in request.renewers),
        wall_ms,
        _sum(wall_ms, lifetime_ms),
        _sum(wall_ms, min(lifetime_ms, view.config[keys.DELEGATION_TOKEN_EXPIRY_TIME_MS])),
    )
    response.issue_timestamp_ms = token.issue_ms
    response.expiry_timestamp_ms = token.expiry_ms
    response.max_timestamp_ms = token.max_ms
    response.token_id = token.token_id
    response.hmac = token_hmac(secret, token.token_id)
    return ControllerResult([_record(token)], response)


def renew_token(
    view: View, request: RenewDelegationTokenRequest, requester: KafkaPrincipal, wall_ms: int
) -> ControllerResult[RenewDelegationTokenResponse]:
    """Let a token expire later, but not after its end."""
    found = _found(view, bytes(request.hmac))
    if isinstance(found, ErrorCode):
        return ControllerResult([], RenewDelegationTokenResponse(found))
    if found.is_expired(wall_ms):
        return ControllerResult(
            [], RenewDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_EXPIRED)
        )
    if not found.may_be_changed_by(requester):
        return ControllerResult(
            [], RenewDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH)
        )
    period_ms = view.config[keys.DELEGATION_TOKEN_EXPIRY_TIME_MS]
    if request.renew_period_ms > 0:
        period_ms = min(period_ms, request.renew_period_ms)
    renewed = found._replace(expiry_ms=min(found.max_ms, _sum(wall_ms, period_ms)))
    response = RenewDelegationTokenResponse(expiry_timestamp_ms=renewed.expiry_ms)
    return ControllerResult([_record(renewed)], response)


def expire_token(
    view: View, request: ExpireDelegationTokenRequest, requester: KafkaPrincipal, wall_ms: int
) -> ControllerResult[ExpireDelegationTokenResponse]:
    """Let a token expire at another time, or remove it if the period is negative."""
    found = _found(view, bytes(request.hmac))
    if isinstance(found, ErrorCode):
        return ControllerResult([], ExpireDelegationTokenResponse(found))
    if not found.may_be_changed_by(requester):
        return ControllerResult(
            [], ExpireDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH)
        )
    if request.expiry_time_period_ms < 0:
        response = ExpireDelegationTokenResponse(expiry_timestamp_ms=wall_ms)
        return ControllerResult([RemoveDelegationTokenRecord(found.token_id)], response)
    if found.is_expired(wall_ms):
        return ControllerResult(
            [], ExpireDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_EXPIRED)
        )
    end_ms = min(found.max_ms, _sum(wall_ms, request.expiry_time_period_ms))
    response = ExpireDelegationTokenResponse(expiry_timestamp_ms=end_ms)
    return ControllerResult([_record(found._replace(expiry_ms=end_ms))], response)


def expired(image: MetadataImage, wall_ms: int) -> list[MetadataRecord]:
    """Return the removals of tokens that have expired."""
    found = [each for each in delegation_tokens(image) if each.is_expired(wall_ms)]
    for each in found:
        _log.info("delegation token %s of %s is removed: it has expired", each.token_id, each.owner)
    return [RemoveDelegationTokenRecord(each.token_id) for each in found]


def _found(view: View, hmac: bytes) -> DelegationToken | ErrorCode:
    """Return the token with an HMAC, or why there is none."""
    secret = view.config[keys.DELEGATION_TOKEN_SECRET_KEY]
    if not secret:
        return ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    if view.metadata_version < DELEGATION_TOKENS_FROM:
        return ErrorCode.UNSUPPORTED_VERSION
    for each in delegation_tokens(view.image):
        if compare_digest(token_hmac(secret, each.token_id), hmac):
            return each
    return ErrorCode.DELEGATION_TOKEN_NOT_FOUND


def _record(token: DelegationToken) -> DelegationTokenRecord:
    return DelegationTokenRecord(
        str(token.owner),
        str(token.requester),
        [str(each) for each in token.renewers],
        token.issue_ms,
        token.max_ms,
        token.expiry_ms,
        token.token_id,
    )


def _sum(now_ms: int, period_ms: int) -> int:
    return min(now_ms + period_ms, _MAX_INT64)
