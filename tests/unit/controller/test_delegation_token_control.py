"""Delegation tokens: what Kafka 4.3.1 decides, its errors, and the end of tokens."""

import hashlib
import hmac

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.principal import KafkaPrincipal
from minikafka.controller.delegation_token_control import (
    create_token,
    expire_token,
    expired,
    renew_token,
)
from minikafka.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from minikafka.messages.expire_delegation_token import ExpireDelegationTokenRequest
from minikafka.messages.renew_delegation_token import RenewDelegationTokenRequest
from minikafka.metadata.delegation_tokens import delegation_tokens
from tests.worlds.quorum_world import QuorumWorld

_ALICE, _BOB, _CAROL = (KafkaPrincipal("User", name) for name in ("alice", "bob", "carol"))
_NOW_MS = 1_000_000
_MAX_INT64 = (1 << 63) - 1


@pytest.fixture
def world():
    return QuorumWorld.started(
        config={
            "delegation.token.secret.key": "s3cret",
            "delegation.token.max.lifetime.ms": "10000",
            "delegation.token.expiry.time.ms": "4000",
        }
    )


def _decide(world, decision, request, who=_ALICE, now_ms=_NOW_MS):
    _, response = world.apply(world.controller.decide(decision, request, who, now_ms))
    return response


def _create(world, who=_ALICE, life_ms=-1, renewers=(("User", "bob"),), **owner):
    request = CreateDelegationTokenRequest(
        renewers=[CreatableRenewers(*each) for each in renewers], max_lifetime_ms=life_ms, **owner
    )
    return _decide(world, create_token, request, who)


def _renew(world, token, period_ms=-1, **more):
    request = RenewDelegationTokenRequest(token.hmac, period_ms)
    found = _decide(world, renew_token, request, **more)
    return found.error_code, found.expiry_timestamp_ms


def _expire(world, token, period_ms=-1, **more):
    request = ExpireDelegationTokenRequest(token.hmac, period_ms)
    found = _decide(world, expire_token, request, **more)
    return found.error_code, found.expiry_timestamp_ms


def test_a_new_token(world):
    found = _create(world)
    assert found.error_code == 0
    assert found.hmac == hmac.digest(b"s3cret", found.token_id.encode(), hashlib.sha512)
    times = (found.issue_timestamp_ms, found.expiry_timestamp_ms, found.max_timestamp_ms)
    assert times == (_NOW_MS, _NOW_MS + 4000, _NOW_MS + 10000)
    (token,) = delegation_tokens(world.image)
    assert token == (found.token_id, _ALICE, _ALICE, (_BOB,), _NOW_MS, times[2], times[1])
    assert _create(world).token_id != found.token_id


@pytest.mark.parametrize(("asked_ms", "ends_ms"), [(3000, 3000), (20000, 10000), (0, 10000)])
def test_the_lifetime_is_limited(world, asked_ms, ends_ms):
    found = _create(world, life_ms=asked_ms)
    assert found.max_timestamp_ms == _NOW_MS + ends_ms
    assert found.expiry_timestamp_ms == _NOW_MS + min(ends_ms, 4000)


def test_a_token_for_another_owner(world):
    found = _create(world, owner_principal_type="User", owner_principal_name="carol")
    assert (found.principal_name, found.token_requester_principal_name) == ("carol", "alice")
    (token,) = delegation_tokens(world.image)
    assert (token.owner, token.requester) == (_CAROL, _ALICE)
    # The requester may describe the token, but not change it.
    assert _renew(world, found) == (ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH, 0)


def test_renewers_are_users(world):
    assert _create(world, renewers=[("Group", "g")]).error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
    assert delegation_tokens(world.image) == []


def test_a_renewal(world):
    token = _create(world)
    assert _renew(world, token, 2000, now_ms=_NOW_MS + 1) == (0, _NOW_MS + 2001)
    assert _renew(world, token, 5000, who=_BOB) == (0, _NOW_MS + 4000)
    assert _renew(world, token, now_ms=_NOW_MS + 4000) == (0, _NOW_MS + 8000)
    assert _renew(world, token, now_ms=_NOW_MS + 8000) == (0, _NOW_MS + 10000)
    assert _renew(world, token, who=_CAROL) == (ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH, 0)
    expired_at = {"now_ms": _NOW_MS + 10001}
    assert _renew(world, token, **expired_at) == (ErrorCode.DELEGATION_TOKEN_EXPIRED, 0)
    token.hmac = b"other"
    assert _renew(world, token) == (ErrorCode.DELEGATION_TOKEN_NOT_FOUND, 0)


def test_an_expiry(world):
    token = _create(world)
    assert _expire(world, token, who=_CAROL) == (ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH, 0)
    assert _expire(world, token, 100) == (0, _NOW_MS + 100)
    assert _expire(world, token, _MAX_INT64) == (0, _NOW_MS + 10000)
    late = {"now_ms": _NOW_MS + 10001}
    assert _expire(world, token, 100, **late) == (ErrorCode.DELEGATION_TOKEN_EXPIRED, 0)
    assert _expire(world, token, **late) == (0, late["now_ms"])
    assert delegation_tokens(world.image) == []
    assert _expire(world, token) == (ErrorCode.DELEGATION_TOKEN_NOT_FOUND, 0)


def test_expired_tokens_are_removed(world, caplog):
    kept, removed = _create(world), _create(world, life_ms=100)
    assert expired(world.image, _NOW_MS + 100) == []
    with caplog.at_level("INFO"):
        (record,) = expired(world.image, _NOW_MS + 101)
    assert record.token_id == removed.token_id != kept.token_id
    assert removed.token_id in caplog.text
    assert "s3cret" not in caplog.text


def test_without_a_secret():
    world = QuorumWorld.started()
    token = _create(world)
    assert token.error_code == ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    assert (token.principal_name, token.token_id, token.hmac) == ("alice", "", b"")
    assert _renew(world, token) == (ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, 0)
    assert _expire(world, token) == (ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, 0)
