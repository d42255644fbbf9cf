from random import Random

import pytest

from minikafka.common.errors import NotControllerError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.election_state import ElectionState, write_election_state
from minikafka.raft.roles import RaftRole
from tests.worlds.quorum_world import CONTROLLER_ID, QuorumWorld, formatted_disk, quorum_state_file


def test_a_static_quorum_keeps_the_older_state_file_and_logs_no_voters():
    world = QuorumWorld.started(formatted_disk(dynamic=False), static=True)
    assert quorum_state_file(world.disk)["data_version"] == 0
    assert quorum_state_file(world.disk)["currentVoters"] == [{"voterId": CONTROLLER_ID}]
    assert [kind for kind, _ in world.batches[0].control] == [2]


def test_voters_are_logged_once():
    world = QuorumWorld.started()
    assert [kind for kind, _ in world.batches[0].control] == [2, 5, 6]
    again = QuorumWorld.started(world.disk)
    (control,) = (x.control for x in again.batches if x.control and x.epoch == 2)
    assert [kind for kind, _ in control] == [2]
    assert again.raft.voters == world.raft.voters
    assert again.raft.kraft_version == 1


@pytest.mark.parametrize("remembered", [0, 7])
def test_the_epoch_never_goes_back(remembered):
    world = QuorumWorld.started()
    assert world.raft.log.last_epoch == 1
    write_election_state(
        world.disk, METADATA_FOLDER, ElectionState(remembered), kraft_version=1, voters=[]
    )
    again = QuorumWorld(world.disk)
    again.raft.start(again)
    assert again.raft.epoch == max(remembered, 1) + 1


@pytest.mark.parametrize("seed", range(10))
def test_an_epoch_that_a_start_has_read_survives_a_power_loss(monkeypatch, seed):
    """Seed 81000091: the process before was killed just before it made the file durable."""
    world = QuorumWorld.started()

    def killed(_path):
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(world.disk, "sync_dir", killed)
        with pytest.raises(InterruptedError):
            write_election_state(
                world.disk, METADATA_FOLDER, ElectionState(7), kraft_version=1, voters=[]
            )
    world.disk.crash()
    again = QuorumWorld(world.disk)
    again.raft.quorum.load(again.raft.log)
    assert again.raft.epoch == 7
    again.disk.lose_power(Random(seed))
    assert quorum_state_file(again.disk)["leaderEpoch"] == 7


@pytest.mark.parametrize("byte", range(60))
def test_a_flipped_bit_of_the_state_file_is_named_or_does_no_harm(byte):
    """The file has no checksum: the log has the last word on the epoch."""
    world = QuorumWorld.started()
    path = f"{METADATA_FOLDER}/quorum-state"
    world.disk.flip(path, byte, 0)
    again = QuorumWorld(world.disk)
    named = ""
    try:
        again.raft.start(again)
    except StorageFault as fault:
        named = str(fault)
    leads = again.raft.is_leader and again.raft.log.last_epoch == again.raft.epoch >= 2
    assert leads or "quorum-state is damaged" in named


def test_another_directory_is_no_voter():
    world = QuorumWorld()
    world.raft.quorum.directory_id = Uuid.of(4, 4)
    world.raft.start(world)
    assert world.raft.quorum.role is RaftRole.UNATTACHED
    with pytest.raises(NotControllerError):
        world.raft.append([NoOpRecord()], metadata_version=30)
