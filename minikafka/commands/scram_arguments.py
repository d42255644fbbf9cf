"""The values of `kafka-storage format --add-scram`: credentials of users in a new cluster.

Unlike Kafka (row Y7), no error shows a password.

Source: `ScramParser`.
"""

import secrets
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Final

from minikafka.messages.metadata_records.user_scram_credential_record import (
    UserScramCredentialRecord,
)
from minikafka.metadata.features import SCRAM_FROM
from minikafka.metadata.serde import MetadataRecord
from minikafka.security.scram import (
    MAX_ITERATIONS,
    MIN_ITERATIONS,
    ScramMechanism,
    credential_of,
    salted_password,
    scram_mechanism,
)
from minikafka.server.format import FormatError

_SALT_BYTES: Final = 16
_KEYS: Final = ("name", "salt", "iterations", "password", "saltedpassword")


def scram_records(arguments: Sequence[str], metadata_version: int) -> list[MetadataRecord]:
    """Return the records of credentials, by the order of `arguments`.

    Raises:
        FormatError: an argument is malformed, or the metadata.version is too old.
    """
    if arguments and metadata_version < SCRAM_FROM:
        raise FormatError("SCRAM is only supported in metadata.version 3.5-IV2 or later.")
    # As Kafka: the last one of a user and mechanism counts.
    found: dict[tuple[str, int], MetadataRecord] = {}
    for argument in arguments:
        record = _record(argument)
        found[record.name, record.mechanism] = record
    return list(found.values())


def _record(argument: str) -> UserScramCredentialRecord:
    name, separator, text = argument.partition("=")
    if not separator:
        raise FormatError("Failed to find equals sign in SCRAM argument")
    mechanism = scram_mechanism(name)
    if mechanism is None:
        raise FormatError(f"The add-scram mechanism {name} is not supported.")
    values = _values(text)
    user = values.get("name")
    if not user:
        raise FormatError("You must supply 'name' to add-scram")
    iterations = _iterations(mechanism, values.get("iterations"))
    salt = _salt(values)
    salted = _salted(mechanism, values, salt, iterations)
    credential = credential_of(mechanism, salted, salt, iterations)
    return UserScramCredentialRecord(
        user,
        mechanism,
        credential.salt,
        credential.stored_key,
        credential.server_key,
        credential.iterations,
    )


def _values(text: str) -> dict[str, str]:
    if not text.startswith("["):
        raise FormatError("Expected configuration string to start with [")
    if not text.endswith("]"):
        raise FormatError("Expected configuration string to end with ]")
    found = {}
    for part in text[1:-1].split(","):
        key, separator, value = part.partition("=")
        if not separator:
            raise FormatError("No equals sign found in a SCRAM component")
        found[key.strip()] = _unquoted(value.strip())
    unknown = [key for key in found if key not in _KEYS]
    if unknown:
        raise FormatError(f"Unknown SCRAM configurations: {', '.join(unknown)}")
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


def _iterations(mechanism: ScramMechanism, text: str | None) -> int:
    if text is None:
        return MIN_ITERATIONS
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise FormatError(f"Failed to parse iterations count: {text[:20]}")
    iterations = int(text)
    for is_wrong, sign, limit in (
        (iterations < MIN_ITERATIONS, ">=", MIN_ITERATIONS),
        (iterations > MAX_ITERATIONS, "<=", MAX_ITERATIONS),
    ):
        if is_wrong:
            raise FormatError(
                f"The 'iterations' value must be {sign} {limit} for add-scram using "
                f"{mechanism.name}"
            )
    return iterations


def _salt(values: Mapping[str, str]) -> bytes:
    text = values.get("salt")
    return secrets.token_bytes(_SALT_BYTES) if text is None else _base64("salt", text)


def _salted(
    mechanism: ScramMechanism, values: Mapping[str, str], salt: bytes, iterations: int
) -> bytes:
    password, salted = values.get("password"), values.get("saltedpassword")
    if password:
        return salted_password(mechanism, password.encode(), salt, iterations)
    if not salted:
        raise FormatError("You must supply one of 'password' or 'saltedpassword' to add-scram")
    if "salt" not in values:
        raise FormatError("You must supply 'salt' with 'saltedpassword' to add-scram")
    return _base64("saltedpassword", salted)


def _base64(name: str, text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise FormatError(f"Failed to decode given {name}: it is not base64") from None
