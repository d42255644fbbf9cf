"""A fault hits the calls that it names, and counts each hit once."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.faults.matching import (
    CLIENT,
    MAX_FAULTS,
    ActiveFault,
    FaultSet,
    asker_of,
    named_topic,
)
from minikafka.faults.vocabulary import AnswerFault, FaultError
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.messages.fetch import FetchRequest, ReplicaState
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.list_offsets import ListOffsetsRequest
from minikafka.metadata.image import MetadataImage, TopicImage

ID = Uuid.of(1, 2)
OTHER = Uuid.of(1, 3)
IMAGE = MetadataImage(topics={ID: TopicImage("t", ID, {})}, topic_ids={"t": ID})


def active(**given):
    given.setdefault("api", "Fetch")
    given.setdefault("kind", "drop")
    return ActiveFault(AnswerFault(**given), IMAGE)


def test_a_call_matches_by_version_and_client():
    fault = active(versions=(5, 9), client_id="c")
    calls = [(4, "c"), (5, "c"), (9, "c"), (10, "c"), (5, "d"), (5, None)]
    matches = [fault.matches_call("broker", *call, CLIENT) for call in calls]
    assert matches == [False, True, True, False, False, False]


def test_nodes_are_hit_only_by_their_number():
    for fault, hit in ((active(), CLIENT), (active(broker_id=2), 2), (active(broker_id=0), 0)):
        askers = (CLIENT, 0, 1, 2)
        assert [x for x in askers if fault.matches_call("broker", 1, "c", x)] == [hit]
    of_controller = active(api="BrokerHeartbeat")
    assert of_controller.matches_call("controller", 1, "c", 3)
    assert not of_controller.matches_call("broker", 1, "c", 3)
    assert not active(api="BrokerHeartbeat", broker_id=2).matches_call("controller", 1, "c", 3)


@pytest.mark.parametrize("topic", ["t", str(ID)])
def test_a_topic_is_named_by_name_or_id(topic):
    fault = active(topic=topic, partition=1)
    asked = [("t", ZERO_UUID), ("", ID), ("u", ZERO_UUID), ("", OTHER)]
    named = [fault.matches_topic(*named_topic(IMAGE, *each), 1) for each in asked]
    assert named == [True, True, False, False]
    assert not fault.matches_topic("t", ID, 0)
    assert fault.matches_topic("t", ID, None)
    assert active().matches_topic("any", OTHER, 3)


def test_the_node_that_asks_is_in_the_request():
    assert asker_of(HeartbeatRequest("g")) == CLIENT
    assert asker_of(ListOffsetsRequest(replica_id=-1)) == CLIENT
    assert asker_of(FetchRequest(replica_id=3)) == 3
    assert asker_of(FetchRequest(replica_state=ReplicaState(4, 1))) == 4
    assert asker_of(BrokerHeartbeatRequest(broker_id=5)) == 5


def hits(fault, calls=10):
    return [call for call in range(1, calls + 1) if fault.fires()]


def test_which_calls_are_hit():
    assert hits(active()) == list(range(1, 11))
    assert hits(active(times=2)) == [1, 2]
    assert hits(active(nth=3)) == [3]
    assert hits(active(nth=3, times=2)) == [3, 4]


@given(
    nth=st.none() | st.integers(1, 8),
    times=st.none() | st.integers(1, 8),
    probability=st.sampled_from([0.1, 0.5, 1.0]),
    seed=st.integers(0, 50),
    calls=st.integers(0, 30),
)
def test_hits_are_exact_and_repeat_with_the_seed(nth, times, probability, seed, calls):
    options = {"nth": nth, "times": times, "probability": probability, "seed": seed}
    fault, again = active(**options), active(**options)
    hit = hits(fault, calls)
    assert hit == hits(again, calls)
    assert fault.hits == len(hit)
    assert fault.counter.calls == calls
    most = fault.fault.times
    expected = []
    for call in range(nth or 1, calls + 1):
        if most is not None and len(expected) >= most:
            break
        if probability == 1 or Random(f"{seed} {call}").random() < probability:
            expected.append(call)
    assert hit == expected


def test_a_fault_that_stays_keeps_its_counts_and_another_is_removed():
    faults, notified = FaultSet(), []
    first = AnswerFault(api="Fetch", kind="drop", id="a")
    second = AnswerFault(api="Produce", kind="drop", id="b")
    faults.replace([first, second], IMAGE, notified.append)
    kept, removed = faults.active
    assert kept.fires()
    faults.replace([first], IMAGE, notified.append)
    assert faults.hits() == {"a": 1}
    assert faults.active == (kept,)
    assert faults.by_api == {1: (kept,)}
    assert (kept.is_removed, removed.is_removed) == (False, True)
    assert notified == [removed.key]


def test_too_many_faults_or_one_id_twice_are_refused_as_a_whole():
    faults = FaultSet()
    one = AnswerFault(api="Fetch", kind="drop", id="a")
    faults.replace([one], IMAGE, lambda _: None)
    with pytest.raises(FaultError, match="two faults have the id 'a'"):
        faults.replace([one, AnswerFault(api="Produce", kind="drop", id="a")], IMAGE, print)
    many = [AnswerFault(api="Fetch", kind="drop", id=str(n)) for n in range(MAX_FAULTS + 1)]
    with pytest.raises(FaultError, match="at most 1000 faults can be set, not 1001"):
        faults.replace(many, IMAGE, print)
    assert faults.hits() == {"a": 0}
