"""Metadata of security and quotas: kept as records, so that no snapshot loses it.

The authorizer decides by the ACLs, and clients log in with SCRAM credentials and delegation tokens.
Client quotas have no effect on this node. An image keeps the last record of each, a snapshot writes
it unchanged, and a removal record removes it. Records are identified by type number, so that their
modules are not loaded if there are none.

Source: `AclsDelta`, `ClientQuotasDelta`, `ScramDelta`, `DelegationTokenDelta`.
"""

from collections.abc import Callable, Hashable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple

from minikafka.metadata.serde import MetadataRecord

DELEGATION_TOKEN: Final = 10
USER_SCRAM_CREDENTIAL: Final = 11
CLIENT_QUOTA: Final = 14
ACCESS_CONTROL_ENTRY: Final = 18
_REMOVE_ACCESS_CONTROL_ENTRY: Final = 19
_REMOVE_USER_SCRAM_CREDENTIAL: Final = 22
_REMOVE_DELEGATION_TOKEN: Final = 26


class CarriedKey(NamedTuple):
    """The key of a carried record: its record type, and its identity among that type."""

    record_type: int
    identity: Hashable


Carried = Mapping[CarriedKey, MetadataRecord]


class CarriedChange(NamedTuple):
    """A change of a carried record: set it to `record`, or remove it (None)."""

    key: CarriedKey
    record: MetadataRecord | None


def carried_change(record: Any) -> CarriedChange | None:
    """The change by a record; None for a record of a subsystem that exists here."""
    kind = _KINDS.get(record.API_KEY)
    if kind is None:
        return None
    removes = kind.removes(record)
    return CarriedChange(
        CarriedKey(kind.record_type, kind.identity(record)), None if removes else record
    )


def records_of(carried: Carried, record_type: int) -> list[MetadataRecord]:
    """The records of one type, in the order in which they were first set."""
    return [record for key, record in carried.items() if key.record_type == record_type]


class _Kind(NamedTuple):
    record_type: int
    identity: Callable[[Any], Hashable]
    removes: Callable[[Any], bool]


def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


def _quota(record: Any) -> Hashable:
    # A name of None is the default entity; the order of the parts does not matter.
    return frozenset((part.entity_type, part.entity_name) for part in record.entity), record.key


_ID = attrgetter("id")
_SCRAM = attrgetter("name", "mechanism")
_TOKEN = attrgetter("token_id")
_IS_REMOVED = attrgetter("remove")

_KINDS: dict[int, _Kind] = {
    DELEGATION_TOKEN: _Kind(DELEGATION_TOKEN, _TOKEN, _never),
    USER_SCRAM_CREDENTIAL: _Kind(USER_SCRAM_CREDENTIAL, _SCRAM, _never),
    CLIENT_QUOTA: _Kind(CLIENT_QUOTA, _quota, _IS_REMOVED),
    ACCESS_CONTROL_ENTRY: _Kind(ACCESS_CONTROL_ENTRY, _ID, _never),
    _REMOVE_ACCESS_CONTROL_ENTRY: _Kind(ACCESS_CONTROL_ENTRY, _ID, _always),
    _REMOVE_USER_SCRAM_CREDENTIAL: _Kind(USER_SCRAM_CREDENTIAL, _SCRAM, _always),
    _REMOVE_DELEGATION_TOKEN: _Kind(DELEGATION_TOKEN, _TOKEN, _always),
}
