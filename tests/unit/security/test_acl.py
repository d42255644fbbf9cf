"""Filters of entries: those of `AclBindingFilter`."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.access_control_entry_record import (
    AccessControlEntryRecord,
)
from minikafka.security.acl import Acl, AclFilter, acl_of, host_text

ENTRY = Acl(2, "orders", 3, "User:alice", "*", 3, 3)
PREFIX = ENTRY._replace(resource_name="ord", pattern_type=4)
STAR = ENTRY._replace(resource_name="*")
ANY = AclFilter(1, None, 1, None, None, 1, 1)


def test_the_entry_of_a_record():
    assert acl_of(AccessControlEntryRecord(Uuid.of(1, 1), *ENTRY)) == ENTRY


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [ENTRY, PREFIX, STAR]),
        ({"resource_type": 2}, [ENTRY, PREFIX, STAR]),
        ({"resource_type": 3}, []),
        ({"pattern_type": 3}, [ENTRY, STAR]),
        ({"pattern_type": 4}, [PREFIX]),
        ({"pattern_type": 2}, [ENTRY, PREFIX, STAR]),
        ({"resource_name": "orders"}, [ENTRY]),
        ({"resource_name": "ord"}, [PREFIX]),
        ({"resource_name": "orders", "pattern_type": 2}, [ENTRY, PREFIX, STAR]),
        ({"resource_name": "or", "pattern_type": 2}, [STAR]),
        ({"resource_name": "*", "pattern_type": 2}, [STAR]),
        ({"resource_name": "orders", "pattern_type": 4}, []),
        ({"resource_name": ""}, []),
        ({"principal": "User:alice"}, [ENTRY, PREFIX, STAR]),
        ({"principal": "User:*"}, []),
        ({"host": "*"}, [ENTRY, PREFIX, STAR]),
        ({"host": "1.2.3.4"}, []),
        ({"operation": 3}, [ENTRY, PREFIX, STAR]),
        ({"operation": 2}, []),
        ({"permission_type": 2}, []),
    ],
)
def test_the_entries_of_a_filter(changes, expected):
    acl_filter = ANY._replace(**changes)
    assert [acl for acl in (ENTRY, PREFIX, STAR) if acl_filter.matches(acl)] == expected


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("fe80::1:abcd%eth0", "fe80:0:0:0:0:0:1:abcd%eth0"),
        ("2001:db8:0:0:0:0:0:a", "2001:db8:0:0:0:0:0:a"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", ""),
        ("no:address", "no:address"),
    ],
)
def test_hosts_are_written_as_java_does(address, text):
    assert host_text(address) == text
