"""SCRAM credentials of users: describe, set, remove. Passwords are salted here."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from minikafka.admin.client import AdminClient, check
from minikafka.common.errors import ErrorCode
from minikafka.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from minikafka.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from minikafka.security.scram import ScramMechanism, salted_password

_SALT_BYTES: Final = 16


class NewCredential(NamedTuple):
    """A password, and how often it is hashed."""

    password: str
    iterations: int

    def __repr__(self) -> str:
        return f"NewCredential(iterations={self.iterations})"


def describe_credentials(
    client: AdminClient, user: str | None
) -> dict[str, dict[ScramMechanism, int]]:
    """Return the iterations of each mechanism, by user: of one user if it exists, or of all.

    Raises:
        AdminError: the cluster does not tell.
    """
    users = None if user is None else [UserName(user)]
    response = client.ask(DescribeUserScramCredentialsRequest(users))
    check(response.error_code, response.error_message)
    found = {}
    for result in response.results:
        if result.error_code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        check(result.error_code, result.error_message)
        found[result.user] = {
            ScramMechanism(each.mechanism): each.iterations for each in result.credential_infos
        }
    return found


def alter_credentials(
    client: AdminClient,
    user: str,
    add: Mapping[ScramMechanism, NewCredential],
    remove: Sequence[ScramMechanism],
) -> None:
    """Set and remove credentials of a user.

    Raises:
        AdminError: the cluster refuses one of the changes.
    """
    upsertions = [_upsertion(user, mechanism, each) for mechanism, each in add.items()]
    deletions = [ScramCredentialDeletion(user, mechanism) for mechanism in remove]
    response = client.ask_active(AlterUserScramCredentialsRequest(deletions, upsertions))
    for result in response.results:
        check(result.error_code, result.error_message)


def _upsertion(
    user: str, mechanism: ScramMechanism, credential: NewCredential
) -> ScramCredentialUpsertion:
    salt = secrets.token_bytes(_SALT_BYTES)
    password = credential.password.encode()
    salted = salted_password(mechanism, password, salt, credential.iterations)
    return ScramCredentialUpsertion(user, mechanism, credential.iterations, salt, salted)
