"""`kafka-metadata-quorum.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.cli import _subcommands, metadata_quorum
from minikafka.commands import metadata_quorum as quorum_command
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.describe_quorum import ReplicaState
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
        (("remove-controller", "--controller-id", "1"), "remove-controller: the voters are chosen"),
        (("add-controller",), "add-controller: the voters are chosen when a quorum is formatted"),
        (("nonsense",), "usage: "),
    ],
)
def test_wrong_words(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)
