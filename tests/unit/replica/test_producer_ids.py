"""Producer ids come out of blocks; the next block is asked for before the last is used up."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.allocate_producer_ids import AllocateProducerIdsResponse
from minikafka.replica.producer_ids import ProducerIds
from tests.worlds.broker_view import local_broker
from tests.worlds.wire_world import Wire


class World(Wire):
    def __init__(self):
        super().__init__()
        self.ids = ProducerIds(self.env, self.controller_channel(), local_broker(self, epoch=10))

    def give(self, sent, start, size=10):
        self.answer(
            sent, AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=size)
        )


@pytest.fixture
def world():
    return World()


@pytest.fixture
def stocked(world):
    assert not world.ids.available
    world.give(world.one(), 1000)
    assert world.ids.available
    return world


def test_first_use_asks_for_a_block_once(world):
    assert not world.ids.available
    assert not world.ids.available
    sent = world.one()
    assert (sent.body.broker_id, sent.body.broker_epoch) == (1, 10)


def test_block_that_comes_wakes_who_waits(world):
    assert not world.ids.available
    world.give(world.one(), 1000)
    assert world.env.notified == [world.ids.arrived]
    assert world.ids.available
    assert world.ids.take() == 1000


def test_ids_rise_through_a_block_and_go_on_in_the_next(stocked):
    ids = stocked.ids
    taken = [ids.take() for _ in range(10)]
    assert not ids.available
    stocked.give(stocked.one(), 5000)
    assert ids.available
    taken += [ids.take() for _ in range(2)]
    assert taken == [*range(1000, 1010), 5000, 5001]


def test_next_block_is_asked_for_when_the_last_tenth_begins(stocked):
    ids = stocked.ids
    for _ in range(9):
        ids.take()
    assert stocked.sent() == []
    ids.take()
    assert len(stocked.sent()) == 1


def test_block_that_came_early_is_kept_for_later(world):
    assert not world.ids.available
    world.give(world.one(), 0, 100)
    assert world.ids.available
    for _ in range(91):
        world.ids.take()
    world.give(world.one(), 500, 100)
    assert [world.ids.take() for _ in range(9)] == list(range(91, 100))
    assert world.ids.available
    assert world.ids.take() == 500
    assert world.sent() == []


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, 3000])
def test_refused_request_is_repeated_while_nothing_is_left(world, code):
    assert not world.ids.available
    world.answer(world.one(), AllocateProducerIdsResponse(error_code=code))
    assert world.sent(49) == []
    world.give(world.one(1), 7)
    assert world.ids.available


def test_controller_that_does_not_answer_is_asked_again(world):
    assert not world.ids.available
    world.one()
    world.sent(1100)
    assert world.env.notified == []
    assert len(world.sent(2000)) >= 1
