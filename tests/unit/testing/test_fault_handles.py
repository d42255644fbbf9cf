"""Handles on faults: their lines in reports, what each node gets of them, and the end of a block."""

import pytest

from minikafka.testing.errors import ClusterError
from minikafka.testing.fault_handles import (
    NO_FAULTS,
    AnswerFaultHandle,
    ClockFaultHandle,
    DiskFaultHandle,
    LinkFaultHandle,
    NodeFaults,
)


class Owner:
    """A cluster that cannot remove a fault."""

    def remove(self, fault):
        raise ClusterError(f"{fault}: not removed")


def on_nodes(*faults):
    """What three nodes get of faults."""
    nodes = {node: NodeFaults() for node in (1, 2, 3)}
    for fault in faults:
        fault.add_to(nodes)
    return nodes


def test_the_end_of_a_block_hides_no_error():
    fault = ClockFaultHandle(Owner(), 1, 0, 2.0)
    with pytest.raises(RuntimeError, match="of the block"), fault:
        raise RuntimeError("of the block")
    why = "clock of node 1: offset 0 ms, rate 2: not removed"
    with pytest.raises(ClusterError, match=why), fault:
        pass


def test_links_are_cut_at_both_ends():
    nodes = on_nodes(
        LinkFaultHandle(Owner(), [[1], [2, 3]]),
        LinkFaultHandle(Owner(), [[2], [3]], 50),
        LinkFaultHandle(Owner(), [[3], [2]], 70),
    )
    assert nodes[1].commands()["links"] == {"cut": [2, 3], "slow_ms": {}}
    assert nodes[2].commands()["links"] == {"cut": [1], "slow_ms": {"3": 70}}
    assert nodes[3].commands()["links"] == {"cut": [1], "slow_ms": {"2": 70}}


def test_the_last_clock_and_the_last_slow_disk_of_a_node_count():
    nodes = on_nodes(
        ClockFaultHandle(Owner(), 1, 5, 1.0),
        ClockFaultHandle(Owner(), 1, 0, 1.5),
        DiskFaultHandle(Owner(), [1, 2], 5),
        DiskFaultHandle(Owner(), [2], 7),
        DiskFaultHandle(Owner(), [3]),
    )
    assert nodes[1].commands()["clock"] == {"offset_ms": 0, "rate": 1.5}
    assert [nodes[node].sync_ms for node in nodes] == [5, 7, 0]
    assert [nodes[node].is_disk_full for node in nodes] == [False, False, True]
    assert nodes[3].commands() == NO_FAULTS


def test_a_fault_of_answers_counts_in_its_file(tmp_path):
    counter = tmp_path / "counter"
    found = {"api": "Produce", "kind": "error", "error": "NONE_YET", "after": True, "id": "x"}
    fault = AnswerFaultHandle(Owner(), found, [1, 3], counter)
    assert str(fault) == "Produce NONE_YET after=True at nodes 1, 3: 0 hits"
    counter.write_text("  9  1\n")
    assert str(fault).endswith("1 hit")
    nodes = on_nodes(fault)
    assert [len(nodes[node].answers) for node in nodes] == [1, 0, 1]
    fault.ended()
    assert (fault.hits, counter.exists()) == (1, False)
