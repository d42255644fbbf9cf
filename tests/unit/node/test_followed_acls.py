"""The authorizer gets the ACLs that have changed, and nothing for other records."""

from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.access_control_entry_record import AccessControlEntryRecord
from minikafka.messages.metadata_records.client_quota_record import ClientQuotaRecord
from minikafka.metadata.carried import carried_change
from minikafka.node.followed_acls import follow_acls
from minikafka.security.acl import acl_of


class _Authorizer:
    """Notes what it is told."""

    def __init__(self):
        self.told = []

    def replace(self, acls):
        self.told.append(("replace", sorted(acls)))

    def change(self, removed, added):
        self.told.append(("change", removed, added))


def _record(number):
    return AccessControlEntryRecord(id=Uuid.of(1, number), resource_name=f"t{number}")


def _carried(*records):
    return {carried_change(each).key: each for each in records}


def test_only_changes_are_handed_on():
    one, two, three = (_record(number) for number in (1, 2, 3))
    quota = ClientQuotaRecord(key="rate")
    authorizer = _Authorizer()
    first = _carried(quota, one, two)
    assert follow_acls(authorizer, None, first)
    second = _carried(two, three)
    assert follow_acls(authorizer, first, second)
    assert not follow_acls(authorizer, second, {**second, **_carried(quota)})
    # A snapshot has equal records, which are other objects.
    assert follow_acls(authorizer, second, _carried(two, _record(3)))
    assert authorizer.told == [
        ("replace", [acl_of(one), acl_of(two)]),
        ("change", [acl_of(one)], [acl_of(three)]),
        ("change", [acl_of(three)], [acl_of(three)]),
    ]
