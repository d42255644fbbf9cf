"""Our bytes against kafka-python's codec, which reads Kafka's schema files by itself."""

import uuid
import warnings
from importlib import import_module
from random import Random
from typing import Any

import pytest

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
from tools.message_generator.spec import StructSpec

LIMITS = Limits(unknown_tags=False, own_tags=False)
RENAMED = {
    ("Metadata", "cluster_authorized_operations"): "authorized_operations",
    ("Metadata", "topic_authorized_operations"): "authorized_operations",
    ("DescribeCluster", "cluster_authorized_operations"): "authorized_operations",
    ("TxnOffsetCommit", "generation_id_or_member_epoch"): "generation_id",
}


def kafka_python_classes() -> dict[str, Any]:
    """kafka-python's message classes by Kafka's name."""
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it uses an old importlib function
        modules = [import_module(f"kafka.protocol.{module}") for module in _MODULES]
    for module in modules:
        for value in vars(module).values():
            schema = getattr(value, "_json", None)
            if isinstance(value, type) and schema:
                found[schema["name"]] = value
    return found


_MODULES = ("admin", "consumer", "metadata", "producer", "sasl")


THEIRS = kafka_python_classes()
CASES = [
    case
    for case in all_cases()
    if case.spec.type in ("request", "response")
    and case.spec.name in THEIRS
    and case.version <= THEIRS[case.spec.name].max_version
]


def test_kafka_python_knows_the_client_apis() -> None:
    assert len(CASES) > 350


@pytest.mark.parametrize("case", CASES, ids=str)
def test_kafka_python_reads_our_bytes_and_writes_the_same(case: Case) -> None:
    theirs = THEIRS[case.spec.name]
    for seed in range(4):
        ours = sample(case, Random(f"{case}-{seed}"), LIMITS)
        if case.spec.name == "ApiVersionsResponse":
            ours.error_code = 0  # kafka-python reads every failed one as version 0
        data = encode_message(ours, case.version)
        read = theirs.decode(data, version=case.version)
        assert_same_values(case, case.spec.root, ours, read)
        read._header = None  # its encoder asks for one, its decoder makes none
        written = read.encode(version=case.version)
        assert bytes(written) == data
        assert decode_message(class_of(case.spec), bytes(written), case.version) == ours


def assert_same_values(case: Case, struct: StructSpec, ours: Any, theirs: Any) -> None:
    for field in struct.fields:
        if case.version not in field.versions or is_own(field):
            continue
        our_value = getattr(ours, field.attribute)
        renamed = RENAMED.get((case.spec.base_name, field.attribute), field.attribute)
        their_value = getattr(theirs, renamed)
        inner = case.spec.structs.get(field.type.struct_name)
        if our_value is None and field.is_optional_struct and field.default is not None:
            our_value = their_value and struct_class(case.spec, field.type.struct)()
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
        case uuid.UUID():
            return plain(value.bytes)
        case set():  # the bits of a number
            return int.from_bytes(sum(1 << bit for bit in value).to_bytes(4), signed=True)
        case list():
            return [plain(each) for each in value]
        case _:
            return None if value in _NOTHING else value


_NOTHING = (bytes(16), -(2**31), None)
