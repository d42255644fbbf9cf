"""Any majority of the voters leads, whichever of them start for the first time.

A voter of a dynamic quorum has its directory id: a replaced disk is not that voter. So one that has
never started has nothing to forget, and its vote counts at once.
"""

from itertools import chain, combinations
from random import Random

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import World

LEADER_MS = 20_000
"""Several fetch and election time-outs."""


def subsets(ids):
    return chain.from_iterable(combinations(ids, size) for size in range(len(ids) + 1))


def orders(voters):
    """Each (started first, then killed, then started for the first time) that leaves a majority.

    Which of them leads is drawn, so ids alone make no other case.
    """
    ids, majority = range(voters), voters // 2 + 1
    for first in (ids[:size] for size in range(majority, voters)):
        for killed in subsets(first):
            for new in subsets(ids[len(first) :]):
                if new and len(first) - len(killed) + len(new) >= majority:
                    yield tuple(first), killed, new


class Voters(SimCluster):
    """Controllers without brokers, none of which has started."""

    @classmethod
    def of(cls, count, seed=1):
        return cls(
            world=World(seed), brokers=0, separate_controller=True, voters=count, is_dynamic=True
        )

    def machine(self, index):
        return self.nodes[self.controller_ids[index]]

    def running(self):
        return [node.node for node in self.nodes.values() if node.node is not None]

    def leader(self):
        """The active controller, once all that run have what it has committed; or None."""
        for node in self.running():
            if node.controller.is_active and all(
                other.raft.high_watermark == node.raft.end_offset for other in self.running()
            ):
                return node
        return None

    def agree(self):
        self.world.run_until(self.leader, LEADER_MS, "a majority of the voters has a leader")
        return self.leader().raft.high_watermark


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("first", "killed", "new"), [*orders(3), *orders(5)])
def test_a_majority_with_voters_that_start_for_the_first_time_leads(first, killed, new, seed):
    voters = Voters.of(5 if len(first) > 2 else 3, seed)
    for index in first:
        voters.machine(index).start()
    committed = voters.agree()
    for index in killed:
        voters.machine(index).kill()
    for index in new:
        voters.machine(index).start()
    assert voters.agree() >= committed


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [3, 5])
def test_voters_start_and_end_in_any_order(count, seed):
    voters, rng, committed = Voters.of(count, seed), Random(seed), 0
    for _ in range(12):
        machine = voters.machine(rng.randrange(count))
        if machine.alive:
            rng.choice([machine.kill, machine.lose_power])()
        else:
            machine.start()
        voters.world.run(rng.randrange(3_000))
        if len(voters.running()) > count // 2:
            now = voters.agree()
            assert now >= committed
            committed = now


@pytest.mark.parametrize("loses_power", [False, True])
def test_a_first_start_that_is_cut_short_is_one_again(loses_power):
    """The next process finds what the first had made durable."""
    voters = Voters.of(3)
    voters.machine(2).start()
    machine = voters.machine(2)
    machine.lose_power() if loses_power else machine.kill()
    voters.machine(0).start()
    voters.machine(1).start()
    voters.agree()
    voters.machine(0 if voters.machine(0).node.raft.is_leader else 1).kill()
    machine.start()
    voters.agree()


def test_a_voter_that_lost_its_vote_is_not_a_new_one():
    voters = Voters.of(3)
    for index in (0, 1):
        voters.machine(index).start()
    voters.agree()
    disk = voters.machine(0).disks[voters.machine(0).config.metadata_log_dir]
    voters.machine(0).kill()
    disk.remove(f"{METADATA_FOLDER}/{QUORUM_STATE}")
    voters.machine(0).start()
    assert not voters.machine(0).node.raft.quorum.may_be_candidate
