"""Answers that members wait for."""

from random import Random

from minikafka.common.environment import Environment
from minikafka.coordinator.pending import Pending


def test_first_answer_stays_and_wakes_who_waits():
    env = Environment(Random(1))
    pending = Pending(env)
    assert not pending.settled()
    pending.complete("first")
    pending.complete("second")
    assert pending.settled()
    assert pending.answer == "first"
    assert env.notified == [pending]


def test_answer_that_depends_on_a_write_looks_at_it(make_world):
    world = make_world(replicas=(1, 2))
    member = world.enter()[0].member_id
    syncing = world.sync(member, 1, {member: b"x"})
    assert not syncing.settled()
    world.replicate()
    assert syncing.settled()
