"""Credentials that formatting writes: Kafka 4.3.1's texts, without a password in any of them."""

from base64 import b64encode

import pytest

from minikafka.commands.scram_arguments import scram_records
from minikafka.metadata.features import LATEST_METADATA_VERSION
from minikafka.security.scram import ScramMechanism, credential_of, salted_password
from minikafka.server.format import FormatError


def _only(argument):
    (record,) = scram_records([argument], LATEST_METADATA_VERSION)
    return record


def test_a_password():
    record = _only('SCRAM-SHA-512=[name="a",iterations=8192,salt="eA==",password=wonder]')
    salted = salted_password(ScramMechanism.SCRAM_SHA_512, b"wonder", b"x", 8192)
    expected = credential_of(ScramMechanism.SCRAM_SHA_512, salted, b"x", 8192)
    assert (record.name, record.mechanism) == ("a", 2)
    assert (record.salt, record.stored_key, record.server_key, record.iterations) == expected


def test_a_salted_password():
    salted = salted_password(ScramMechanism.SCRAM_SHA_256, b"wonder", b"x", 4096)
    text = b64encode(salted).decode()
    record = _only(f"SCRAM-SHA-256=[name=a,salt=eA==,saltedpassword={text}]")
    expected = credential_of(ScramMechanism.SCRAM_SHA_256, salted, b"x", 4096)
    assert (record.salt, record.stored_key, record.server_key, record.iterations) == expected


def test_each_salt_is_another():
    one = _only("SCRAM-SHA-256=[name=a,password=b]")
    other = _only("SCRAM-SHA-256=[name=a,password=b]")
    assert one.salt != other.salt
    assert one.iterations == 4096


def test_the_last_credential_of_a_user_counts():
    records = scram_records(
        [
            "SCRAM-SHA-256=[name=a,password=b]",
            "SCRAM-SHA-512=[name=a,password=b]",
            "SCRAM-SHA-256=[name=a,iterations=5000,password=c]",
        ],
        LATEST_METADATA_VERSION,
    )
    assert [(each.mechanism, each.iterations) for each in records] == [(1, 5000), (2, 4096)]


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("s3cret", "Failed to find equals sign in SCRAM argument"),
        ("SCRAM-SHA-1=[password=s3cret]", "The add-scram mechanism SCRAM-SHA-1 is not supported."),
        ("SCRAM-SHA-256=name=a", "Expected configuration string to start with ["),
        ("SCRAM-SHA-256=[name=a", "Expected configuration string to end with ]"),
        ("SCRAM-SHA-256=[password=s3cret]", "You must supply 'name' to add-scram"),
        (
            "SCRAM-SHA-256=[name=a]",
            "You must supply one of 'password' or 'saltedpassword' to add-scram",
        ),
        (
            "SCRAM-SHA-256=[name=a,saltedpassword=eA==]",
            "You must supply 'salt' with 'saltedpassword' to add-scram",
        ),
        (
            "SCRAM-SHA-256=[name=a,salt=x,password=s3cret]",
            "Failed to decode given salt: it is not base64",
        ),
        ("SCRAM-SHA-256=[name=a,foo=1,password=s3cret]", "Unknown SCRAM configurations: foo"),
        ("SCRAM-SHA-256=[name=a,password=b,s3cret]", "No equals sign found in a SCRAM component"),
        (
            "SCRAM-SHA-256=[name=a,iterations=x,password=s3cret]",
            "Failed to parse iterations count: x",
        ),
        (
            "SCRAM-SHA-256=[name=a,iterations=4095,password=s3cret]",
            "The 'iterations' value must be >= 4096 for add-scram using SCRAM_SHA_256",
        ),
        (
            "SCRAM-SHA-512=[name=a,iterations=16385,password=s3cret]",
            "The 'iterations' value must be <= 16384 for add-scram using SCRAM_SHA_512",
        ),
    ],
)
def test_errors(argument, text):
    with pytest.raises(FormatError) as caught:
        scram_records([argument], LATEST_METADATA_VERSION)
    assert str(caught.value) == text


def test_old_metadata_has_no_credentials():
    with pytest.raises(FormatError, match=r"only supported in metadata\.version 3\.5-IV2"):
        scram_records(["SCRAM-SHA-256=[name=a,password=b]"], 10)
    assert scram_records([], 10) == []
