"""SCRAM credentials of users, as `kafka-configs.py` describes and alters them.

Unlike Kafka (row Y7), no error shows a password.

Source: `ConfigCommand`, `ScramMechanism`.
"""

import re
from collections.abc import Mapping
from typing import Final

from minikafka.admin.client import AdminClient
from minikafka.admin.scram_credentials import (
    NewCredential,
    alter_credentials,
    describe_credentials,
)
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import ToolError
from minikafka.security.scram import (
    MIN_ITERATIONS,
    ScramMechanism,
    scram_mechanism,
)

_CREDENTIAL: Final = re.compile(r"(?:iterations=([0-9]{1,9}),)?password=(.+)", re.DOTALL)
_QUOTAS: Final = (
    "producer_byte_rate",
    "consumer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
)


def describe_users(client: AdminClient, user: str | None) -> None:
    """Print the credentials of a user, or of all users.

    Raises:
        AdminError: the cluster does not tell.
    """
    if user == "":
        return
    found = describe_credentials(client, user)
    for name in hash_map_order(found):
        shown = ", ".join(
            f"{mechanism.mechanism_name}=iterations={iterations}"
            for mechanism, iterations in found[name].items()
        )
        print(f"SCRAM credential configs for user-principal '{name}' are {shown}")


def alter_user(client: AdminClient, user: str, add: Mapping[str, str], remove: list[str]) -> None:
    """Set and remove credentials of a user.

    Raises:
        ToolError: the options are not those of credentials.
        AdminError: the cluster refuses.
    """
    added, removed = check_changes(user, add, remove)
    alter_credentials(client, user, added, removed)
    print(f"Completed updating config for user {user}.")


def check_changes(
    user: str, add: Mapping[str, str], remove: list[str]
) -> tuple[dict[ScramMechanism, NewCredential], list[ScramMechanism]]:
    """Return the credentials to set, and those to remove.

    Raises:
        ToolError: the options are not those of credentials.
    """
    if any(name in _QUOTAS for name in (*add, *remove)):
        raise ToolError("Quotas are not available; only SCRAM credentials of users are")
    _refuse_others("added", "Set", [name for name in add if scram_mechanism(name) is None])
    _refuse_others(
        "deleted", "ArrayBuffer", [name for name in remove if scram_mechanism(name) is None]
    )
    if not user:
        raise ToolError(
            "The use of --entity-default or --user-defaults is not allowed with User SCRAM "
            "Credentials using --bootstrap-server."
        )
    added = {
        mechanism: _credential(mechanism, text)
        for name, text in add.items()
        if (mechanism := scram_mechanism(name)) is not None
    }
    removed = [each for each in map(scram_mechanism, remove) if each is not None]
    return added, removed


def parse_credential(mechanism: ScramMechanism, text: str) -> NewCredential:
    """Return the credential in `[iterations=N,]password=P`.

    Raises:
        ValueError: the text is not of that form, or has too few iterations.
    """
    found = _CREDENTIAL.fullmatch(text)
    if found is None:
        raise ValueError(
            f"Invalid credential property {mechanism.name}; expected: "
            "[iterations=<number>,]password=<password>"
        )
    iterations = MIN_ITERATIONS if found[1] is None else int(found[1])
    name = mechanism.mechanism_name
    if iterations < MIN_ITERATIONS:
        raise ValueError(
            f"Iterations {iterations} is less than the minimum {MIN_ITERATIONS} required for {name}"
        )
    return NewCredential(found[2], iterations)


def _credential(mechanism: ScramMechanism, text: str) -> NewCredential:
    try:
        return parse_credential(mechanism, text)
    except ValueError as error:
        raise ToolError(str(error)) from None


def _refuse_others(verb: str, kind: str, names: list[str]) -> None:
    if names:
        raise ToolError(
            f"Only quota and SCRAM credential configs can be {verb} for 'users' using "
            f"--bootstrap-server. Unexpected config names: {kind}({', '.join(names)})"
        )
