"""The common checks of requests about access control lists.

Source: `DescribeAclsRequest.normalizeAndValidate` and its siblings.
"""

from collections.abc import Iterable

_RESOURCE_TYPES = range(1, 8)
_PATTERN_TYPES = range(1, 5)
_OPERATIONS = range(1, 16)
_PERMISSION_TYPES = range(1, 4)


def all_known(rows: Iterable[tuple[int, int, int, int]]) -> bool:
    """True if all types of resource, pattern, operation and permission have a meaning.

    As Kafka: another request is one that cannot be decoded, and closes the connection.
    """
    return all(
        resource in _RESOURCE_TYPES
        and pattern in _PATTERN_TYPES
        and operation in _OPERATIONS
        and permission in _PERMISSION_TYPES
        for resource, pattern, operation, permission in rows
    )
