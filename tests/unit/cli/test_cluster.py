"""`kafka-cluster.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.cli import _subcommands, cluster
from minikafka.common.errors import ErrorCode
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from tests.worlds.fake_cluster import FakeCluster

BROKER = ("--bootstrap-server", "127.0.0.1:1")
CONTROLLER = ("--bootstrap-controller", "127.0.0.1:1")


@pytest.fixture
def fake(monkeypatch):
    found = FakeCluster()
    monkeypatch.setattr(_subcommands, "connect", lambda _: found)
    return found


@pytest.fixture
def run(fake, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        cluster.add_arguments(parser)
        try:
            status = cluster.run(parser.parse_args(words))
        except SystemExit as end:
            status = end.code
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def test_the_id_of_the_cluster(run):
    assert run("cluster-id", *BROKER) == (0, "Cluster ID: c\n", "")
    assert run("cluster-id", *CONTROLLER) == (0, "Cluster ID: c\n", "")


def test_a_broker_is_unregistered(fake, run):
    assert run("unregister", *BROKER, "--id", "7") == (0, "Broker 7 is no longer registered.\n", "")
    assert fake.last(UnregisterBrokerRequest).broker_id == 7
    fake.refusals = [(ErrorCode.BROKER_ID_NOT_REGISTERED, "Broker ID 7 is not registered")]
    assert run("unregister", *BROKER, "-i", "7") == (1, "", "Broker ID 7 is not registered\n")
    fake.refusals = [(ErrorCode.NOT_CONTROLLER, None)]
    assert run("unregister", *BROKER, "-i", "7")[0] == 0


def test_the_brokers(fake, run):
    fake.live, fake.fenced = [1], [2]
    header = "ID         HOST      PORT       RACK       STATE      ENDPOINT_TYPE  "
    first = "1          127.0.0.1 9001       null       unfenced   broker         "
    second = "2          127.0.0.1 9002       null       fenced     broker         "
    assert run("list-endpoints", *BROKER)[1].splitlines() == [header, first]
    found = run("list-endpoints", *BROKER, "--include-fenced-brokers")[1].splitlines()
    assert found == [header, first, second]


def test_the_controllers(fake, run):
    fake.live = [1]
    assert run("list-endpoints", *CONTROLLER)[1].splitlines() == [
        "ID         HOST      PORT       RACK       ENDPOINT_TYPE  ",
        "1          127.0.0.1 9001       null       controller     ",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "usage: "),
        (("nonsense",), "usage: "),
        (("cluster-id",), "kafka-cluster: error: one of the arguments --bootstrap-server/-b"),
        (("cluster-id", *BROKER, *CONTROLLER), "kafka-cluster: error: argument --bootstrap-contr"),
        (("unregister", *BROKER), "usage: "),
        (
            ("list-endpoints", *CONTROLLER, "--include-fenced-brokers"),
            "The option --include-fenced-brokers is only supported with --bootstrap-server option",
        ),
        (
            ("cluster-id", *BROKER, "--config", "a", "--command-config", "b"),
            "kafka-cluster: error: argument --command-config/-c: not allowed with argument",
        ),
    ],
)
def test_wrong_words(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)
