"""E11: reassignments that only min.insync.replicas held up."""

import pytest

from minikafka.controller import reassignments
from minikafka.messages import alter_partition_reassignments as messages
from minikafka.metadata.image import RESOURCE_BROKER

MIN_ISR = "min.insync.replicas"


@pytest.fixture
def brokers(cluster):
    cluster.join(4)
    return cluster


def block(world, name="t", partitions=1, **configs):
    """Give a topic replica 4 in place of 3 while 2 is gone: two are in sync, three are needed."""
    world.create(name, assignment=((1, 2, 3),) * partitions, configs=configs.get("configs"))
    for index in range(partitions):
        world.propose(1, [1, 3], name, index)
        reassign(world, [1, 2, 4], name, index)
        world.propose(1, [1, 3, 4], name, index)
        assert world.partition(name, index).is_reassigning


def reassign(world, replicas, name="t", index=0):
    row = messages.ReassignablePartition(index, replicas)
    request = messages.AlterPartitionReassignmentsRequest(
        topics=[messages.ReassignableTopic(name, [row])]
    )
    world.apply(world.controller.decide(reassignments.alter_partition_reassignments, request))


def shape(world, name="t", index=0):
    now = world.partition(name, index)
    return now.replicas, now.adding_replicas, now.removing_replicas, now.isr


DONE = ((1, 2, 4), (), (), (1, 4))


def test_every_partition_completes_when_the_topics_minimum_is_lowered_e11(brokers):
    block(brokers, partitions=2, configs={MIN_ISR: "3"})
    brokers.set_config("t", MIN_ISR, "2")
    assert [shape(brokers, index=index) for index in (0, 1)] == [DONE, DONE]


def test_nothing_is_left_of_the_elr_that_the_same_change_clears_e10_e11(brokers):
    block(brokers, configs={MIN_ISR: "3"})
    brokers.propose(1, [1, 3])
    brokers.propose(1, [1, 3, 4])
    brokers.set_config("t", MIN_ISR, "2")
    now = brokers.partition()
    assert (shape(brokers), now.elr, now.last_known_elr) == (DONE, (), ())


def test_a_minimum_that_is_still_too_high_changes_nothing_e11(brokers):
    block(brokers, configs={MIN_ISR: "4"})
    before = shape(brokers)
    brokers.set_config("t", MIN_ISR, "3")
    assert shape(brokers) == before


def test_removing_a_topics_minimum_counts_as_lowering_it_e11(brokers):
    block(brokers, configs={MIN_ISR: "3"})
    brokers.set_config("t", MIN_ISR, None, operation=1)
    assert shape(brokers) == DONE


def test_the_clusters_minimum_completes_topics_without_one_of_their_own_e11(brokers):
    brokers.set_config("", MIN_ISR, "3", RESOURCE_BROKER)
    block(brokers, "own", configs={MIN_ISR: "3"})
    block(brokers, "none")
    brokers.set_config("", MIN_ISR, "2", RESOURCE_BROKER)
    assert brokers.partition("own").is_reassigning
    assert shape(brokers, "none") == DONE


def test_a_reassignment_that_only_adds_completes_too_e11(brokers):
    brokers.create(assignment=((1, 2, 3),), configs={MIN_ISR: "4"})
    brokers.propose(1, [1])
    reassign(brokers, [1, 2, 3, 4])
    brokers.propose(1, [1, 4])
    brokers.set_config("t", MIN_ISR, "2")
    assert shape(brokers) == ((1, 2, 3, 4), (), (), (1, 4))


def test_other_keys_leave_reassignments_alone(brokers):
    block(brokers, configs={MIN_ISR: "3"})
    before = brokers.partition()
    assert len(brokers.set_config("t", "retention.ms", "1")[0]) == 1
    assert brokers.partition() == before


def test_what_still_lacks_an_added_replica_does_not_complete_e11(brokers):
    brokers.create(assignment=((1, 2, 3),), configs={MIN_ISR: "3"})
    reassign(brokers, [1, 2, 4])
    brokers.set_config("t", MIN_ISR, "1")
    assert shape(brokers) == ((1, 2, 4, 3), (4,), (3,), (1, 2, 3))
