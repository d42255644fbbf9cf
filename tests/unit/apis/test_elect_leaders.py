"""ElectLeaders as handlers: what is decided at once, and what waits for replicas."""

from types import SimpleNamespace

import pytest

from minikafka.apis.elect_leaders import elect_leaders
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode, InvalidRequestError, NotControllerError
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.node.purgatory import Purgatory
from tests.worlds.recovery_world import lost_world


class Handled:
    """A handler, run as the dispatcher runs it."""

    def __init__(self, world, kind, *, timeout_ms=60_000, version=3):
        self.world = world
        self.purgatory = Purgatory(world.env)
        self.response = self.error = None
        context = SimpleNamespace(
            version=version,
            authorizer=None,
            services=SimpleNamespace(controller=world.controller),
            deadline_ms=lambda timeout: world.env.clock.monotonic_ms + timeout,
        )
        request = ElectLeadersRequest(
            election_type=kind,
            topic_partitions=[TopicPartitions(topic="t", partitions=[0])],
            timeout_ms=timeout_ms,
        )
        self.steps = elect_leaders(context, request)
        self.go_on(None)

    def go_on(self, value):
        try:
            wanted = self.steps.send(value)
        except StopIteration as stop:
            self.response = stop.value
        except NotControllerError as error:
            self.error = error
        else:
            self.purgatory.park(wanted.keys, wanted.settled, wanted.deadline_ms, self.go_on)

    def run(self, for_ms=0):
        self.world.talk(for_ms)
        self.purgatory.drain()
        self.world.talk()
        self.purgatory.drain()

    @property
    def code(self):
        ((row,),) = (x.partition_result for x in self.response.replica_election_results)
        return row.error_code


@pytest.fixture
def world():
    world = lost_world(manager=False)
    world.come_back(3)
    return world


def test_the_answer_comes_when_the_longest_log_is_elected(world):
    handled = Handled(world, ElectionType.LONGEST_LOG_AGGRESSIVE)
    handled.run(4999)
    assert handled.response is None
    handled.run(1)
    assert handled.code == 0
    assert world.leader == 3


def test_at_the_requests_timeout_the_answer_is_that_it_timed_out(world):
    handled = Handled(world, ElectionType.LONGEST_LOG_AGGRESSIVE, timeout_ms=3000)
    handled.run(3000)
    assert handled.code == ErrorCode.REQUEST_TIMED_OUT
    world.talk(60_000)
    assert world.leader == -1


def test_an_unclean_election_is_answered_when_it_is_committed(world):
    handled = Handled(world, ElectionType.UNCLEAN)
    assert handled.response is None
    handled.run()
    assert handled.code == 0
    assert world.leader == 3


def test_who_loses_the_leadership_says_so(world):
    handled = Handled(world, ElectionType.LONGEST_LOG_AGGRESSIVE)
    world.controller.renounce()
    handled.run()
    assert handled.response is None
    assert isinstance(handled.error, NotControllerError)


@pytest.mark.parametrize("version", [1, 2])
def test_the_longest_log_needs_version_3(world, version):
    with pytest.raises(InvalidRequestError):
        Handled(world, ElectionType.LONGEST_LOG_AGGRESSIVE, version=version)


def test_a_preferred_election_of_older_versions_is_served(world):
    handled = Handled(world, ElectionType.PREFERRED, version=0)
    handled.run()
    assert handled.code == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
