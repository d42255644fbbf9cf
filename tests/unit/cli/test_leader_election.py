"""`kafka-leader-election.py` beyond what Apache Kafka's has; that is compared in conformance."""

import argparse
import json

import pytest

from minikafka.admin.client import AdminError
from minikafka.cli import leader_election
from minikafka.commands import connection
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.messages.elect_leaders import ElectLeadersRequest
from tests.worlds.fake_elections import ElectingCluster

ROW = {"topic": "t", "partition": 1}
ONE = ("--topic", "t", "--partition", "0")
ALL = ("--all-topic-partitions",)


@pytest.fixture
def cluster(monkeypatch):
    fake = ElectingCluster()
    monkeypatch.setattr(connection, "AdminClient", lambda *_args, **_kwargs: fake)
    return fake


@pytest.fixture
def run(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(kind, *words):
        parser = argparse.ArgumentParser()
        leader_election.add_arguments(parser)
        given = ["--bootstrap-server", "127.0.0.1:1", "--election-type", kind, *words]
        status = leader_election.run(parser.parse_args(given))
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


@pytest.fixture
def file(tmp_path):
    """Writes rows; returns the options that name the file."""

    def written(*rows):
        path = tmp_path / "elect.json"
        path.write_text(json.dumps({"partitions": rows}))
        return "--path-to-json-file", str(path)

    return written


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("preferred", ElectionType.PREFERRED),
        ("Unclean", ElectionType.UNCLEAN),
        ("longest_log_balanced", ElectionType.LONGEST_LOG_BALANCED),
        ("LONGEST_LOG_AGGRESSIVE", ElectionType.LONGEST_LOG_AGGRESSIVE),
        ("LONGEST_LOG_PROACTIVE", ElectionType.LONGEST_LOG_AGGRESSIVE),
        ("longest_log_agressive", ElectionType.LONGEST_LOG_AGGRESSIVE),
    ],
)
def test_a_type_has_its_number_on_the_wire(cluster, run, word, kind):
    """A2, A6."""
    said = f"Successfully completed leader election ({kind.name}) for partitions t-0\n"
    assert run(word, *ONE) == (0, said, "")
    assert cluster.last(ElectLeadersRequest).election_type == kind


def test_a_leader_is_designated(cluster, run, file):
    """A3, A6."""
    status, out, _ = run("designation", *file({**ROW, "desiredLeader": 3}))
    assert (status, out) == (
        0,
        "Successfully completed leader election (DESIGNATION) for partitions t-1\n",
    )
    (row,) = cluster.last(ElectLeadersRequest).topic_partitions
    assert (row.partitions, row.desired_leaders) == ([1], [3])


@pytest.mark.parametrize(("words", "flag"), [(ONE, "topic"), (ALL, "all-topic-partitions")])
def test_a_designation_needs_a_file(cluster, run, words, flag):
    """A6."""
    status, out, err = run("DESIGNATION", *words)
    assert (status, out) == (1, "")
    assert err.startswith(f'Option "[{flag}]" can\'t be used with election type DESIGNATION: ')
    assert cluster.asked == []


def test_minimal_replicas_are_ignored_with_a_warning(cluster, run, file):
    """A6."""
    status, _, err = run("UNCLEAN", *file({**ROW, "minimalReplicas": 1}))
    assert status == 0
    assert err.endswith('elect.json: "minimalReplicas" has no meaning and is ignored\n')
    assert cluster.elections() == [[("t", 1)]]


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("UNCLEAN", {**ROW, "desiredLeader": 3}),
        ("DESIGNATION", ROW),
        ("UNCLEAN", {**ROW, "partition": -1}),
        ("UNCLEAN", {"topic": "t"}),
    ],
)
def test_one_wrong_row_keeps_everything_from_being_sent(cluster, run, file, kind, row):
    """A6."""
    good = {"topic": "t", "partition": 0, **({"desiredLeader": 1} if kind[0] == "D" else {})}
    status, out, err = run(kind, *file(good, row))
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert cluster.asked == []


