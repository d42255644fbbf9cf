"""A fault takes partitions out of fetch sessions, and they come back into them (KIP-227)."""

import pytest

from minikafka.messages.fetch import FetchResponse
from tests.unit.faults.test_dispatcher import codes, fetch_all, produce_to
from tests.worlds.sim_world import BY_NAME, values_of


class Consumer:
    """A consumer with a session: it names a partition only if its position has changed."""

    def __init__(self, faulty):
        self.faulty = faulty
        self.client = faulty.new_client("consumer")
        self.positions = {0: 0, 1: 0}
        self.session_id = self.epoch = 0
        self.told = {}
        self.values = {0: [], 1: []}

    def poll(self):
        named = [x for x, at in self.positions.items() if self.told.get(x) != at]
        request = fetch_all(0, self.session_id, self.epoch, named, wait_ms=100)
        for topic in request.topics:
            for each in topic.partitions:
                each.fetch_offset = self.positions[each.partition]
                self.told[each.partition] = each.fetch_offset
        answer = self.faulty.answer(request, BY_NAME, client=self.client)
        assert isinstance(answer, FetchResponse)
        assert answer.error_code == 0
        if answer.session_id:
            self.session_id, self.epoch = answer.session_id, self.epoch + 1
        else:
            self.session_id = self.epoch = 0
            self.told = {}
        for topic in answer.responses:
            for each in topic.partitions:
                if each.error_code == 0:
                    self.values[each.partition_index] += values_of(each)
                    self.positions[each.partition_index] = len(self.values[each.partition_index])
        return codes(answer)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("polls_before", [0, 1, 3])
def test_a_partition_fails_within_a_session_and_comes_back(faulty, polls_before, after):
    consumer = Consumer(faulty)
    for _ in range(polls_before):
        consumer.poll()
    faulty.answer(produce_to(0, 1), BY_NAME)
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1, times=2, after=after)
    assert consumer.poll().get(1) == 6
    assert consumer.poll().get(1) == 6
    assert faulty.hits == 2
    before = len(consumer.values[1])
    for _ in range(3):
        assert consumer.poll().get(1, 0) == 0
    assert before == (2 if polls_before else 0)
    assert consumer.values == {0: [b"0a", b"0b", b"x"], 1: [b"1a", b"1b", b"x"]}
    faulty.answer(produce_to(1), BY_NAME)
    consumer.poll()
    assert consumer.values[1] == [b"1a", b"1b", b"x", b"x"]
    assert not faulty.dispatcher._fetches.withheld
    assert faulty.hits == 2


@pytest.mark.parametrize("polls_before", [1, 40])
def test_a_partition_comes_back_after_the_fault_was_removed(faulty, polls_before):
    consumer = Consumer(faulty)
    for _ in range(polls_before):
        # Requests that repeat get a lane.
        consumer.poll()
    faulty.answer(produce_to(1), BY_NAME)
    faulty.fault("Fetch", "KAFKA_STORAGE_ERROR", topic="t", partition=1)
    assert consumer.poll()[1] == 56
    assert consumer.session_id in faulty.dispatcher._fetches.withheld
    faulty.set()
    consumer.poll()
    assert consumer.values[1] == [b"1a", b"1b", b"x"]
    assert not faulty.dispatcher._fetches.withheld


def test_an_error_does_not_wait_for_records_of_other_partitions(faulty):
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1)
    request = fetch_all(offset=2, wait_ms=30_000)
    assert codes(faulty.answer(request, BY_NAME, within_ms=200))[1] == 6


def test_a_session_of_which_every_partition_is_taken_starts_again(faulty):
    consumer = Consumer(faulty)
    consumer.poll()
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", times=2)
    assert consumer.poll() == {0: 6, 1: 6}
    assert consumer.session_id == 0
    assert consumer.poll() == {0: 6, 1: 6}
    faulty.answer(produce_to(0, 1), BY_NAME)
    consumer.poll()
    consumer.poll()
    assert consumer.values == {0: [b"0a", b"0b", b"x"], 1: [b"1a", b"1b", b"x"]}


def test_sessions_that_ended_are_forgotten(faulty):
    consumer = Consumer(faulty)
    consumer.poll()
    faulty.answer(produce_to(0, 1), BY_NAME)
    faulty.fault("Fetch", "KAFKA_STORAGE_ERROR", topic="t", partition=1)
    consumer.poll()
    faulty.node.broker.fetch_sessions._drop(consumer.session_id)
    faulty.set()
    assert not faulty.dispatcher._fetches.withheld


def test_after_a_false_error_a_calm_partition_is_answered_again(faulty):
    consumer = Consumer(faulty)
    for _ in range(3):
        consumer.poll()
    assert consumer.poll() == {}
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1, after=True, times=1)
    assert consumer.poll() == {1: 6}
    assert consumer.poll() == {1: 0}
    assert consumer.poll() == {}


@pytest.mark.parametrize("after", [False, True])
def test_an_error_of_the_session_is_the_whole_answer(faulty, after):
    faulty.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1, after=after)
    answer = faulty.answer(fetch_all(session_id=12345, epoch=3), BY_NAME)
    assert (answer.error_code, codes(answer)) == (70, {})
