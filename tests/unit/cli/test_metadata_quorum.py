"""`kafka-metadata-quorum.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.cli import _subcommands, metadata_quorum
from minikafka.commands import metadata_quorum as quorum_command
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.add_raft_voter import AddRaftVoterRequest
from minikafka.messages.describe_quorum import ReplicaState
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.raft.storage import format_directory
from minikafka.server.os_disk import OsDisk
from tests.worlds.fake_cluster import FakeCluster

ID = Uuid.of(1, 1)


@pytest.fixture
def cluster(monkeypatch):
    fake = FakeCluster()
    data = fake.quorum
    data.leader_id, data.leader_epoch, data.high_watermark = 100, 4, 611
    data.current_voters = [
        ReplicaState(101, ZERO_UUID, 600, 1400, 1300),
        ReplicaState(100, ID, 612, 1500, 1500),
    ]
    data.observers = [ReplicaState(1, ID, 612, 1450, -1)]
    monkeypatch.setattr(_subcommands, "connect", lambda _: fake)
    monkeypatch.setattr(quorum_command.time, "time", lambda: 2.0)
    return fake


@pytest.fixture
def run(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        metadata_quorum.add_arguments(parser)
        try:
            given = ["--bootstrap-server", "127.0.0.1:1", *words]
            status = metadata_quorum.run(parser.parse_args(given))
        except SystemExit as end:
            status = end.code
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def test_status(run):
    assert run("describe", "--status")[1].splitlines() == [
        "ClusterId:              c",
        "LeaderId:               100",
        "LeaderEpoch:            4",
        "HighWatermark:          611",
        "MaxFollowerLag:         12",
        "MaxFollowerLagTimeMs:   200",
        (
            'CurrentVoters:          [{"id": 101}, {"id": 100, "directoryId": '
            f'"{ID}", "endpoints": ["CONTROLLER://127.0.0.1:9093"]}}]'
        ),
        f'CurrentObservers:       [{{"id": 1, "directoryId": "{ID}"}}]',
    ]


def test_replication_shows_the_leader_first(run):
    lines = run("describe", "--replication")[1].splitlines()
    assert [line.split("\t") for line in lines] == [
        [
            "NodeId", f"{'DirectoryId':<22}", "LogEndOffset", "Lag", "LastFetchTimestamp",
            "LastCaughtUpTimestamp", "Status  ", "",
        ],
        ["100   ", str(ID), "612         ", "0  ", f"{1500:<18}", f"{1500:<21}", "Leader  ", ""],
        [
            "101   ", str(ZERO_UUID), "600         ", "12 ", f"{1400:<18}", f"{1300:<21}",
            "Follower", "",
        ],
        ["1     ", str(ID), "612         ", "0  ", f"{1450:<18}", f"{-1:<21}", "Observer", ""],
    ]  # fmt: skip


def test_times_can_be_read(run):
    out = run("describe", "--replication", "--human-readable")[1]
    assert "500 ms ago" in out
    assert "700 ms ago" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("describe",), "One of --status or --replication must be specified"),
        (("describe", "--status", "--replication"), "Only one of --status or --replication"),
        (("describe", "--status", "--human-readable"), "The option --human-readable is only"),
        (("add-controller",), "You must supply the configuration file of the controller you are"),
        (("remove-controller", "-i", "5", "-d", "xyz"), "Failed to parse --controller-directory-"),
        (("remove-controller", "-i", "-5", "-d", str(ID)), "Invalid negative --controller-id: -5"),
        (("remove-controller", "-i", "5"), "usage: "),
        (
            ("-C", "127.0.0.1:2", "describe", "--status"),
            "kafka-metadata-quorum: error: argument --bootstrap-controller/-C: not allowed with",
        ),
        (("nonsense",), "usage: "),
    ],
)
def test_wrong_words(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)


# Changes of the voters


def properties(tmp_path, roles="controller", formatted=True):
    """The properties file of controller 7, as a command line option."""
    disk = OsDisk(str(tmp_path))
    if formatted:
        format_directory(disk, cluster_id="c" * 22, node_id=7, directory_id=ID)
    file = tmp_path / "server.properties"
    values = {
        "process.roles": roles,
        "node.id": 7,
        "listeners": "CONTROLLER://127.0.0.1:9093" if roles == "controller"
        else "PLAINTEXT://127.0.0.1:9092",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "controller.quorum.bootstrap.servers": "127.0.0.1:9093",
        "log.dirs": tmp_path,
    }  # fmt: skip
    file.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
    return "--command-config", str(file)


def test_a_controller_is_added(cluster, run, tmp_path):
    told = f"controller 7 with directory id {ID} and endpoints: CONTROLLER://127.0.0.1:9093\n"
    config = properties(tmp_path)
    assert run(*config, "add-controller", "--dry-run") == (0, f"DRY RUN of adding {told}", "")
    assert cluster.asked == []
    assert run(*config, "add-controller") == (0, f"Added {told}", "")
    request = cluster.last(AddRaftVoterRequest)
    assert (request.voter_id, request.voter_directory_id) == (7, ID)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [
        ("CONTROLLER", "127.0.0.1", 9093)
    ]


@pytest.mark.parametrize(
    ("roles", "formatted", "said"),
    [
        ("broker", True, "process.roles did not contain 'controller'\n"),
        ("controller", False, "is not formatted: it has no directory id\n"),
    ],
)
def test_only_a_formatted_controller_is_added(cluster, run, tmp_path, roles, formatted, said):
    config = properties(tmp_path, roles, formatted=formatted)
    status, out, err = run(*config, "add-controller")
    assert (status, out, cluster.asked) == (1, "", [])
    assert err.endswith(said)


def test_a_controller_is_removed(cluster, run):
    words = ("remove-controller", "-i", "101", "-d", str(ID))
    told = f" KRaft controller 101 with directory id {ID}\n"
    assert run(*words, "--dry-run") == (0, f"DRY RUN of removing {told}", "")
    assert cluster.asked == []
    assert run(*words) == (0, f"Removed {told}", "")
    request = cluster.last(RemoveRaftVoterRequest)
    assert (request.voter_id, request.voter_directory_id) == (101, ID)


def test_what_the_cluster_refuses_is_said(cluster, run):
    cluster.refusals = [(ErrorCode.VOTER_NOT_FOUND, "101 is none of the voters [1]")]
    found = run("remove-controller", "-i", "101", "-d", str(ID))
    assert found == (1, "", "101 is none of the voters [1]\n")


def test_another_controller_that_leads_meanwhile_is_asked_again(cluster, run):
    cluster.refusals = [(ErrorCode.NOT_LEADER_OR_FOLLOWER, None), (ErrorCode.NOT_CONTROLLER, None)]
    assert run("remove-controller", "-i", "101", "-d", str(ID))[0] == 0
    assert len(cluster.asked) == 3
