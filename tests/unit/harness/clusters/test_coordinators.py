from minikafka.coordinator.partitioning import partition_of
from minikafka.harness.clusters.coordinators import coordinator_changes

IDS = ("a", "b")
FIRST, SECOND = (partition_of(each, 50) for each in IDS)


def change(at_ms, partition, leader):
    return {"at_ms": at_ms, "event": "partition_changed", "partition": partition, "leader": leader}


def test_the_coordinator_is_the_leader_of_the_id_s_partition():
    """Changes of the ISR alone, and of other partitions, are no changes of a coordinator."""
    created = [change(1, partition, partition % 3 + 1) for partition in range(50)]
    other = next(number for number in range(50) if number not in {FIRST, SECOND})
    moves = [
        change(5, FIRST, None), change(6, other, 9), change(7, FIRST, 3), change(8, FIRST, 3),
    ]  # fmt: skip
    found = coordinator_changes([*created, *moves], IDS)
    by_id = {
        each: [(it["at_ms"], it["leader"]) for it in found if it["id"] == each] for each in IDS
    }
    assert by_id == {
        "a": [(1, FIRST % 3 + 1), (5, None), (7, 3)],
        "b": [(1, SECOND % 3 + 1)],
    }
    assert {each["event"] for each in found} == {"coordinator"}


def test_a_cluster_without_transactions_has_no_coordinators():
    assert coordinator_changes([], IDS) == []
