import json
from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.disk import read_file, write_file
from minikafka.raft.election_state import (
    ElectionState,
    read_election_state,
    write_election_state,
)
from minikafka.sim.world.sim_disk import SimDisk

PATH = "m/quorum-state"
STATE = ElectionState(epoch=4, leader_id=2, voted_id=3, voted_directory_id=Uuid.of(1, 1))


@pytest.fixture
def disk():
    disk = SimDisk()
    disk.make_dir("m")
    return disk


def test_a_new_node_knows_no_epoch(disk):
    assert read_election_state(disk, "m") == ElectionState(0, -1, -1)


def test_version_0_is_kafkas_file_of_a_static_quorum(disk):
    write_election_state(disk, "m", STATE, kraft_version=0, voters=[1, 2])
    assert json.loads(read_file(disk, PATH)) == {
        "clusterId": "",
        "leaderId": 2,
        "leaderEpoch": 4,
        "votedId": 3,
        "appliedOffset": 0,
        "currentVoters": [{"voterId": 1}, {"voterId": 2}],
        "data_version": 0,
    }
    assert read_election_state(disk, "m")[:3] == STATE[:3]


def test_version_1_is_kafkas_file_of_a_dynamic_quorum(disk):
    write_election_state(disk, "m", ElectionState(1, 1), kraft_version=1, voters=[1])
    expected = (
        '{"leaderId":1,"leaderEpoch":1,"votedId":-1,'
        '"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
    )
    assert read_file(disk, PATH) == expected.encode()


def test_version_1_keeps_the_directory_that_was_voted_for(disk):
    write_election_state(disk, "m", STATE, kraft_version=1, voters=[])
    assert read_election_state(disk, "m") == STATE


def test_it_survives_a_power_loss(disk):
    from random import Random

    disk.sync_dir("")
    write_election_state(disk, "m", STATE, kraft_version=1, voters=[])
    disk.lose_power(Random(1))
    assert read_election_state(disk, "m") == STATE


NO_INT32 = b'{"leaderId":1,"leaderEpoch":2147483648,"votedId":-1,"data_version":1}'


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b'{"leaderId":1}', b'{"leaderEpoch":"x"}', NO_INT32, b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_understood_is_a_fault(disk, content):
    write_file(disk, PATH, content, sync=True)
    with pytest.raises(StorageFault, match="quorum-state"):
        read_election_state(disk, "m")


def test_the_first_vote_outlives_a_power_failure_although_its_folder_is_new(disk):
    """A static quorum has no folder before its first start."""
    write_election_state(disk, "m", STATE, kraft_version=1, voters=[])
    disk.lose_power(Random(1))
    assert read_election_state(disk, "m") == STATE
