"""The judgement of clients of a compacted topic: passes that missed an update of a key."""

import pytest

from minikafka.history.operations import Written
from minikafka.sim.drive.compacted_workload import WHERE, CompactedWorkload, ReadPass
from minikafka.sim.drive.drawing import draw

OFFSETS = {16: 3, 20: 15, 24: 18}
"""The offsets of a writer's records with the key k1-0, by number; that of 20 is a tombstone."""


@pytest.mark.parametrize(
    ("wanted", "is_stale", "count"), [(15, True, 0), (15, False, 1), (18, True, 1)]
)
def test_only_a_missed_tombstone_is_excused(wanted, is_stale, count):
    plan = draw(1, 10_000).changed(delete_retention_ms=10_000)
    workload = CompactedWorkload(plan, None, None)
    for number, offset in OFFSETS.items():
        workload.history.wrote(WHERE, Written(b"k1-0-%d" % number, -1, 0, offset))
    workload.passes.append(
        ReadPass(0, took_ms=1, end_offset=20, seen={"k1-0": 3}, wanted={"k1-0": wanted})
    )
    found = list(workload._stale_passes(lambda _: is_stale))
    assert len(found) == count
