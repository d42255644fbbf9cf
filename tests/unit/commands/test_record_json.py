"""Metadata and control records as JSON (whole files: tests/conformance/test_dump_log.py)."""

import pytest

from minikafka.commands.record_json import control_line, metadata_line
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.metadata_records.partition_record import PartitionRecord
from minikafka.metadata.serde import encode_record
from minikafka.records.reader import Record

ZERO = "AAAAAAAAAAAAAAAAAAAAAA"


def line(message, version):
    return metadata_line(Record(5, 0, None, encode_record(message, version), ()))


def test_tagged_fields_are_shown_where_they_are_set():
    assert line(PartitionChangeRecord(partition_id=3, isr=[], leader=-1), 0) == (
        'payload: {"type":"PARTITION_CHANGE_RECORD","version":0,'
        f'"data":{{"partitionId":3,"topicId":"{ZERO}","isr":[],"leader":-1}}}}'
    )


@pytest.mark.parametrize(("version", "shown"), [(0, False), (1, True)])
def test_fields_that_the_version_lacks_are_left_out(version, shown):
    assert ("directories" in line(PartitionRecord(), version)) == shown


@pytest.mark.parametrize("value", [None, b"", b"\x09\x00\x00", b"\x01\x05\x00"])
def test_record_that_cannot_be_read_is_skipped_with_a_reason(value):
    assert metadata_line(Record(5, 0, None, value, ())).startswith("Error at 5, skipping. ")


def test_unknown_control_type_is_named_by_its_number():
    assert control_line(Record(0, 0, b"\0\0\0\x63", b"", ())) == "controlType: UNKNOWN(99)"
