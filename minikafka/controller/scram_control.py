"""SCRAM credentials of users: set and removed by the controller.

A request has the salted password of a user; only keys that are made from it are stored.

Source: `ScramControlManager`, KIP-554.
"""

from collections.abc import Iterator

from minikafka.common.errors import ErrorCode
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from minikafka.messages.metadata_records.remove_user_scram_credential_record import (
    RemoveUserScramCredentialRecord,
)
from minikafka.messages.metadata_records.user_scram_credential_record import (
    UserScramCredentialRecord,
)
from minikafka.metadata.features import SCRAM_FROM
from minikafka.metadata.scram_credentials import credential_key
from minikafka.metadata.serde import MetadataRecord
from minikafka.security.scram import (
    MAX_ITERATIONS,
    MIN_ITERATIONS,
    ScramMechanism,
    credential_of,
)

_MECHANISMS = frozenset(int(each) for each in ScramMechanism)
_Problem = tuple[ErrorCode, str]


def alter_user_scram_credentials(
    view: View, request: AlterUserScramCredentialsRequest
) -> ControllerResult[AlterUserScramCredentialsResponse]:
    """Set and remove credentials: each user succeeds or fails separately, with one change each."""
    problems = _problems(view, request)
    records: list[MetadataRecord] = []
    results = []
    for deletion in request.deletions:
        if deletion.name not in problems:
            records.append(RemoveUserScramCredentialRecord(deletion.name, deletion.mechanism))
            results.append(AlterUserScramCredentialsResult(deletion.name, 0, None))
    for upsertion in request.upsertions:
        if upsertion.name not in problems:
            records.append(_record(upsertion))
            results.append(AlterUserScramCredentialsResult(upsertion.name, 0, None))
    results += [
        AlterUserScramCredentialsResult(user, code, text) for user, (code, text) in problems.items()
    ]
    return ControllerResult(records, AlterUserScramCredentialsResponse(results=results))


def _problems(view: View, request: AlterUserScramCredentialsRequest) -> dict[str, _Problem]:
    """Return the first problem of each user that has one."""
    found: dict[str, _Problem] = {}
    seen = set()
    for user, problem in _checked(view, request):
        if user in seen:
            found[user] = (
                ErrorCode.DUPLICATE_RESOURCE,
                "A user credential cannot be altered twice in the same request",
            )
        elif problem is not None:
            found[user] = problem
        else:
            seen.add(user)
    return found


def _checked(
    view: View, request: AlterUserScramCredentialsRequest
) -> Iterator[tuple[str, _Problem | None]]:
    for deletion in request.deletions:
        yield deletion.name, _problem_of_deletion(view, deletion)
    for upsertion in request.upsertions:
        yield upsertion.name, _problem_of_upsertion(view, upsertion)


def _common_problem(view: View, user: str, mechanism: int) -> _Problem | None:
    if view.metadata_version < SCRAM_FROM:
        return (
            ErrorCode.UNSUPPORTED_VERSION,
            "The current metadata version does not support SCRAM",
        )
    if not user:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"
    if mechanism not in _MECHANISMS:
        return ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"
    return None


def _problem_of_deletion(view: View, deletion: ScramCredentialDeletion) -> _Problem | None:
    problem = _common_problem(view, deletion.name, deletion.mechanism)
    if problem is not None:
        return problem
    if credential_key(deletion.mechanism, deletion.name) not in view.image.carried:
        return (
            ErrorCode.RESOURCE_NOT_FOUND,
            "Attempt to delete a user credential that does not exist",
        )
    return None


def _problem_of_upsertion(view: View, upsertion: ScramCredentialUpsertion) -> _Problem | None:
    problem = _common_problem(view, upsertion.name, upsertion.mechanism)
    if problem is not None:
        return problem
    if upsertion.iterations < MIN_ITERATIONS:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"
    if upsertion.iterations > MAX_ITERATIONS:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"
    # Unlike Kafka (row Y2).
    if not upsertion.salted_password:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "The salted password must not be empty"
    return None


def _record(upsertion: ScramCredentialUpsertion) -> UserScramCredentialRecord:
    credential = credential_of(
        ScramMechanism(upsertion.mechanism),
        bytes(upsertion.salted_password),
        bytes(upsertion.salt),
        upsertion.iterations,
    )
    return UserScramCredentialRecord(
        upsertion.name,
        upsertion.mechanism,
        credential.salt,
        credential.stored_key,
        credential.server_key,
        credential.iterations,
    )
