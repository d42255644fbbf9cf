"""Markers reach every leader exactly as long as it needs them."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.internal_topics import OFFSETS_TOPIC
from tests.worlds.transaction_world import at

RETRIED = [
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.KAFKA_STORAGE_ERROR,
]
UNEXPECTED = [
    ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE,
    ErrorCode.INVALID_REQUIRED_ACKS,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
]


def ended(world, *partitions, name="x", commit=True):
    world.end(world.ongoing(*partitions, name=name), commit, name=name)


def test_each_leader_gets_its_partitions(world):
    ended(world, at(0), at(1), at(2))
    first, second = world.sent()
    assert (first.channel.host, second.channel.host) == ("b1", "b2")
    assert world.markers(first) == [((100, 1), True, [at(0), at(1)])]
    assert world.markers(second) == [((100, 1), True, [at(2)])]
    (marker,) = first.body.markers
    assert (marker.coordinator_epoch, marker.transaction_version) == (0, 2)
    world.answer_markers(first)
    assert world.state() == "PrepareCommit"
    assert world.entry().current.partitions == {at(2)}
    world.answer_markers(second)
    assert world.state() == "CompleteCommit"


def test_an_abort_is_an_abort(world):
    ended(world, at(0), commit=False)
    assert world.markers(world.one()) == [((100, 1), False, [at(0)])]


def test_transactions_that_end_meanwhile_share_the_next_request(world):
    ended(world, at(0), name="a")
    first = world.one()
    for name in ("b", "c"):
        ended(world, at(0), name=name)
    assert world.sent() == []
    world.answer_markers(first)
    assert len(world.markers(world.one())) == 2


@pytest.mark.parametrize(("level", "version"), [(27, 1), (28, 2)])
def test_version_2_is_sent_once_all_brokers_have_it(make_world, level, version):
    world = make_world(metadata_version=level)
    ended(world, at(0))
    assert world.one().header.api_version == version


@pytest.mark.parametrize("code", RETRIED + UNEXPECTED)
def test_a_leader_that_cannot_write_is_asked_again(world, code, caplog):
    ended(world, at(0), at(1))
    for _ in range(3):
        sent = world.one(for_ms=3_000)
        assert world.markers(sent)[0][2] in ([at(0), at(1)], [at(1)])
        world.answer_markers(sent, codes={at(1): code})
        assert world.state() == "PrepareCommit"
    world.answer_markers(world.one(for_ms=3_000))
    assert world.state() == "CompleteCommit"
    assert ("cannot write the marker" in caplog.text) == (code in UNEXPECTED)


def test_the_backoff_grows_to_two_seconds(world):
    ended(world, at(0))
    waits = []
    for _ in range(9):
        begin_ms = world.now_ms
        while not (sent := world.sent(for_ms=10)):
            pass
        waits.append(world.now_ms - begin_ms)
        world.answer_markers(sent[0], ErrorCode.NOT_ENOUGH_REPLICAS)
    assert waits[1:] == sorted(waits[1:])
    assert 1_900 < waits[-1] <= 2_100


def test_a_new_leader_gets_what_the_old_one_did_not_write(world):
    ended(world, at(0))
    sent = world.one()
    world.leaders[0] = 2
    world.change_image()
    world.answer_markers(sent, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    again = world.one(for_ms=3_000)
    assert again.channel.host == "b2"
    world.answer_markers(again)
    assert world.state() == "CompleteCommit"


def test_a_lost_connection_is_a_failure_of_all(world):
    ended(world, at(0), at(1))
    sent = world.one()
    world.calls.channel_down(sent.channel, "gone")
    again = world.one(for_ms=3_000)
    assert world.markers(again) == world.markers(sent)


def test_an_answer_without_a_row_is_no_answer(world):
    ended(world, at(0), at(1))
    sent = world.one()
    del sent.body.markers[0].topics[0].partition_indexes[1:]
    world.answer_markers(sent)
    assert world.markers(world.one(for_ms=3_000)) == [((100, 1), True, [at(1)])]


@pytest.mark.parametrize("change", ["no leader", "fenced"])
def test_markers_wait_for_a_leader(world, change):
    if change == "fenced":
        world.fenced.add(1)
    else:
        world.leaders[0] = -1
    world.change_image()
    ended(world, at(0), at(2))
    world.answer_markers(world.one())
    assert world.sent(for_ms=10_000) == []
    assert world.sender.unknown_destinations == 1
    assert world.state() == "PrepareCommit"
    world.leaders[0] = 1
    world.fenced.clear()
    world.change_image()
    world.answer_markers(world.one(for_ms=3_000))
    assert world.state() == "CompleteCommit"
    assert world.sender.unknown_destinations == 0


@pytest.mark.parametrize("when", ["before", "waiting", "in flight"])
def test_a_deleted_topic_needs_no_marker(world, when):
    producer = world.ongoing(at(0), at(2))
    if when == "before":
        world.topics.clear()
        world.change_image()
        world.end(producer)
        assert world.sent() == []
    else:
        world.end(producer)
        sent = world.sent()
        if when == "in flight":
            world.topics.clear()
            world.change_image()
        for each in sent:
            world.answer_markers(each, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        world.topics.clear()
        world.change_image()
        assert world.sent(for_ms=3_000) == []
    assert world.state() == "CompleteCommit"


@pytest.mark.parametrize("when", ["before", "waiting"])
def test_the_marker_of_a_group_waits_until_its_topic_is_known_again(world, when):
    offsets = {OFFSETS_TOPIC: world.topics[OFFSETS_TOPIC]}
    producer = world.ongoing(at(2, OFFSETS_TOPIC))
    if when == "waiting":
        world.end(producer)
        world.answer_markers(world.one(), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    world.topics.clear()
    world.change_image()
    if when == "before":
        world.end(producer)
    assert world.sent(for_ms=10_000) == []
    assert world.sender.unknown_destinations == 1
    assert world.state() == "PrepareCommit"
    world.topics |= offsets
    world.change_image()
    world.answer_markers(world.one(for_ms=3_000))
    assert world.state() == "CompleteCommit"


def test_a_partition_that_an_internal_topic_does_not_have_needs_no_marker(world):
    world.end(world.ongoing(at(9, OFFSETS_TOPIC)))
    assert world.sent() == []
    assert world.state() == "CompleteCommit"


@pytest.mark.parametrize(
    "code", [ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED]
)
def test_a_newer_epoch_ends_the_sending(world, code, caplog):
    ended(world, at(0), at(1))
    world.answer_markers(world.one(), codes={at(1): code})
    assert world.sent(for_ms=10_000) == []
    assert world.state() == "PrepareCommit"
    assert "newer epoch" in caplog.text


@pytest.mark.parametrize(
    "code", [ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, ErrorCode.UNSUPPORTED_VERSION]
)
def test_a_log_without_markers_needs_none(world, code):
    ended(world, at(0))
    world.answer_markers(world.one(), code)
    assert world.state() == "CompleteCommit"


def test_a_former_coordinator_sends_nothing_more(world):
    ended(world, at(0), at(2), name="a")
    world.sent()
    ended(world, at(0), name="b")
    world.lead(leader=2)
    assert world.sent(for_ms=60_000) == []


def test_a_request_has_at_most_5000_partitions(world):
    world.leaders = dict.fromkeys(range(6_000), 1)
    world.change_image()
    producer = world.init()
    world.add(producer, *(at(index) for index in range(6_000)))
    world.end(producer)
    first = world.one()
    assert sum(len(row[2]) for row in world.markers(first)) == 5_000
    world.answer_markers(first)
    second = world.one()
    assert sum(len(row[2]) for row in world.markers(second)) == 1_000
    world.answer_markers(second)
    assert world.state() == "CompleteCommit"


def test_an_answer_whose_handling_fails_is_asked_for_again(world, monkeypatch):
    ended(world, at(0))
    sent = world.one()
    contained = []
    world.env.on_contained = lambda what, error: contained.append(error)
    with monkeypatch.context() as patched:
        patched.setattr(type(world.sender), "_judge", lambda *_: 1 / 0)
        world.answer_markers(sent)
    assert [type(error) for error in contained] == [ZeroDivisionError]
    world.answer_markers(world.one(for_ms=3_000))
    assert world.state() == "CompleteCommit"


def sent_after(world):
    """The next request, and the time until it is sent."""
    begin_ms = world.now_ms
    while not (sent := world.sent(for_ms=10)):
        pass
    return sent[0], world.now_ms - begin_ms


def test_a_leader_that_is_found_after_another_one_gets_its_markers_soon(world):
    world.leaders = {0: -1, 1: -1}
    world.change_image()
    ended(world, at(0), at(1))
    assert world.sent(for_ms=20_000) == []
    world.leaders[0] = 1
    world.change_image()
    first, _ = sent_after(world)
    world.leaders[1] = 2
    world.change_image()
    second, took_ms = sent_after(world)
    assert took_ms <= 60
    assert (first.channel.host, second.channel.host) == ("b1", "b2")
