"""Calls to other nodes end once: with a response, or with the reason why there is none."""

import pytest

from minikafka.common.effects import Channel, CloseChannel
from minikafka.common.faults import InvariantViolation
from minikafka.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.worlds.wire_world import Wire

PEER = Channel("h", 1, "p")
OTHER = Channel("h", 1, "q")
VERSION = 4


@pytest.fixture
def wire():
    return Wire()


class Outcomes(list):
    def __call__(self, response, why):
        self.append((response, why))


@pytest.fixture
def done():
    return Outcomes()


def call(wire, done, channel=PEER, timeout_ms=1000, **more):
    wire.calls.send(
        channel, HeartbeatRequest("g", 1, "m"), VERSION, timeout_ms=timeout_ms, on_done=done, **more
    )


def test_response_finds_its_call(wire, done):
    later = Outcomes()
    call(wire, done)
    call(wire, later)
    first, second = wire.sent()
    assert first.header.correlation_id != second.header.correlation_id
    wire.answer(second, HeartbeatResponse(error_code=27))
    assert (done, later) == ([], [(HeartbeatResponse(error_code=27), "")])
    wire.answer(first, HeartbeatResponse())
    assert done == [(HeartbeatResponse(), "")]


def test_request_names_its_client(wire, done):
    call(wire, done)
    call(wire, done, client_id="fetcher")
    assert [each.header.client_id for each in wire.sent()] == ["test", "fetcher"]


def test_call_that_times_out_closes_its_channel_and_all_that_is_under_way_on_it(wire, done):
    other = Outcomes()
    call(wire, done, timeout_ms=1000)
    call(wire, done, timeout_ms=5000)
    call(wire, other, OTHER, timeout_ms=5000)
    assert len(wire.sent(999)) == 3
    assert done == []
    assert wire.sent(1) == []
    assert wire.others == [CloseChannel(PEER)]
    assert done == [(None, "timed out")] * 2
    wire.run(10_000)
    assert len(done) == 2
    assert other == [(None, "timed out")]


def test_answer_in_time_stops_the_clock(wire, done):
    call(wire, done)
    wire.answer(wire.one(), HeartbeatResponse())
    wire.run(5000)
    assert len(done) == 1
    assert wire.sent() == []
    assert wire.others == []


def test_channel_that_breaks_ends_its_calls_only(wire, done):
    other = Outcomes()
    call(wire, done)
    call(wire, other, OTHER)
    wire.calls.channel_down(PEER, "reset")
    assert (done, other) == ([(None, "reset")], [])
    wire.calls.channel_down(PEER, "reset")
    assert len(done) == 1


def test_channel_closed_on_purpose_is_closed_and_its_calls_end(wire, done):
    call(wire, done)
    wire.calls.close(PEER)
    wire.sent()
    assert wire.others == [CloseChannel(PEER)]
    assert done == [(None, "closed")]


def test_call_made_when_another_failed_is_not_lost_with_it(wire, done):
    wire.calls.send(
        PEER, HeartbeatRequest(), VERSION, timeout_ms=1000, on_done=lambda *_: call(wire, done)
    )
    wire.sent()
    wire.calls.channel_down(PEER, "reset")
    assert done == []
    wire.answer(wire.one(), HeartbeatResponse())
    assert done == [(HeartbeatResponse(), "")]


def test_response_to_nothing_closes_the_channel(wire, done):
    call(wire, done)
    sent = wire.one()
    header = sent.header._replace(correlation_id=sent.header.correlation_id + 1)
    wire.answer(sent._replace(header=header), HeartbeatResponse())
    wire.sent()
    assert wire.others == [CloseChannel(PEER)]
    ((response, why),) = done
    assert response is None
    assert "belongs to no request" in why


def test_response_on_another_channel_is_not_taken(wire, done):
    call(wire, done)
    wire.answer(wire.one()._replace(channel=OTHER), HeartbeatResponse())
    wire.sent()
    assert wire.others == [CloseChannel(OTHER)]
    assert done == []


@pytest.mark.parametrize("tail", [b"", b"\0"], ids=["no body", "torn body"])
def test_response_that_cannot_be_read_ends_its_call(wire, done, tail):
    call(wire, done)
    number = wire.one().header.correlation_id
    wire.calls.response(PEER, memoryview(number.to_bytes(4, "big") + tail))
    assert [response for response, _ in done] == [None]
    wire.sent()
    assert wire.others == [CloseChannel(PEER)]


def test_answer_that_its_caller_cannot_use_ends_the_call_and_closes_the_channel(wire):
    outcomes, later = [], Outcomes()

    def done(response, why):
        outcomes.append((response, why))
        if response is not None:
            raise IndexError("no such topic")

    call(wire, done)
    call(wire, later)
    first, _ = wire.sent()
    wire.answer(first, HeartbeatResponse())
    assert [response for response, _ in outcomes] == [HeartbeatResponse(), None]
    assert "no such topic" in outcomes[1][1]
    assert [response for response, _ in later] == [None]
    wire.sent()
    assert wire.others == [CloseChannel(PEER)]


def test_invariant_that_an_answer_shows_to_be_broken_ends_the_node(wire):
    def done(response, _):
        if response is not None:
            raise InvariantViolation("x")

    call(wire, done)
    sent = wire.one()
    with pytest.raises(InvariantViolation):
        wire.answer(sent, HeartbeatResponse())
