"""Requests of an administrator that create, describe and delete ACLs, in this order.

`record_authorization` sends them to Apache Kafka, `test_acls` to a simulated cluster. Everything in
the answers is compared but the order of entries, which is not certain in Kafka.
"""

from minikafka.messages.create_acls import AclCreation, CreateAclsRequest
from minikafka.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from minikafka.messages.describe_acls import DescribeAclsRequest

ENTRY = (2, "orders", 3, "User:alice", "*", 3, 3)
ANY = (1, None, 1, None, None, 1, 1)
_FIELDS = ("kind", "name", "pattern", "principal", "host", "operation", "permission")


def _with(row, **changes):
    return tuple(changes.get(field, value) for field, value in zip(_FIELDS, row, strict=True))


def create(name, *rows, version=3):
    return name, CreateAclsRequest([AclCreation(*row) for row in rows]), version


def describe(what, version=3, **changes):
    return f"describe {what}", DescribeAclsRequest(*_with(ANY, **changes)), version


def delete(name, *rows, version=3):
    return f"delete {name}", DeleteAclsRequest([DeleteAclsFilter(*row) for row in rows]), version


ENTRIES = [
    ENTRY,
    _with(ENTRY, operation=4),
    _with(ENTRY, principal="User:*", permission=2, host="10.0.0.1"),
    _with(ENTRY, name="ord", pattern=4),
    _with(ENTRY, name="*", operation=2),
    _with(ENTRY, kind=3, name="*", principal="Robot:r"),
    _with(ENTRY, kind=4, name="kafka-cluster", operation=9),
    _with(ENTRY, kind=5, name="x", operation=15),
    _with(ENTRY, kind=6, name="token", operation=8),
    _with(ENTRY, kind=7, name="User:bob", operation=13),
]
INVALID = [
    _with(ENTRY, kind=1),
    _with(ENTRY, pattern=1),
    _with(ENTRY, pattern=2),
    _with(ENTRY, operation=1),
    _with(ENTRY, permission=1),
    _with(ENTRY, name=""),
    _with(ENTRY, kind=4, name="other"),
    _with(ENTRY, principal="alice"),
    _with(ENTRY, principal=":alice"),
    _with(ENTRY, principal="User:"),
    _with(ENTRY, host=""),
    _with(ENTRY, host="nonsense"),
    _with(ENTRY, kind=2, name="a/b"),
    _with(ENTRY, kind=4, name="kafka-cluster", pattern=4),
    _with(ENTRY, kind=3, name="g", operation=9),
]
FILTERS = {
    "everything": {},
    "topics": {"kind": 2},
    "groups": {"kind": 3},
    "users": {"kind": 7},
    "literal": {"pattern": 3},
    "prefixed": {"pattern": 4},
    "a name": {"name": "orders"},
    "a literal name": {"name": "orders", "pattern": 3},
    "what matches a name": {"name": "orders", "pattern": 2, "kind": 2},
    "what matches a shorter name": {"name": "or", "pattern": 2},
    "what matches a prefix": {"name": "ord", "pattern": 2},
    "what matches any name": {"pattern": 2},
    "what matches a star": {"name": "*", "pattern": 2},
    "a star": {"name": "*"},
    "an empty name": {"name": ""},
    "a principal": {"principal": "User:alice"},
    "every principal": {"principal": "User:*"},
    "a host": {"host": "10.0.0.1"},
    "every host": {"host": "*"},
    "an operation": {"operation": 3},
    "all operations": {"operation": 2},
    "denials": {"permission": 2},
}

CASES = [
    describe("nothing"),
    create("create entries", *ENTRIES),
    create("create them again", *ENTRIES, version=2),
    *(create(f"create what may be wrong: {row}", row) for row in INVALID),
    create("create one twice, and a wrong one", ENTRIES[0], INVALID[0], ENTRIES[0], version=1),
    *(describe(name, **changes) for name, changes in FILTERS.items()),
    describe("everything, v1", 1),
    delete("nothing", _with(ANY, name="none")),
    delete("by two filters that overlap", _with(ANY, kind=7), _with(ANY, principal="User:alice",
                                                                   operation=13), version=2),
    delete("what matches", _with(ANY, name="orders", pattern=2)),
    describe("the rest"),
    delete("everything", ANY, version=1),
    describe("nothing more"),
]  # fmt: skip


def comparable(message):
    """All of a response, with its entries in a certain order."""
    if hasattr(type(message), "__slots__") and not isinstance(message, (str, bytes, int)):
        return {
            field: comparable(getattr(message, field))
            for field in type(message).__slots__
            if field not in ("unknown_tagged_fields", "throttle_time_ms")
        }
    if isinstance(message, list):
        found = [comparable(each) for each in message]
        is_ordered = bool(found) and ("matching_acls" in found[0] or set(found[0]) <= _RESULT)
        return found if is_ordered else sorted(found, key=repr)
    return int(message) if isinstance(message, int) else message


_RESULT = {"error_code", "error_message"}
