"""The controller creates and deletes entries; the texts are those of Apache Kafka 4.3.1."""

import pytest

from minikafka.common.errors import ErrorCode, PolicyViolationError
from minikafka.controller import acl_control, quorum_controller
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest
from minikafka.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from minikafka.metadata.carried import ACCESS_CONTROL_ENTRY, records_of
from minikafka.security.acl import Acl, acl_of

ENTRY = Acl(2, "orders", 3, "User:alice", "*", 3, 3)
PREFIX = ENTRY._replace(resource_name="ord", pattern_type=4)
ANY = Acl(1, None, 1, None, None, 1, 1)
INVALID = ErrorCode.INVALID_REQUEST


def create(world, *acls):
    request = CreateAclsRequest([AclCreation(*acl) for acl in acls])
    result = world.controller.decide(acl_control.create_acls, request)
    world.apply(result)
    return [(row.error_code, row.error_message) for row in result.response.results]


def delete(world, *filters):
    request = DeleteAclsRequest([DeleteAclsFilter(*each) for each in filters])
    result = world.controller.decide(acl_control.delete_acls, request)
    world.apply(result)
    return [
        [Acl(*(getattr(row, name) for name in Acl._fields)) for row in found.matching_acls]
        for found in result.response.filter_results
    ]


def entries(world):
    return [acl_of(record) for record in records_of(world.image.carried, ACCESS_CONTROL_ENTRY)]


def test_entries_are_created_and_deleted(world):
    assert create(world, ENTRY, PREFIX) == [(0, "")] * 2
    assert entries(world) == [ENTRY, PREFIX]
    assert delete(world, ENTRY) == [[ENTRY]]
    assert entries(world) == [PREFIX]
    assert delete(world, ANY, ENTRY, ANY) == [[PREFIX], [], [PREFIX]]
    assert entries(world) == []


def test_an_entry_that_exists_is_written_once(world):
    assert create(world, ENTRY, ENTRY) == [(0, "")] * 2
    end_offset = world.raft.end_offset
    assert create(world, ENTRY) == [(0, "")]
    assert world.raft.end_offset == end_offset
    assert entries(world) == [ENTRY]


def test_deleting_nothing_writes_nothing(world):
    end_offset = world.raft.end_offset
    assert delete(world, ANY) == [[]]
    assert world.raft.end_offset == end_offset


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"resource_type": 1}, "Invalid resourceType ANY"),
        ({"pattern_type": 1}, "Invalid patternType ANY"),
        ({"pattern_type": 2}, "Invalid patternType MATCH"),
        ({"operation": 1}, "Invalid operation ANY"),
        ({"permission_type": 1}, "Invalid permissionType ANY"),
        ({"resource_name": ""}, "Invalid empty resource name"),
        ({"resource_type": 4}, "The only valid name for the CLUSTER resource is kafka-cluster"),
        ({"principal": "alice"},
         ("Could not parse principal from `alice` (no colon is present separating the principal "
         "type from the principal name)")),
    ],
)  # fmt: skip
def test_an_entry_that_is_not_valid(world, changes, text):
    other = ENTRY._replace(resource_name="other")
    found = create(world, ENTRY._replace(**changes), other)
    assert found == [(INVALID, text), (0, "")]
    assert entries(world) == [other]


@pytest.mark.parametrize(
    "changes",
    [{"resource_type": 4, "resource_name": "kafka-cluster"}, {"operation": 2},
     {"resource_type": 7, "resource_name": "User:a", "operation": 13}],
)  # fmt: skip
def test_entries_of_every_kind(world, changes):
    assert create(world, ENTRY._replace(**changes)) == [(0, "")]


def test_too_many_entries_for_one_batch_change_nothing(world, monkeypatch):
    monkeypatch.setattr(quorum_controller, "MAX_RECORDS_PER_BATCH", 3)
    acls = [ENTRY._replace(resource_name=f"t{number}") for number in range(4)]
    with pytest.raises(PolicyViolationError):
        create(world, *acls)
    create(world, *acls[:2])
    create(world, *acls[2:])
    with pytest.raises(PolicyViolationError):
        delete(world, ANY)
    assert entries(world) == acls
