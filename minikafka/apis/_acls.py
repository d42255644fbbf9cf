"""Access control lists on a node without an authorizer.

Source: `AclApis`, `DescribeAclsRequest.normalizeAndValidate` and its siblings.
"""

from collections.abc import Iterable

_RESOURCE_TYPES = range(1, 8)
_PATTERN_TYPES = range(1, 5)
_OPERATIONS = range(1, 16)
_PERMISSION_TYPES = range(1, 4)

NO_AUTHORIZER = "No Authorizer is configured."


def all_known(rows: Iterable[tuple[int, int, int, int]]) -> bool:
    """True if all types of resource, pattern, operation and permission have a meaning."""
    return all(
        resource in _RESOURCE_TYPES
        and pattern in _PATTERN_TYPES
        and operation in _OPERATIONS
        and permission in _PERMISSION_TYPES
        for resource, pattern, operation, permission in rows
    )
