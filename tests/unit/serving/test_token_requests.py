"""Requests about delegation tokens: the clients that may send them, and their rights."""

from types import SimpleNamespace

import pytest

from minikafka.apis import create_delegation_token, describe_delegation_token
from minikafka.common.errors import ErrorCode
from minikafka.common.principal import ANONYMOUS, KafkaPrincipal
from minikafka.config.listener_security import SecurityProtocol
from minikafka.messages.create_delegation_token import CreateDelegationTokenRequest
from minikafka.metadata.delegation_tokens import DelegationToken
from minikafka.security.acl import Acl, AclOperation, AclResourceType
from minikafka.security.authorizer import Authorizer
from minikafka.serving.token_requests import allows_token_requests

_ALICE, _BOB, _CAROL, _DAVE = (
    KafkaPrincipal("User", name) for name in ("alice", "bob", "carol", "dave")
)
_CONFIG = SimpleNamespace(security_protocols={each.name: each for each in SecurityProtocol})
_TOKEN = DelegationToken("id", _ALICE, _DAVE, (_BOB,), 0, 1, 1)


def _ctx(principal, listener="SASL_PLAINTEXT", *acls):
    authorizer = Authorizer(super_users=frozenset(), allows_without_acls=False)
    authorizer.replace(acls)
    return SimpleNamespace(
        principal=principal,
        listener=listener,
        authorizer=authorizer,
        has_caught_up=True,
        version=3,
        peer_host="h",
        api_key=38,
        now_ms=0,
    )


@pytest.mark.parametrize(
    ("listener", "principal", "is_allowed"),
    [
        ("PLAINTEXT", _ALICE, False),
        ("SSL", ANONYMOUS, False),
        ("SSL", _ALICE, True),
        ("SASL_PLAINTEXT", _ALICE, True),
        ("SASL_SSL", _ALICE, True),
        ("SASL_SSL", _ALICE._replace(token_authenticated=True), False),
    ],
)
def test_clients_that_have_proved_who_they_are(listener, principal, is_allowed):
    ctx = _ctx(principal, listener)
    assert allows_token_requests(ctx, _CONFIG) == is_allowed
    code = create_delegation_token._problem(ctx, _CONFIG, CreateDelegationTokenRequest())
    expected = ErrorCode.NONE if is_allowed else ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert code == expected


def _acl(kind, name, operation):
    return Acl(kind, name, 3, "User:carol", "*", operation, 3)


_CREATE = _acl(AclResourceType.USER, "User:alice", AclOperation.CREATE_TOKENS)
_DESCRIBE_USER = _acl(AclResourceType.USER, "User:alice", AclOperation.DESCRIBE_TOKENS)
_DESCRIBE = _acl(AclResourceType.DELEGATION_TOKEN, "id", AclOperation.DESCRIBE)


@pytest.mark.parametrize(
    ("acls", "code"),
    [
        ([], ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED),
        ([_DESCRIBE_USER], ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED),
        ([_CREATE], ErrorCode.NONE),
    ],
)
def test_a_token_for_another_user_needs_a_right(acls, code):
    request = CreateDelegationTokenRequest("User", "alice")
    ctx = _ctx(_CAROL, "SASL_SSL", *acls)
    assert create_delegation_token._problem(ctx, _CONFIG, request) == code
    answer = create_delegation_token._refused(ctx, request, code)
    assert (answer.principal_name, answer.token_requester_principal_name) == ("alice", "carol")
    assert (answer.issue_timestamp_ms, answer.expiry_timestamp_ms, answer.max_timestamp_ms) == (
        -1, -1, -1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("principal", "acls", "is_allowed"),
    [
        (_ALICE, [], True),
        (_BOB, [], True),
        (_DAVE, [], True),
        (_CAROL, [], False),
        (_CAROL, [_CREATE], False),
        (_CAROL, [_DESCRIBE], True),
        (_CAROL, [_DESCRIBE_USER], True),
    ],
)
def test_the_tokens_that_a_client_may_see(principal, acls, is_allowed):
    ctx = _ctx(principal, "SASL_SSL", *acls)
    assert describe_delegation_token._may_describe(ctx, _TOKEN) == is_allowed
