"""Offsets of logs, asked of the leaders."""

import pytest

from minikafka.admin import offsets
from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.offsets import LATEST, leaders, list_offsets
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

PARTITIONS = [TopicPartition("t", index) for index in (2, 0, 1)]


class Leaders(AdminClient):
    """Each partition's offset is its index; the leader of partition 0 has moved once."""

    def __init__(self):
        super().__init__("h:1", client_id="t", timeout_s=5)
        self.has_moved = False

    def ask_broker(self, broker_id, request):
        assert broker_id == 1
        rows = []
        for topic in request.topics:
            for it in sorted(topic.partitions, key=lambda it: it.partition_index):
                index = it.partition_index
                stale = index == 0 and not self.has_moved
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER if stale else ErrorCode.NONE
                rows.append(ListOffsetsPartitionResponse(index, code, offset=index))
        self.has_moved = True
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse("t", rows)])


def test_offsets_have_the_order_of_the_partitions(monkeypatch):
    monkeypatch.setattr(offsets, "leaders", lambda *_: dict.fromkeys(PARTITIONS, 1))
    found = list_offsets(Leaders(), PARTITIONS, LATEST)
    assert list(found.items()) == [(at, at.partition) for at in PARTITIONS]


def test_a_topic_without_a_name_is_not_asked_for():
    with pytest.raises(AdminError, match="'' cannot be represented") as refused:
        leaders(Leaders(), ["t", ""])
    assert refused.value.code == ErrorCode.INVALID_TOPIC_EXCEPTION
