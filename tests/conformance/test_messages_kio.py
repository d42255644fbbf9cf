"""Our bytes against kio, an independent codec generated from Kafka's own schema files."""

import datetime as dt
import io
import uuid
from dataclasses import fields as dataclass_fields
from pkgutil import resolve_name
from random import Random
from typing import Any

import pytest
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from minikafka.protocol.message import decode_message, encode_message
from tests.worlds.message_samples import (
    Case,
    Limits,
    all_cases,
    class_of,
    is_own,
    sample,
    struct_class,
)
from tools.message_generator.naming import snake
from tools.message_generator.spec import StructSpec

TAME = Limits(unknown_tags=False, own_tags=False, tame_numbers=True)
_TYPES = {
    "request": EntityType.request,
    "response": EntityType.response,
    "header": EntityType.header,
}


def kio_class(case: Case) -> Any:
    """kio's class for a message version, or None where kio does not know it."""
    spec = case.spec
    kind = _TYPES.get(spec.type, EntityType.data)
    name = snake(spec.base_name).replace("kraft", "k_raft")
    path = schema_name_map.get(name, {}).get(case.version, {}).get(kind)
    if path is None:
        return None
    return resolve_name(path)


CASES = [case for case in all_cases() if kio_class(case) is not None]


def test_kio_knows_most_of_the_protocol() -> None:
    assert len(CASES) > 550


@pytest.mark.parametrize("case", CASES, ids=str)
def test_kio_reads_our_bytes_and_writes_the_same(case: Case) -> None:
    theirs = kio_class(case)
    for seed in range(4):
        ours = sample(case, Random(f"{case}-{seed}"), TAME)
        data = encode_message(ours, case.version)
        read, size = entity_reader(theirs)(data, 0)
        assert size == len(data)
        assert_same_values(case, case.spec.root, ours, read)
        written = io.BytesIO()
        entity_writer(theirs)(written, read)
        assert written.getvalue() == data
        assert decode_message(class_of(case.spec), written.getvalue(), case.version) == ours


def assert_same_values(case: Case, struct: StructSpec, ours: Any, theirs: Any) -> None:
    """Field by field in the schema's order; kio names some fields differently."""
    present = [
        field for field in struct.fields if case.version in field.versions and not is_own(field)
    ]
    their_values = [getattr(theirs, field.name) for field in dataclass_fields(theirs)]
    assert len(present) == len(their_values)
    for field, their_value in zip(present, their_values, strict=True):
        our_value = getattr(ours, field.attribute)
        inner = case.spec.structs.get(field.type.struct_name)
        if our_value is None and field.is_optional_struct and field.default is not None:
            our_value = struct_class(case.spec, field.type.struct)()
        if inner is None or our_value is None or their_value is None:
            assert plain(our_value) == plain(their_value), field.name
        elif field.type.is_array:
            for one, other in zip(our_value, their_value, strict=True):
                assert_same_values(case, inner, one, other)
        else:
            assert_same_values(case, inner, our_value, their_value)


def plain(value: Any) -> Any:
    """The value without either side's own types."""
    match value:
        case dt.timedelta():
            return value // dt.timedelta(milliseconds=1)
        case dt.datetime():
            return (value - _EPOCH) // dt.timedelta(milliseconds=1)
        case uuid.UUID():
            return value.bytes
        case list() | tuple():
            return [plain(each) for each in value]
        case memoryview():
            return bytes(value)
        case _:
            return None if value in _NOTHING else value


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_NOTHING = (bytes(16), None)
