"""Each known difference from Apache Kafka has a row in the documentation."""

import re
from pathlib import Path

import pytest

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.rpc.envelope import encode_request
from tests.fuzz.frames import Frame
from tests.fuzz.known_differences import KNOWN, row_of
from tests.fuzz.versus import disturbs

DOCUMENT = Path(__file__).parents[2] / "docs" / "compatibility.md"


def frame_of(key, version, request):
    data = b"".join(bytes(part) for part in encode_request(1, "me", request, version))
    return Frame(key, version, 1, data)


@pytest.mark.parametrize("row", [known.row for known in KNOWN])
def test_a_known_difference_has_a_row(row):
    text = DOCUMENT.read_text(encoding="utf-8")
    assert re.search(rf"^\| {row} \| ", text, re.MULTILINE)


def produce_frame(acks=-1):
    data = [PartitionProduceData(0, b"")]
    request = ProduceRequest(None, acks, 0, [TopicProduceData("t", partition_data=data)])
    return frame_of(ApiKey.PRODUCE, 9, request)


@pytest.mark.parametrize(
    ("frame", "ours", "theirs", "row"),
    [
        (produce_frame(), "INVALID_RECORD", "CORRUPT_MESSAGE", "W4"),
        (produce_frame(), "INVALID_RECORD", "NONE", "P3"),
        (produce_frame(acks=2), "INVALID_REQUIRED_ACKS", "UNKNOWN_TOPIC_OR_PARTITION",
         "W4"),
        (produce_frame(), "NONE", "INVALID_RECORD", None),
        (produce_frame(), "closed", "NONE", None),
    ],
)  # fmt: skip
def test_a_difference_is_known_by_its_frame_and_both_answers(frame, ours, theirs, row):
    assert row_of(frame, ours, theirs) == row


def test_a_request_that_cannot_be_read_is_known_by_the_reason():
    frame = frame_of(ApiKey.LIST_GROUPS, 0, ListGroupsRequest())
    assert row_of(frame, "closed", "NONE") is None
    broken = frame._replace(data=frame.data.replace(b"me", b"\xffe"))
    assert row_of(broken, "closed", "NONE") == "W1"


@pytest.mark.parametrize(("names", "is_left_out"), [(["range"], False), (["range"] * 2, True)])
def test_a_frame_that_changes_later_answers_is_left_out(names, is_left_out):
    protocols = [JoinGroupRequestProtocol(name, b"") for name in names]
    request = JoinGroupRequest("g", 10_000, 10_000, "", None, "consumer", protocols)
    assert disturbs(frame_of(ApiKey.JOIN_GROUP, 5, request)) is is_left_out
