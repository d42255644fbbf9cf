"""Authorized operations of a client, as bits: all of them, because there is no authorizer.

Source: `AuthHelper.authorizedOperations`, `AclEntry.supportedOperations`.
"""

_READ, _WRITE, _CREATE, _DELETE, _ALTER, _DESCRIBE, _CLUSTER_ACTION = range(3, 10)
_DESCRIBE_CONFIGS, _ALTER_CONFIGS, _IDEMPOTENT_WRITE = range(10, 13)


def _bits(*operations: int) -> int:
    return sum(1 << operation for operation in operations)


EVERY_TOPIC_OPERATION = _bits(
    _READ, _WRITE, _CREATE, _DELETE, _ALTER, _DESCRIBE, _DESCRIBE_CONFIGS, _ALTER_CONFIGS
)
EVERY_GROUP_OPERATION = _bits(_READ, _DELETE, _DESCRIBE, _DESCRIBE_CONFIGS, _ALTER_CONFIGS)
EVERY_CLUSTER_OPERATION = _bits(
    _CREATE,
    _ALTER,
    _DESCRIBE,
    _CLUSTER_ACTION,
    _DESCRIBE_CONFIGS,
    _ALTER_CONFIGS,
    _IDEMPOTENT_WRITE,
)
