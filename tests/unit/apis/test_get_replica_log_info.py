"""What a broker says of its logs (U3, R3)."""

from random import Random
from types import SimpleNamespace

import pytest

from minikafka.apis.get_replica_log_info import get_replica_log_info
from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
)
from minikafka.common.ids import Uuid
from minikafka.common.request_limits import MAX_REPLICA_LOG_INFOS
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.get_replica_log_info import GetReplicaLogInfoRequest, TopicPartitions

T, GONE = Uuid.of(7, 1), Uuid.of(7, 2)
PARTITIONS = 2500
BEHIND = 8


class Replicas:
    """All partitions of topic T, but for a few."""

    def __init__(self):
        known = {index: SimpleNamespace(leader_epoch=9) for index in range(PARTITIONS)}
        self.image = SimpleNamespace(topics={T: SimpleNamespace(partitions=known)})
        self.absent = {7: NotLeaderOrFollowerError(), 8: KafkaStorageError()}

    def get_by_id(self, topic_id, index):
        if topic_id != T:
            raise UnknownTopicIdError
        if index in self.absent:
            raise self.absent[index]
        return SimpleNamespace(
            leader_epoch=BEHIND if index == 9 else 9,
            log=SimpleNamespace(last_written_epoch=5 if index else 3, log_end_offset=100 + index),
        )


def ask(*topics, broker_id=1):
    context = SimpleNamespace(
        env=Environment(Random(1)), api_key=ApiKey.GET_REPLICA_LOG_INFO, version=0,
        may_be_broker=True,
        broker=SimpleNamespace(
            authorizer=None, broker_id=1, replicas=Replicas(), local=SimpleNamespace(broker_epoch=44)
        ),
    )  # fmt: skip
    request = GetReplicaLogInfoRequest(
        broker_id=broker_id,
        topic_partitions=[TopicPartitions(topic_id, list(rows)) for topic_id, rows in topics],
    )
    return get_replica_log_info(context, request)


def rows(response):
    return [row for topic in response.topic_partition_log_info_list
            for row in topic.partition_log_info]  # fmt: skip


def test_a_replica_says_where_its_log_ends_and_by_which_leader():
    response = ask((T, [0, 4]))
    assert (response.error_code, response.broker_epoch) == (0, 44)
    assert [
        (x.partition, x.log_end_offset, x.last_written_leader_epoch, x.current_leader_epoch)
        for x in rows(response)
    ] == [(0, 100, 3, 9), (4, 104, 5, 9)]


@pytest.mark.parametrize(
    ("topic_id", "index", "error"),
    [
        (T, 7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (T, 8, ErrorCode.KAFKA_STORAGE_ERROR),
        (GONE, 0, ErrorCode.UNKNOWN_TOPIC_ID),
    ],
)
def test_what_is_not_here_is_an_error_of_its_partition(topic_id, index, error):
    (row,) = rows(ask((topic_id, [index])))
    assert (row.partition, row.error_code, row.log_end_offset) == (index, error, -1)
    assert row.error_message


def test_two_thousand_partitions_are_answered():
    response = ask((GONE, [0]), (T, range(10, PARTITIONS)), (GONE, [1]))
    found = [row.error_code for row in rows(response)]
    assert len(found) == PARTITIONS - 8
    limit = ErrorCode.REQUEST_LIMIT_REACHED
    assert [code == limit for code in found] == [
        n >= MAX_REPLICA_LOG_INFOS for n in range(len(found))
    ]
    assert response.has_more_replica_log_info
    assert not ask((T, range(MAX_REPLICA_LOG_INFOS))).has_more_replica_log_info


def test_a_question_for_another_broker_is_refused():
    assert ask((T, [0]), broker_id=2).error_code == ErrorCode.INVALID_REQUEST


def test_a_replica_answers_for_the_leader_epoch_that_it_knows_itself():
    """Seed 40000060: an image may be ahead of a replica, which still follows the former leader."""
    (row,) = rows(ask((T, [9])))
    assert row.current_leader_epoch == BEHIND
