"""Access control lists on a node without an authorizer.

Source: `AclApis`, `DescribeAclsRequest.normalizeAndValidate` and its siblings.
"""

from collections.abc import Iterable

from minikafka.common.errors import SecurityDisabledError
from minikafka.serving.steps import CLOSE

_RESOURCE_TYPES = range(1, 8)
_PATTERN_TYPES = range(1, 5)
_OPERATIONS = range(1, 16)
_PERMISSION_TYPES = range(1, 4)


def refuse_changes(rows: Iterable[tuple[int, int, int, int]]) -> object:
    """Answer a request that creates or deletes ACLs; close the connection for an unknown type.

    Raises:
        SecurityDisabledError: for every entry: there is no authorizer.
    """
    if not all_known(rows):
        return CLOSE
    raise SecurityDisabledError("No Authorizer is configured.")


def all_known(rows: Iterable[tuple[int, int, int, int]]) -> bool:
    """True if all types of resource, pattern, operation and permission have a meaning."""
    return all(
        resource in _RESOURCE_TYPES
        and pattern in _PATTERN_TYPES
        and operation in _OPERATIONS
        and permission in _PERMISSION_TYPES
        for resource, pattern, operation, permission in rows
    )
