"""Creation and deletion of access control lists.

Each entry or filter of a request succeeds or fails separately; all that succeed are written in one
batch.

Source: `AclControlManager`, `AclApis`.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Final, cast

from minikafka.common.errors import ErrorCode, InvalidRequestError, KafkaError
from minikafka.common.ids import Uuid
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)
from minikafka.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from minikafka.messages.metadata_records.access_control_entry_record import (
    AccessControlEntryRecord,
)
from minikafka.messages.metadata_records.remove_access_control_entry_record import (
    RemoveAccessControlEntryRecord,
)
from minikafka.metadata.carried import ACCESS_CONTROL_ENTRY, records_of
from minikafka.metadata.serde import MetadataRecord
from minikafka.security.acl import (
    CLUSTER_NAME,
    AclFilter,
    AclOperation,
    AclResourceType,
    PatternType,
    PermissionType,
    acl_of,
)

_Choices = dict[str, tuple[Callable[[AclCreation], int], type[IntEnum], frozenset[int]]]
_CHOICES: Final[_Choices] = {
    "resourceType": (
        lambda row: row.resource_type,
        AclResourceType,
        frozenset(AclResourceType) - {AclResourceType.UNKNOWN, AclResourceType.ANY},
    ),
    "patternType": (
        lambda row: row.resource_pattern_type,
        PatternType,
        frozenset((PatternType.LITERAL, PatternType.PREFIXED)),
    ),
    "operation": (
        lambda row: row.operation,
        AclOperation,
        frozenset(AclOperation) - {AclOperation.UNKNOWN, AclOperation.ANY},
    ),
    "permissionType": (
        lambda row: row.permission_type,
        PermissionType,
        frozenset((PermissionType.DENY, PermissionType.ALLOW)),
    ),
}
"""The enumerations of an entry, in the order of their checks, with the values that it may have."""


def create_acls(view: View, request: CreateAclsRequest) -> ControllerResult[CreateAclsResponse]:
    """Create the entries that do not exist."""
    # Of 10,000 entries only those of the names in question become objects.
    names = {row.resource_name for row in request.creations}
    existing = {acl_of(each) for each in _records(view) if each.resource_name in names}
    records: list[MetadataRecord] = []
    results = []
    for row in request.creations:
        try:
            _check(row)
        except KafkaError as error:
            results.append(AclCreationResult(error.code, error.message))
            continue
        results.append(AclCreationResult())
        record = AccessControlEntryRecord(
            Uuid.draw(view.rng),
            row.resource_type,
            row.resource_name,
            row.resource_pattern_type,
            row.principal,
            row.host,
            row.operation,
            row.permission_type,
        )
        acl = acl_of(record)
        if acl not in existing:
            existing.add(acl)
            records.append(record)
    return ControllerResult(records, CreateAclsResponse(results=results), atomic=True)


def delete_acls(view: View, request: DeleteAclsRequest) -> ControllerResult[DeleteAclsResponse]:
    """Delete the entries that match any of the filters; each filter's result has its entries."""
    entries = [(each.id, acl_of(each)) for each in _records(view)]
    doomed: dict[Uuid, None] = {}
    results = []
    for row in request.filters:
        acl_filter = filter_of(row)
        matching = [(acl_id, acl) for acl_id, acl in entries if acl_filter.matches(acl)]
        doomed.update(dict.fromkeys(acl_id for acl_id, _ in matching))
        results.append(
            DeleteAclsFilterResult(
                error_message=None,
                matching_acls=[
                    DeleteAclsMatchingAcl(ErrorCode.NONE, None, *acl) for _, acl in matching
                ],
            )
        )
    return ControllerResult(
        [RemoveAccessControlEntryRecord(acl_id) for acl_id in doomed],
        DeleteAclsResponse(filter_results=results),
        atomic=True,
    )


def filter_of(row: DeleteAclsFilter) -> AclFilter:
    """Return the filter of a request's row."""
    return AclFilter(
        row.resource_type_filter,
        row.resource_name_filter,
        row.pattern_type_filter,
        row.principal_filter,
        row.host_filter,
        row.operation,
        row.permission_type,
    )


def _records(view: View) -> list[AccessControlEntryRecord]:
    return cast(
        list[AccessControlEntryRecord], records_of(view.image.carried, ACCESS_CONTROL_ENTRY)
    )


def _check(row: AclCreation) -> None:
    """Check an entry. Kafka's clients and tests compare the texts.

    Raises:
        InvalidRequestError: it is about nothing, or its principal has no type.
    """
    if row.resource_type == AclResourceType.CLUSTER and row.resource_name != CLUSTER_NAME:
        raise InvalidRequestError(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not row.resource_name:
        raise InvalidRequestError("Invalid empty resource name")
    for name, (value_of, kind, allowed) in _CHOICES.items():
        value = value_of(row)
        if value not in allowed:
            # Unlike Kafka (row W2).
            raise InvalidRequestError(f"Invalid {name} {kind(value).name}")
    if ":" not in row.principal:
        raise InvalidRequestError(
            f"Could not parse principal from `{row.principal}` (no colon is present separating "
            "the principal type from the principal name)"
        )
