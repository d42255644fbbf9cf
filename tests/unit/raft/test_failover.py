"""Quorums of three voters in the simulated world: the leader ends, and another voter leads."""

from functools import partial

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
)
from minikafka.messages.remove_raft_voter import (
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from minikafka.raft.quorum_calls import QuorumCalls
from minikafka.raft.roles import RaftRole
from minikafka.raft.snapshots import snapshot_ids
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT, SimCluster, host
from minikafka.sim.world.world import World

# As in the configuration, in milliseconds.
ELECTION_MS, FETCH_MS = 1_000, 2_000
FAILOVER_MS = FETCH_MS + 4 * ELECTION_MS
"""The fetch time-out, and two rounds of pre-vote and vote, each up to two election time-outs."""


class Quorum(SimCluster):
    """Three controllers without brokers."""

    @classmethod
    def of_three(cls, *, dynamic=True, seed=1, given=None):
        quorum = cls(
            world=World(seed),
            brokers=0,
            separate_controller=True,
            voters=3,
            is_dynamic=dynamic,
            given=given or {},
        )
        quorum.start()
        quorum.agree()
        return quorum

    def raft(self, node_id):
        return self.nodes[node_id].node.raft

    def running(self):
        return [self.raft(each) for each in self.controller_ids if self.nodes[each].node]

    def leaders(self):
        return [raft.node_id for raft in self.running() if raft.is_leader]

    def is_active(self, node_id):
        node = self.nodes[node_id].node if node_id in self.nodes else None
        return node is not None and node.controller.is_active

    def agree(self, within_ms=FAILOVER_MS):
        """Wait until one active controller has the others, all that run, behind it; its id."""

        def agreed():
            (*_, latest) = sorted(self.running(), key=lambda raft: raft.epoch)
            return self.is_active(latest.leader_id) and all(
                (raft.epoch, raft.leader_id) == (latest.epoch, latest.leader_id)
                and raft.high_watermark == self.raft(latest.leader_id).end_offset
                for raft in self.running()
            )

        self.world.run_until(agreed, within_ms, "the voters agree on a leader")
        return self.controller_id

    def isolate(self, node_id):
        for each in self.controller_ids:
            if each != node_id:
                self.network.cut(host(each), host(node_id))

    def others(self, node_id):
        return [each for each in self.controller_ids if each != node_id]


@pytest.fixture(params=[False, True], ids=["static", "dynamic"])
def quorum(request):
    return Quorum.of_three(dynamic=request.param)


def test_a_leader_that_is_killed_is_replaced_and_follows_when_it_is_back(quorum):
    killed = quorum.controller_id
    epoch, end = quorum.raft(killed).epoch, quorum.raft(killed).high_watermark
    quorum.nodes[killed].kill()
    leader = quorum.agree()
    assert leader != killed
    assert quorum.raft(leader).epoch > epoch
    assert quorum.raft(leader).high_watermark > end
    quorum.nodes[killed].start()
    assert quorum.agree() == leader


def test_a_leader_that_is_killed_is_replaced_within_half_a_second(quorum):
    """Its address refuses connections: the others do not wait for the fetch time-out."""
    killed = quorum.controller_id
    quorum.nodes[killed].kill()
    assert quorum.agree(500) in quorum.others(killed)


def test_a_killed_leader_is_replaced_after_the_fetch_timeout_if_that_is_configured():
    quorum = Quorum.of_three(given={"stopped.node.detection.enable": "false"})
    killed = quorum.controller_id
    quorum.nodes[killed].kill()
    quorum.world.run(FETCH_MS - 600)
    assert all(raft.leader_id == killed for raft in quorum.running())


def test_a_leader_whose_address_refuses_one_voter_stays(quorum):
    """The pre-votes of that voter are refused: the other one still hears the leader."""
    leader = quorum.controller_id
    epoch = quorum.raft(leader).epoch
    voter, _ = quorum.others(leader)
    address = (host(leader), CONTROLLER_PORT)
    accept = quorum.network._listening[address]
    quorum.network.listen(
        address, lambda stream: None if stream.hosts[0] == host(voter) else accept(stream)
    )
    quorum.network.abort(host(voter), host(leader))
    quorum.world.run(4 * FETCH_MS)
    assert quorum.leaders() == [leader]
    assert quorum.raft(leader).epoch == epoch


def test_a_voter_that_alone_cannot_reach_the_leader_asks_less_and_less_often():
    """Each pre-vote is refused at once, by a majority that hears the leader."""
    quorum = Quorum(world=World(1), brokers=0, separate_controller=True, voters=5)
    quorum.start()
    leader = quorum.agree()
    voter = quorum.others(leader)[0]
    address = (host(leader), CONTROLLER_PORT)
    accept = quorum.network._listening[address]
    quorum.network.listen(
        address, lambda stream: None if stream.hosts[0] == host(voter) else accept(stream)
    )
    quorum.network.abort(host(voter), host(leader))
    roles = []
    raft = quorum.raft(voter)
    quorum.world.run(FETCH_MS)
    began_ms = quorum.world.now_ms
    while quorum.world.now_ms < began_ms + 10 * FETCH_MS:
        quorum.world.run(1)
        if not roles or roles[-1] is not raft.quorum.state.role:
            roles.append(raft.quorum.state.role)
    assert 1 <= roles.count(RaftRole.PROSPECTIVE) <= 10
    assert raft.epoch == quorum.raft(leader).epoch
    # Once it reaches the leader again, a stop of the leader is noticed as early as before.
    quorum.network.listen(address, accept)
    quorum.agree()
    quorum.nodes[leader].kill()
    assert quorum.agree(500) in quorum.others(leader)


def test_a_leader_that_stops_is_replaced_within_a_second(quorum):
    stopped = quorum.controller_id
    began_ms = quorum.world.now_ms
    quorum.nodes[stopped].shut_down()
    quorum.world.run_until(
        lambda: any(map(quorum.is_active, quorum.others(stopped))), 1_000, "another one leads"
    )
    assert quorum.world.now_ms - began_ms <= 1_000
    quorum.world.run_until(lambda: not quorum.nodes[stopped].alive, 1_000, "it has stopped")
    assert quorum.nodes[stopped].exit_code == 0


def test_two_of_three_go_on_and_one_alone_does_not(quorum):
    first = quorum.controller_id
    quorum.nodes[first].kill()
    second = quorum.agree()
    quorum.nodes[second].kill()
    (last,) = set(quorum.others(first)) - {second}
    quorum.world.run(30_000)
    assert quorum.leaders() == []
    assert not quorum.is_active(last)
    quorum.nodes[first].start()
    assert quorum.agree() in (first, last)


def describe(quorum, node_id):
    """The error of DescribeQuorum, which only the active controller answers."""
    client = quorum.client(f"client-of-{node_id}", node_id, CONTROLLER_PORT)
    topic = DescribeQuorumRequestTopicData(
        "__cluster_metadata", [DescribeQuorumRequestPartitionData(0)]
    )
    return client.ask(DescribeQuorumRequest(topics=[topic]), DescribeQuorumResponse).error_code


def test_a_leader_that_is_cut_off_resigns_and_its_controller_answers_no_more(quorum):
    isolated = quorum.controller_id
    assert describe(quorum, isolated) == ErrorCode.NONE
    quorum.isolate(isolated)
    quorum.world.run(FETCH_MS * 3 // 2 + 100)
    assert not quorum.raft(isolated).is_leader
    assert not quorum.is_active(isolated)
    assert describe(quorum, isolated) == ErrorCode.NOT_CONTROLLER
    quorum.world.run(FAILOVER_MS)
    (leader,) = quorum.leaders()
    assert leader != isolated
    quorum.network.heal_all()
    assert quorum.agree() == leader


def test_a_voter_that_was_cut_off_comes_back_without_a_new_epoch(quorum):
    leader = quorum.controller_id
    epoch = quorum.raft(leader).epoch
    isolated = quorum.others(leader)[0]
    quorum.isolate(isolated)
    quorum.world.run(60_000)
    assert quorum.raft(isolated).epoch == epoch
    assert quorum.leaders() == [leader]
    quorum.network.heal_all()
    assert quorum.agree() == leader
    assert quorum.raft(leader).epoch == epoch


def test_a_voter_that_falls_behind_asks_seldom_for_pre_votes_and_follows_again(quorum, monkeypatch):
    """redpanda#30815: it reaches a voter that hears the leader, which grants it nothing."""
    leader = quorum.controller_id
    behind = quorum.others(leader)[0]
    epoch = quorum.raft(leader).epoch
    asked = []

    def vote(calls, voter, election, **log):
        asked.append((calls.node_id, isinstance(election, int), log["end_offset"]))
        ask(calls, voter, election, **log)

    ask = QuorumCalls.vote
    monkeypatch.setattr(QuorumCalls, "vote", vote)
    quorum.network.cut(host(leader), host(behind))
    quorum.world.run(60_000)
    assert quorum.leaders() == [leader]
    assert quorum.raft(leader).epoch == quorum.raft(behind).epoch == epoch
    end = quorum.raft(behind).end_offset
    assert end < quorum.raft(leader).high_watermark
    assert set(asked) == {(behind, True, end)}
    # Each of two voters in each round: a round takes an election timeout at least.
    assert len(asked) <= 2 * 60_000 / ELECTION_MS
    quorum.network.heal_all()
    assert quorum.agree() == leader
    assert quorum.raft(leader).epoch == epoch


def test_a_voter_that_hears_the_leader_but_is_not_heard_disturbs_no_one(quorum):
    leader = quorum.controller_id
    epoch = quorum.raft(leader).epoch
    deaf = quorum.others(leader)[0]
    for each in quorum.others(deaf):
        quorum.network.cut(host(deaf), host(each), both=False)
    quorum.world.run(30_000)
    assert quorum.leaders() == [leader]
    assert quorum.raft(leader).epoch == epoch


def test_all_voters_that_lose_power_elect_again_and_keep_what_was_committed(quorum):
    leader = quorum.controller_id
    epoch, committed = quorum.raft(leader).epoch, quorum.raft(leader).high_watermark
    for each in quorum.controller_ids:
        quorum.nodes[each].lose_power()
    for each in quorum.controller_ids:
        quorum.nodes[each].start()
    leader = quorum.agree()
    assert quorum.raft(leader).epoch > epoch
    assert quorum.raft(leader).high_watermark > committed


def test_a_voter_that_was_away_loads_a_snapshot_of_the_leader():
    given = {
        "metadata.log.max.record.bytes.between.snapshots": "2000",
        "metadata.max.idle.interval.ms": "50",
        "metadata.max.retention.bytes": "2000",
    }
    quorum = Quorum.of_three(given=given)
    leader = quorum.controller_id
    away = quorum.others(leader)[0]
    quorum.nodes[away].kill()
    (disk,) = quorum.nodes[away].disks.values()
    quorum.world.run_until(
        lambda: quorum.raft(leader).log.start_offset > 0, 600_000, "the leader's log was cut"
    )
    start = quorum.raft(leader).log.start_offset
    quorum.nodes[away].start()
    quorum.world.run_until(
        lambda: quorum.raft(away).log.start_offset >= start, 20_000, "the snapshot is loaded"
    )
    assert snapshot_ids(disk, METADATA_FOLDER)[-1].end_offset >= start
    assert quorum.raft(away).voters.ids == quorum.controller_ids
    assert quorum.nodes[away].node.loader.image.offset >= start - 1


def test_a_new_disk_of_a_voter_is_filled_from_the_others():
    """A static voter keeps its place with another directory."""
    quorum = Quorum.of_three(dynamic=False)
    leader = quorum.controller_id
    replaced, other = quorum.others(leader)
    quorum.nodes[replaced].kill()
    (disk,) = quorum.nodes[replaced].disks.values()
    for name in disk.list(METADATA_FOLDER):
        disk.remove(f"{METADATA_FOLDER}/{name}")
    quorum.nodes[replaced].start()
    quorum.nodes[other].kill()
    assert quorum.agree() == leader
    assert quorum.raft(replaced).high_watermark == quorum.raft(leader).high_watermark


def remove(quorum, node_id):
    """Ask the active controller to remove a voter; the error code."""
    leader = quorum.controller_id
    client = quorum.client(f"remove-{node_id}", leader, CONTROLLER_PORT)
    request = RemoveRaftVoterRequest(quorum.cluster_id, node_id, quorum.directory_ids[node_id])
    return client.ask(request, RemoveRaftVoterResponse).error_code


def test_active_controllers_that_remove_themselves_go_on_as_observers():
    """KAFKA-17608, twice: until one voter is left."""
    quorum = Quorum.of_three()
    removed = []
    for _ in range(2):
        leader = quorum.controller_id
        assert remove(quorum, leader) == ErrorCode.NONE
        removed.append(leader)
        quorum.world.run_until(
            lambda: any(map(quorum.is_active, set(quorum.controller_ids) - set(removed))),
            FAILOVER_MS,
            "another one leads",
        )
        quorum.agree()
        assert quorum.raft(quorum.controller_id).voters.ids == [
            each for each in quorum.controller_ids if each not in removed
        ]
    assert all(node.alive for node in quorum.nodes.values())


@pytest.mark.parametrize("is_stopped_first", [False, True])
def test_with_auto_join_a_removed_controller_stays_away_if_it_was_stopped_first(is_stopped_first):
    """KAFKA-19850, as docs/operations.md says."""
    quorum = Quorum.of_three(given={"controller.quorum.auto.join.enable": "true"})
    removed = quorum.others(quorum.controller_id)[0]
    if is_stopped_first:
        quorum.nodes[removed].shut_down()
        quorum.world.run_until(lambda: not quorum.nodes[removed].alive, 10_000, "it has stopped")
    assert remove(quorum, removed) == ErrorCode.NONE
    quorum.world.run(30_000)
    assert (removed in quorum.raft(quorum.controller_id).voters.ids) is not is_stopped_first


def with_brokers(seed):
    quorum = Quorum(
        world=World(seed), brokers=3, separate_controller=True, voters=3, is_dynamic=True
    )
    quorum.start()
    return quorum


def next_leader(quorum, former):
    others = quorum.others(former)
    quorum.world.run_until(
        lambda: any(map(quorum.is_active, others)), FAILOVER_MS, "another one leads"
    )
    return next(filter(quorum.is_active, others))


def follow(quorum, first):
    """True if every broker has the record at offset `first`, committed."""
    return all(quorum.raft(each).high_watermark > first for each in quorum.broker_ids)


@pytest.mark.parametrize("is_cut_off", [False, True], ids=["killed", "cut off from voters"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_observers_follow_each_new_leader_within_a_second(seed, is_cut_off):
    """KAFKA-20514: they do not go on asking the former leader."""
    quorum = with_brokers(seed)
    for _ in range(3):
        former, began_ms = quorum.controller_id, quorum.world.now_ms
        if is_cut_off:
            for each in quorum.others(former):
                quorum.network.cut(host(each), host(former))
        else:
            quorum.nodes[former].kill()
        leader = next_leader(quorum, former)
        # A leader that is cut off answers observers until it resigns.
        resigns_ms = began_ms + FETCH_MS * 3 // 2 if is_cut_off else 0
        quorum.world.run_until(
            partial(follow, quorum, quorum.raft(leader).epoch_start_offset),
            max(resigns_ms - quorum.world.now_ms, 0) + 1_000,
            "every broker has the new leader's first record",
        )
        if is_cut_off:
            quorum.network.heal_all()
        else:
            quorum.nodes[former].start()
        quorum.world.run(5_000)
