"""Credentials of users, as `kafka-configs.py` takes and prints them."""

from types import SimpleNamespace

import pytest

from minikafka.commands.options import ToolError
from minikafka.commands.scram_users import alter_user, check_changes, describe_users
from minikafka.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from minikafka.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from minikafka.security.scram import ScramMechanism


def _client(response):
    asked = []

    def ask(request):
        asked.append(request)
        return response

    return SimpleNamespace(ask=ask, ask_active=ask, asked=asked)


def test_credentials_are_printed(capsys):
    both = [CredentialInfo(1, 8192), CredentialInfo(2, 4096)]
    results = [
        DescribeUserScramCredentialsResult("tom", 0, None, both),
        DescribeUserScramCredentialsResult("gone", 91, "not there"),
    ]
    describe_users(_client(DescribeUserScramCredentialsResponse(results=results)), None)
    assert capsys.readouterr().out == (
        "SCRAM credential configs for user-principal 'tom' are "
        "SCRAM-SHA-256=iterations=8192, SCRAM-SHA-512=iterations=4096\n"
    )


def test_a_password_is_sent_salted(capsys):
    client = _client(
        AlterUserScramCredentialsResponse(results=[AlterUserScramCredentialsResult("tom", 0, None)])
    )
    alter_user(client, "tom", {"SCRAM-SHA-256": "password=a,b"}, ["SCRAM-SHA-512"])
    assert capsys.readouterr().out == "Completed updating config for user tom.\n"
    (request,) = client.asked
    (upsertion,) = request.upsertions
    assert (upsertion.mechanism, upsertion.iterations) == (1, 4096)
    assert len(upsertion.salt) == 16
    assert len(upsertion.salted_password) == 32
    assert [(each.name, each.mechanism) for each in request.deletions] == [("tom", 2)]


def test_a_credential_does_not_show_its_password():
    added, _ = check_changes("tom", {"SCRAM-SHA-512": "iterations=5000,password=s3cret"}, [])
    assert added[ScramMechanism.SCRAM_SHA_512].password == "s3cret"
    assert "s3cret" not in repr(added)


@pytest.mark.parametrize(
    ("user", "add", "remove", "text"),
    [
        ("a", {"SCRAM-SHA-256": "s3cret"}, [], "Invalid credential property SCRAM_SHA_256"),
        ("a", {"SCRAM-SHA-256": "iterations=x,password=s3cret"}, [], "Invalid credential"),
        ("a", {"SCRAM-SHA-256": "password="}, [], "Invalid credential"),
        (
            "a",
            {"SCRAM-SHA-256": "iterations=1,password=s3cret"},
            [],
            "Iterations 1 is less than the minimum 4096 required for SCRAM-SHA-256",
        ),
        ("", {"SCRAM-SHA-256": "password=s3cret"}, [], "--entity-default or --user-defaults"),
        ("a", {"foo": "1"}, [], r"can be added for 'users' .* names: Set\(foo\)"),
        ("a", {}, ["foo"], r"can be deleted for 'users' .* names: ArrayBuffer\(foo\)"),
        ("a", {"producer_byte_rate": "1"}, [], "Quotas are not available"),
    ],
)
def test_errors_have_no_password(user, add, remove, text):
    with pytest.raises(ToolError, match=text) as caught:
        check_changes(user, add, remove)
    assert "s3cret" not in str(caught.value)
