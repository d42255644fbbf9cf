"""A producer's retry reaches a leader that replicated the batch as a follower."""

import pytest

from tests.worlds.sim_world import (
    batch,
    create_topic,
    fetch,
    leader_client,
    produce_records,
    registration,
    replica,
    started_cluster,
    values_of,
)

PRODUCER_ID = 77
KEPT = 5
"""The batches of a producer that a broker can tell from new ones."""


def sent(number):
    """A batch of two records; the sequence of its first one is 2 * `number`."""
    values = (b"%d" % (2 * number), b"%d" % (2 * number + 1))
    return batch(*values, producer_id=PRODUCER_ID, producer_epoch=0, base_sequence=2 * number)


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_retry_after_a_failover_appends_nothing(is_clean):
    """The next leader answers with the offsets of the first attempt, and the producer goes on."""
    cluster = started_cluster(3, separate_controller=True, given={"min.insync.replicas": "2"})
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    for number in range(KEPT + 1):
        produce_records(leader_client(cluster, "t"), "t", sent(number))
    if is_clean:
        cluster.nodes[1].shut_down()
    else:
        cluster.nodes[1].kill()
    cluster.world.run_until(
        lambda: registration(cluster, "t").leader in (2, 3), 60_000, "another broker leads"
    )
    leader = registration(cluster, "t").leader
    cluster.world.run(1_000)
    for number in (*range(1, KEPT + 1), *reversed(range(1, KEPT + 1))):
        again = produce_records(leader_client(cluster, "t"), "t", sent(number))
        assert again.base_offset == 2 * number
    log = replica(cluster, leader, "t").log
    assert log.log_end_offset == 2 * (KEPT + 1)
    following = produce_records(leader_client(cluster, "t"), "t", sent(KEPT + 1))
    assert following.base_offset == 2 * (KEPT + 1)
    everything = fetch(leader_client(cluster, "t"), "t")
    assert [int(value) for value in values_of(everything)] == list(range(2 * (KEPT + 2)))
