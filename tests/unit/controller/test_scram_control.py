"""Setting and removing SCRAM credentials: Kafka 4.3.1's results, and keys that fit a password."""

from hashlib import pbkdf2_hmac

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.controller.scram_control import alter_user_scram_credentials
from minikafka.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from minikafka.metadata.scram_credentials import credential_finder, credentials
from minikafka.security.scram import ScramMechanism, credential_of

_TWICE = (
    ErrorCode.DUPLICATE_RESOURCE,
    "A user credential cannot be altered twice in the same request",
)


def _up(user, mechanism=1, iterations=4096, salted=b"p" * 32):
    return ScramCredentialUpsertion(user, mechanism, iterations, b"salt", salted)


def _alter(world, deletions=(), upsertions=()):
    request = AlterUserScramCredentialsRequest(list(deletions), list(upsertions))
    result = world.controller.decide(alter_user_scram_credentials, request)
    _, response = world.apply(result)
    return [(each.user, each.error_code, each.error_message) for each in response.results]


def test_a_credential_is_of_the_password(world):
    salted = pbkdf2_hmac("sha512", b"wonder", b"salt", 5000)
    assert _alter(world, upsertions=[_up("a", 2, 5000, salted)]) == [("a", 0, None)]
    found = credential_finder(lambda: world.image)(ScramMechanism.SCRAM_SHA_512, "a")
    assert found == credential_of(ScramMechanism.SCRAM_SHA_512, salted, b"salt", 5000)
    assert _alter(world, [ScramCredentialDeletion("a", 2)]) == [("a", 0, None)]
    assert list(credentials(world.image)) == []


@pytest.mark.parametrize(
    ("upsertion", "code", "text"),
    [
        (_up("a", iterations=4095), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        (_up("a", iterations=16385), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        (_up(""), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        (_up("a", 0), ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        (_up("a", 3), ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        (
            _up("a", salted=b""),
            ErrorCode.UNACCEPTABLE_CREDENTIAL,
            "The salted password must not be empty",
        ),
    ],
)
def test_credentials_that_are_refused(world, upsertion, code, text):
    assert _alter(world, upsertions=[upsertion]) == [(upsertion.name, code, text)]
    assert list(credentials(world.image)) == []


def test_each_user_is_changed_once(world):
    _alter(world, upsertions=[_up("a")])
    deletion = ScramCredentialDeletion("a", 1)
    assert _alter(world, [deletion], [_up("a")]) == [("a", *_TWICE)]
    assert _alter(world, [deletion, deletion]) == [("a", *_TWICE)]
    assert _alter(world, [], [_up("b"), _up("b", 2)]) == [("b", *_TWICE)]
    assert list(credentials(world.image)) == [("a", 1, 4096)]


def test_users_succeed_and_fail_separately(world):
    _alter(world, upsertions=[_up("a")])
    deletions = [ScramCredentialDeletion("z", 1), ScramCredentialDeletion("a", 1)]
    assert _alter(world, deletions, [_up("b"), _up("c", iterations=1)]) == [
        ("a", 0, None),
        ("b", 0, None),
        (
            "z",
            ErrorCode.RESOURCE_NOT_FOUND,
            "Attempt to delete a user credential that does not exist",
        ),
        ("c", ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
    ]
    assert list(credentials(world.image)) == [("b", 1, 4096)]
