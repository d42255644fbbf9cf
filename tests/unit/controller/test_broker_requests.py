"""U2: one queue a broker, requests merged, one under way."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.events import CLOSED_BY_PEER
from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.common.request_limits import MAX_REPLICA_LOG_INFOS
from minikafka.controller.broker_requests import BrokerRequestSender
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsResponse
from minikafka.messages.get_replica_log_info import (
    GetReplicaLogInfoResponse,
    PartitionLogInfo,
    TopicPartitionLogInfo,
)
from minikafka.metadata.broker_registration import Endpoint
from tests.worlds.wire_world import Wire

T, U = Uuid.of(1, 1), Uuid.of(1, 2)


def at(index, topic=T):
    return TopicIdPartition(topic, index)


class World(Wire):
    def __init__(self):
        super().__init__()
        self.endpoints = {n: Endpoint("PLAINTEXT", "h", 9000 + n) for n in (1, 2)}
        self.answers = []
        self.rejected = []
        self.mute = []
        self.sender = BrokerRequestSender(
            self.env, self.calls, SimpleNamespace(broker_endpoint=self.endpoints.get), self
        )

    def muted(self, broker_id):
        self.mute.append(broker_id)

    def answered(self, answer):
        self.answers.append(answer)
        return [key for key, _ in answer.rows if key in self.rejected]

    def respond(self, sent, *, epoch=7, error=0, errors=None, without=()):
        errors = errors or {}
        rows = [
            TopicPartitionLogInfo(
                topic.topic_id,
                [
                    PartitionLogInfo(index, 3, 4, 100, errors.get(index, 0))
                    for index in topic.partitions
                    if index not in without
                ],
            )
            for topic in sent.body.topic_partitions
        ]
        response = GetReplicaLogInfoResponse(
            error_code=error, broker_epoch=epoch, topic_partition_log_info_list=rows
        )
        self.answer(sent, response)


def asked(sent):
    return [
        TopicIdPartition(topic.topic_id, index)
        for topic in sent.body.topic_partitions
        for index in topic.partitions
    ]


@pytest.fixture
def world():
    return World()


def test_what_is_asked_in_one_turn_goes_together(world):
    for key in (at(1), at(0), at(0, U), at(1)):
        world.sender.ask(1, key)
    world.sender.ask(2, at(1))
    first, second = world.sent()
    assert (first.channel.port, first.body.broker_id) == (9001, 1)
    assert asked(first) == [at(1), at(0), at(0, U)]
    assert (second.channel.port, asked(second)) == (9002, [at(1)])


def test_an_answer_is_handed_on_and_the_queue_forgotten(world):
    world.sender.ask(1, at(5))
    world.respond(world.one())
    (answer,) = world.answers
    assert (answer.broker_id, answer.broker_epoch) == (1, 7)
    ((key, row),) = answer.rows
    assert (key, row.last_written_leader_epoch, row.log_end_offset) == (at(5), 3, 100)
    assert world.sender.pending == 0
    assert world.sent(60_000) == []
    assert not world.sender.is_asking(1, at(5))


def test_one_request_is_under_way_and_the_next_takes_all_that_came(world):
    world.sender.ask(1, at(0))
    first = world.one()
    world.sender.ask(1, at(0))
    for index in (1, 2):
        world.sender.ask(1, at(index))
    assert world.sent(9000) == []
    world.respond(first)
    assert asked(world.one()) == [at(1), at(2)]


def test_a_request_has_at_most_two_thousand_partitions(world):
    """R3."""
    for index in range(2 * MAX_REPLICA_LOG_INFOS + 1):
        world.sender.ask(1, at(index))
    sizes = []
    for _ in range(3):
        sent = world.one()
        sizes.append(len(asked(sent)))
        world.respond(sent)
    assert sizes == [2000, 2000, 1]
    assert world.sent(60_000) == []
    assert world.sender.requests_sent == 3


def test_what_the_broker_did_not_get_to_is_asked_at_once(world):
    for index in range(4):
        world.sender.ask(1, at(index))
    world.respond(world.one(), errors={2: ErrorCode.REQUEST_LIMIT_REACHED}, without=(3,))
    assert [key for key, _ in world.answers[0].rows] == [at(0), at(1)]
    assert asked(world.one()) == [at(2), at(3)]


def test_what_is_rejected_is_asked_again_later(world):
    """U4."""
    world.rejected = [at(0)]
    world.sender.ask(1, at(0))
    world.sender.ask(1, at(1))
    world.respond(world.one())
    assert world.sent(49) == []
    again = world.one(1)
    assert asked(again) == [at(0)]
    world.respond(again)
    assert world.sent(99) == []
    world.respond(world.one(1))
    assert world.sent(199) == []


@pytest.mark.parametrize("failure", ["down", "time-out", "error"])
def test_a_call_that_fails_is_tried_again_with_growing_pauses(world, failure):
    world.sender.ask(1, at(0))
    pauses = []
    for _ in range(8):
        sent = world.one()
        if failure == "down":
            world.calls.channel_down(sent.channel, "refused")
        elif failure == "error":
            world.respond(sent, error=ErrorCode.INVALID_REQUEST)
        else:
            world.run(10_000)
        before = world.now_ms
        while world.env.timers.next_deadline_ms() > world.now_ms:
            world.at(world.env.timers.next_deadline_ms())
        pauses.append(world.now_ms - before)
    assert pauses == [50, 100, 200, 400, 800, 1600, 2000, 2000]
    assert world.answers == []
    world.respond(world.one())
    assert len(world.answers) == 1


def test_a_broker_that_came_back_is_asked_at_once(world):
    world.sender.ask(1, at(0))
    for _ in range(7):
        world.calls.channel_down(world.one(2000).channel, "refused")
    world.sender.wake(1)
    assert asked(world.one()) == [at(0)]


def test_a_broker_without_endpoint_is_asked_when_it_has_one(world):
    endpoint = world.endpoints.pop(1)
    world.sender.ask(1, at(0))
    assert world.sent(10_000) == []
    world.endpoints[1] = endpoint
    assert asked(world.one(2000)) == [at(0)]


def test_a_dropped_question_is_not_asked(world):
    world.sender.ask(1, at(0))
    world.sender.ask(1, at(1))
    world.sender.drop(1, at(0))
    sent = world.one()
    assert asked(sent) == [at(1)]
    world.sender.drop(1, at(1))
    world.sender.ask(1, at(2))
    assert world.sent() == []
    world.respond(sent)
    assert [rows for _, _, rows in world.answers] == [[]]
    assert asked(world.one()) == [at(2)]
    world.sender.drop(7, at(1))


def test_everything_is_dropped_before_it_is_sent(world):
    world.sender.ask(1, at(0))
    world.sender.drop(1, at(0))
    assert world.sent(60_000) == []
    assert world.sender.pending == 0


def test_after_a_stop_nothing_of_before_is_listened_to(world):
    """U2: nothing of a former leadership is applied."""
    world.sender.ask(1, at(0))
    old = world.one()
    world.sender.ask(2, at(1))
    world.sender.stop()
    assert world.sent(1000) == []
    world.sender.ask(1, at(0))
    new = world.one()
    world.respond(old)
    assert world.answers == []
    world.respond(new)
    assert len(world.answers) == 1


def test_questions_that_stopped_for_no_known_reason_start_again(world):
    """U7."""
    world.sender.ask(1, at(0))
    world.one()
    (call,) = world.calls._pending.values()
    call.timer.cancel()
    world.calls._pending.clear()
    world.at(59_999)
    world.sender.restart_stuck()
    assert world.sent() == []
    world.at(60_000)
    world.sender.restart_stuck()
    world.respond(world.one())
    assert len(world.answers) == 1


def test_questions_that_are_repeated_are_not_stuck(world):
    world.sender.ask(1, at(0))
    count = 0
    for _ in range(100):
        for sent in world.sent(1000):
            world.calls.channel_down(sent.channel, "refused")
            count += 1
        world.sender.restart_stuck()
    assert 50 <= count <= 56


def api_versions(*keys):
    return ApiVersionsResponse(api_keys=[ApiVersion(key, 0, 1) for key in keys])


def test_a_broker_that_lacks_the_api_is_named_once_and_left_alone(world, caplog):
    """As Apache Kafka does: it closes the connection of an unknown API, and does not list it."""
    for round_ in range(2):
        world.sender.ask(1, at(0))
        world.calls.channel_down(world.one().channel, CLOSED_BY_PEER)
        sent = world.one(1000)
        assert sent.body.client_software_name == "minikafka-node"
        world.answer(sent, api_versions(ApiKey.FETCH))
        assert world.mute == [1] * (round_ + 1)
        assert world.sender.is_mute(1)
        assert world.sender.is_asking(1, at(0))
        world.sender.ask(1, at(1))
        assert world.sent(60_000) == []
        assert world.sender.pending == 0
        world.sender.wake(1)
        assert not world.sender.is_mute(1)
    warnings = [row.message for row in caplog.records if row.levelname == "WARNING"]
    assert len(warnings) == 1
    assert "broker 1 does not have GetReplicaLogInfo" in warnings[0]


def test_a_broker_that_restarts_is_asked_again(world):
    world.sender.ask(1, at(0))
    world.calls.channel_down(world.one().channel, CLOSED_BY_PEER)
    world.calls.channel_down(world.one(1000).channel, "refused")
    world.answer(world.one(1000), api_versions(ApiKey.GET_REPLICA_LOG_INFO))
    assert asked(world.one(1000)) == [at(0)]
