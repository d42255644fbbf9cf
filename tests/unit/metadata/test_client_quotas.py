"""Client quotas of the metadata log: entities and filters."""

import pytest

from minikafka.messages.metadata_records.client_quota_record import ClientQuotaRecord, EntityData
from minikafka.metadata.client_quotas import QuotaFilter, client_quotas
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records

_BOTH = frozenset((("user", "alice"), ("client-id", None)))
_USER = frozenset((("user", "alice"),))
_EVERYTHING = QuotaFilter({}, frozenset(), is_strict=False)


def _record(entity, key, rate, *, remove=False):
    return ClientQuotaRecord([EntityData(*part) for part in entity], key, rate, remove)


def _image(*records):
    loader = MetadataLoader()
    loader.load_batch(list(enumerate(records)), last_offset=len(records) - 1, epoch=1)
    return loader.image


def test_the_quotas_of_an_entity_are_together():
    image = _image(
        _record(sorted(_BOTH, key=str), "a", 1.0),
        _record(_USER, "a", 2.0),
        _record(sorted(_BOTH, key=str)[::-1], "b", 3.0),
        _record(_USER, "c", 4.0),
        _record(_USER, "c", 0.0, remove=True),
    )
    expected = [(_BOTH, {"a": 1.0, "b": 3.0}), (_USER, {"a": 2.0})]
    assert list(client_quotas(image, _EVERYTHING)) == expected
    again = MetadataLoader().load_snapshot(list(snapshot_records(image)), last_offset=4, epoch=1)
    assert list(client_quotas(again, _EVERYTHING)) == expected


def test_the_last_quota_of_an_entity_is_removed():
    image = _image(_record(_USER, "a", 1.0), _record(_USER, "a", 0.0, remove=True))
    assert list(client_quotas(image, _EVERYTHING)) == []


@pytest.mark.parametrize(
    ("named", "types", "matches", "matches_strictly"),
    [
        ({}, (), True, False),
        ({"user": "alice"}, (), True, False),
        ({"user": None}, (), False, False),
        ({"client-id": None}, (), True, False),
        ({"client-id": "app"}, (), False, False),
        ({"user": "alice", "client-id": None}, (), True, True),
        ({"user": "alice"}, ("client-id",), True, True),
        ({}, ("user", "client-id"), True, True),
        ({}, ("ip",), False, False),
        ({"user": "alice"}, ("ip",), False, False),
    ],
)
def test_filters(named, types, matches, matches_strictly):
    found = [QuotaFilter(named, frozenset(types), is_strict=each) for each in (False, True)]
    assert [each.matches(_BOTH) for each in found] == [matches, matches_strictly]