def test_a_negative_partition_is_not_sent(cluster, run):
    """A6."""
    status, _, err = run("UNCLEAN", "--topic", "t", "--partition", "-1")
    assert (status, len(err.splitlines())) == (1, 1)
    assert cluster.asked == []


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ((*ONE, *ALL), "--topic, --all-topic-partitions"),
        ((*ONE, "--path-to-json-file", "x"), "--topic, --path-to-json-file"),
        ((*ALL, "--path-to-json-file", "x"), "--all-topic-partitions, --path-to-json-file"),
    ],
)
def test_selections_that_clash_are_named(cluster, run, words, flags):
    """A6."""
    status, _, err = run("UNCLEAN", *words)
    assert status == 1
    assert f"({flags} are given)" in err.splitlines()[0]
    assert cluster.asked == []


def test_what_failed_makes_the_status_and_names_what_the_server_said(cluster, run, file):
    """A6."""
    cluster.answers["t", 0] = (ErrorCode.ELECTION_NOT_NEEDED, None)
    cluster.answers["t", 2] = (ErrorCode.REQUEST_TIMED_OUT, "waiting for 3")
    cluster.answers["t", 3] = (ErrorCode.REQUEST_LIMIT_REACHED, "too many")
    cluster.answers["t", 4] = (9999, "what is that")
    rows = [{"topic": "t", "partition": index} for index in range(5)]
    failed = "Error completing leader election (UNCLEAN) for partition"
    status, out, err = run("UNCLEAN", *file(*rows))
    assert (status, err) == (1, "3 replica(s) could not be elected\n")
    assert out.splitlines()[:2] == [
        "Successfully completed leader election (UNCLEAN) for partitions t-1",
        "Valid replica already elected for partitions t-0",
    ]
    assert sorted(out.splitlines()[2:]) == [
        f"{failed}: t-2: org.apache.kafka.common.errors.TimeoutException: waiting for 3",
        f"{failed}: t-3: REQUEST_LIMIT_REACHED: too many",
        f"{failed}: t-4: error 9999: what is that",
    ]


def test_a_server_that_does_not_know_the_type_is_one_line(cluster, run):
    """A7."""
    cluster.version = 2
    status, out, err = run("LONGEST_LOG_BALANCED", *ALL)
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert err.startswith("The server does not support election type LONGEST_LOG_BALANCED;")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Not authorized to perform leader election\n"),
        (ErrorCode.INVALID_REQUEST, ""),
    ],
)
def test_an_election_that_failed_as_a_whole_is_said_as_kafkas_tool_says_it(
    cluster, run, code, said
):
    cluster.failure = code
    status, out, err = run("UNCLEAN", *ALL)
    assert (status, out, len(err.splitlines())) == (1, said, 1)


def test_no_answer_is_a_timeout(cluster, run, monkeypatch):
    def no_answer(_):
        raise AdminError("no answer from 127.0.0.1:1", ErrorCode.REQUEST_TIMED_OUT)

    monkeypatch.setattr(cluster, "ask", no_answer)
    expected = (1, "Timeout waiting for election results\n", "no answer from 127.0.0.1:1\n")
    assert run("UNCLEAN", *ALL) == expected


def test_the_two_names_of_the_properties_file_are_not_given_together(cluster, run):
    status, _, err = run("UNCLEAN", *ALL, "--admin.config", "a", "--command-config", "b")
    assert status == 1
    assert err.startswith("--admin.config and --command-config are two names of one option\n")
    assert cluster.asked == []


def test_the_properties_file_is_read(run, tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("security.protocol=TLS\n")
    status, _, err = run("UNCLEAN", *ALL, "--command-config", str(path))
    assert (status, err) == (
        1,
        "security.protocol=TLS: is not a protocol; allowed: PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL\n",
    )
