"""`kafka-reassign-partitions.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse
import json

import pytest

from minikafka.cli import reassign_partitions
from minikafka.commands import connection
from minikafka.common.errors import ErrorCode
from minikafka.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from minikafka.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from minikafka.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from minikafka.messages.list_partition_reassignments import OngoingPartitionReassignment
from tests.worlds.fake_cluster import FakeCluster, FakePartition

CLEARED = (
    "Clearing broker-level throttles on brokers 1,2,3\nClearing topic-level throttles on topic t\n"
)
NO_MOVES = "None of the specified partition moves are active."


@pytest.fixture
def cluster(monkeypatch):
    fake = FakeCluster()
    fake.add("t", FakePartition(1, [1, 2], [1, 2]), FakePartition(2, [2, 3], [2, 3]))
    monkeypatch.setattr(connection, "AdminClient", lambda *_args, **_kwargs: fake)
    return fake


@pytest.fixture
def run(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words, server=("--bootstrap-server", "127.0.0.1:1")):
        parser = argparse.ArgumentParser()
        reassign_partitions.add_arguments(parser)
        status = reassign_partitions.run(parser.parse_args([*server, *map(str, words)]))
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


@pytest.fixture
def file(tmp_path):
    """Writes a reassignment of topic t: replicas by partition."""

    def written(**replicas):
        rows = [
            {"topic": "t", "partition": int(name[1:]), "replicas": to}
            for name, to in replicas.items()
        ]
        path = tmp_path / "reassignment.json"
        path.write_text(json.dumps({"version": 1, "partitions": rows}))
        return path

    return written


def moving(cluster, index=0):
    cluster.moving["t", index] = OngoingPartitionReassignment(index, [1, 3, 2], [3], [2])


def test_list_when_nothing_moves(run):
    assert run("--list") == (0, "No partition reassignments found.\n", "")


def test_list_says_what_is_added_and_removed(cluster, run):
    moving(cluster)
    assert run("--list")[1] == (
        "Current partition reassignments:\nt-0: replicas: 1,3,2. adding: 3. removing: 2.\n"
    )


def test_execute_prints_the_way_back_and_begins(cluster, run, file):
    status, out, err = run("--execute", "--reassignment-json-file", file(p0=[3, 2], p1=[1, 2]))
    assert (status, err) == (0, "")
    assert out == (
        "Current partition replica assignment\n\n"
        '{"version":1,"partitions":['
        '{"topic":"t","partition":0,"replicas":[1,2],"log_dirs":["/data","/data"]},'
        '{"topic":"t","partition":1,"replicas":[2,3],"log_dirs":["/data","/data"]}]}\n\n'
        "Save this to use as the --reassignment-json-file option during rollback\n"
        "Successfully started partition reassignments for t-0,t-1\n"
    )
    request = cluster.last(AlterPartitionReassignmentsRequest)
    assert [it.replicas for it in request.topics[0].partitions] == [[3, 2], [1, 2]]
    assert request.allow_replication_factor_change


def test_execute_names_what_was_refused(cluster, run, file):
    cluster.refusals.append((ErrorCode.INVALID_REPLICATION_FACTOR, "two, not three"))
    path = file(p0=[1, 2, 3])
    status, out, _ = run(
        "--execute", "--reassignment-json-file", path, "--disallow-replication-factor-change"
    )
    assert status == 1
    assert out.endswith("Error reassigning partition(s):\nt-0: two, not three\n")
    assert not cluster.last(AlterPartitionReassignmentsRequest).allow_replication_factor_change


def test_execute_waits_for_what_moves_unless_it_is_told_not_to(cluster, run, file):
    moving(cluster)
    words = ("--execute", "--reassignment-json-file", file(p1=[1, 2]))
    status, out, _ = run(*words)
    assert status == 1
    assert out.startswith("Cannot execute because there is an existing partition assignment.")
    assert run(*words, "--additional")[0] == 0


@pytest.mark.parametrize(
    ("replicas", "said"),
    [
        ({"p0": [1, 9]}, "Unknown broker id 9"),
        ({"p7": [1, 2]}, "Unable to find partition: t-7"),
        ({"p0": []}, "Partition replica list cannot be empty"),
        ({}, "Partition reassignment list cannot be empty"),
        (
            {"p0": [1, 1]},
            (
                "Partition replica lists may not contain duplicate entries: "
                "t-0 contains multiple entries for 1"
            ),
        ),
    ],
)
def test_execute_refuses_what_cannot_be(cluster, run, file, replicas, said):
    outcome = run("--execute", "--reassignment-json-file", file(**replicas))
    assert outcome == (1, f"Error: {said}\n", "")
    assert not any(isinstance(it, AlterPartitionReassignmentsRequest) for it in cluster.asked)


@pytest.fixture
def moves(tmp_path):
    """Writes a reassignment of t-0 on brokers 1 and 2, and of t-1 on 2 and 3, to directories."""

    def written(first, second):
        rows = [
            {"topic": "t", "partition": 0, "replicas": [1, 2], "log_dirs": first},
            {"topic": "t", "partition": 1, "replicas": [2, 3], "log_dirs": second},
        ]
        path = tmp_path / "moves.json"
        path.write_text(json.dumps({"version": 1, "partitions": rows}))
        return path

    return written


def test_execute_moves_replicas_to_their_directories(cluster, run, moves):
    path = moves(["/other", "any"], ["/other", "/data"])
    status, out, err = run("--execute", "--reassignment-json-file", path)
    assert (status, err) == (0, "")
    assert out.endswith(
        "Successfully started partition reassignments for t-0,t-1\n"
        "Successfully started moving log directory to /other for replica t-0 with broker 1 \n"
        "Successfully started moving log directory to /other for replica t-1 with broker 2 \n"
        "Successfully started moving log directory to /data for replica t-1 with broker 3 \n"
    )
    asked = [it for it in cluster.asked if isinstance(it, AlterReplicaLogDirsRequest)]
    assert [[home.path for home in it.dirs] for it in asked] == [["/other"], ["/other"], ["/data"]]


def test_execute_asks_again_while_a_replica_does_not_exist(cluster, run, moves):
    cluster.move_errors = [ErrorCode.NONE, ErrorCode.REPLICA_NOT_AVAILABLE, ErrorCode.NONE]
    path = moves(["/a", "any"], ["/b", "any"])
    status, out, _ = run("--execute", "--reassignment-json-file", path)
    assert status == 0
    assert [line.split()[6] for line in out.splitlines() if "moving log" in line] == ["/a", "/b"]
    asked = [it for it in cluster.asked if isinstance(it, AlterReplicaLogDirsRequest)]
    assert [it.dirs[0].path for it in asked] == ["/a", "/b", "/b"]


def test_execute_names_replicas_that_do_not_exist_at_the_timeout(cluster, run, moves):
    cluster.move_errors = [ErrorCode.REPLICA_NOT_AVAILABLE] * 2
    path = moves(["/a", "any"], ["/b", "any"])
    status, out, _ = run("--execute", "--timeout", 0, "--reassignment-json-file", path)
    assert status == 1
    assert out.splitlines()[-1] == (
        "Timed out before log directory moves could be started for: t-0-1,t-1-2"
    )


def test_execute_names_a_move_that_was_refused(cluster, run, moves):
    cluster.move_errors = [ErrorCode.LOG_DIR_NOT_FOUND]
    path = moves(["/nowhere", "any"], ["any", "any"])
    status, out, _ = run("--execute", "--reassignment-json-file", path)
    assert status == 1
    assert out.splitlines()[-2:] == [
        "Error: Failed to alter dir for t-0-1",
        "The broker does not have this log directory.",
    ]


def test_execute_without_directories_moves_nothing(cluster, run, moves):
    path = moves(["any", "any"], ["any", "any"])
    assert run("--execute", "--reassignment-json-file", path)[0] == 0
    assert not any(isinstance(it, AlterReplicaLogDirsRequest) for it in cluster.asked)


def test_verify_tells_the_states_of_moves(cluster, run, moves):
    cluster.homes[1, "t", 0] = ("/data", "/a")
    cluster.homes[2, "t", 0] = ("/data", "/c")
    cluster.homes[2, "t", 1] = (None, None)
    path = moves(["/a", "/b"], ["/b", "/b"])
    status, out, err = run("--verify", "--reassignment-json-file", path)
    assert (status, err) == (0, "")
    assert out.splitlines()[3:] == [
        "Reassignment of replica t-0-1 is still in progress.",
        "Partition t-0 on broker 2 is being moved to log dir /c instead of /b.",
        (
            "Partition t-1 is not found in any live log dir on broker 2. There is likely an "
            "offline log directory on the broker."
        ),
        "Partition t-1 on broker 3 is not being moved from log dir /data to /b.",
    ]


def test_verify_clears_throttles_when_the_moves_have_ended(run, moves):
    path = moves(["/data", "any"], ["any", "any"])
    _, out, _ = run("--verify", "--reassignment-json-file", path)
    assert out == (
        "Status of partition reassignment:\n"
        "Reassignment of partition t-0 is completed.\n"
        "Reassignment of partition t-1 is completed.\n"
        "Reassignment of replica t-0-1 completed successfully.\n" + CLEARED
    )


def test_cancel_moves_replicas_back(cluster, run, moves):
    cluster.homes[1, "t", 0] = ("/data", "/a")
    path = moves(["/a", "any"], ["/data", "any"])
    assert run("--cancel", "--reassignment-json-file", path)[1] == (
        "None of the specified partition reassignments are active.\n"
        "Successfully started moving log directory to /data for replica t-0 with broker 1 \n"
        + CLEARED
    )
    (request,) = [it for it in cluster.asked if isinstance(it, AlterReplicaLogDirsRequest)]
    assert [home.path for home in request.dirs] == ["/data"]


@pytest.mark.parametrize("name", ["throttle", "replica-alter-log-dirs-throttle"])
def test_throttles_are_not_supported(cluster, run, moves, name):
    path = moves(["any", "any"], ["any", "any"])
    outcome = run("--execute", f"--{name}", 1000, "--reassignment-json-file", path)
    said = f"--{name} 1000: throttles are not supported; run the command without --{name}\n"
    assert outcome == (1, "", said)
    assert cluster.asked == []


def test_verify_tells_the_three_states_and_keeps_throttles_while_something_moves(
    cluster, run, file
):
    moving(cluster)
    words = ("--verify", "--reassignment-json-file", file(p0=[1, 3], p1=[2, 3], p2=[1]))
    assert run(*words) == (
        0,
        (
            "Status of partition reassignment:\n"
            "Reassignment of partition t-0 is still in progress.\n"
            "Reassignment of partition t-1 is completed.\n"
            "There is no active reassignment of partition t-2, but replica set is  rather than 1.\n\n"
        ),
        "",
    )


def test_verify_clears_throttles_at_the_end(cluster, run, file):
    path = file(p0=[1, 2])
    done = "Status of partition reassignment:\nReassignment of partition t-0 is completed.\n\n"
    assert run("--verify", "--reassignment-json-file", path)[1] == done + CLEARED
    asked = [it for it in cluster.asked if isinstance(it, IncrementalAlterConfigsRequest)]
    assert len(asked) == 4
    assert run("--verify", "--reassignment-json-file", path, "--preserve-throttles")[1] == done


def test_cancel_cancels_what_moves(cluster, run, file):
    moving(cluster)
    words = ("--cancel", "--reassignment-json-file", file(p0=[1, 3], p1=[1, 2]))
    assert run(*words)[1] == (
        f"Successfully cancelled partition reassignment for: t-0\n{NO_MOVES}{CLEARED}"
    )
    (row,) = cluster.last(AlterPartitionReassignmentsRequest).topics[0].partitions
    assert (row.partition_index, row.replicas) == (0, None)


def test_cancel_where_nothing_moves(run, file):
    words = ("--cancel", "--reassignment-json-file", file(p0=[1, 3]), "--preserve-throttles")
    out = f"None of the specified partition reassignments are active.\n{NO_MOVES}"
    assert run(*words) == (0, out, "")


def test_cancel_names_what_was_refused(cluster, run, file):
    moving(cluster)
    cluster.refusals.append((ErrorCode.INVALID_REPLICA_ASSIGNMENT, "too few in sync"))
    outcome = run("--cancel", "--reassignment-json-file", file(p0=[1, 3]))
    assert outcome == (
        1,
        "Error cancelling partition reassignment for:\nt-0: too few in sync\n",
        "",
    )


def test_generate_proposes_brokers_of_the_list(run, tmp_path):
    path = tmp_path / "topics.json"
    path.write_text('{"version":1,"topics":[{"topic":"t"}]}')
    words = ("--generate", "--topics-to-move-json-file", path, "--broker-list")
    status, out, _ = run(*words, "2,3")
    head, current, _, title, proposed = out.splitlines()
    assert (status, head) == (0, "Current partition replica assignment")
    assert json.loads(current)["partitions"][0]["log_dirs"] == ["/data", "/data"]
    assert title == "Proposed partition reassignment configuration"
    for row in json.loads(proposed)["partitions"]:
        assert sorted(row["replicas"]) == [2, 3]
        assert row["log_dirs"] == ["any", "any"]
    status, out, _ = run(*words, "1,9")
    assert (status, out[:6]) == (1, "Error:")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Command must include exactly one action: --generate, --execute, --verify, --cancel"),
        (("--list", "--execute"), "Command must include exactly one action"),
        (("--execute",), 'Missing required argument "[reassignment-json-file]"'),
        (("--generate", "--broker-list", "1"), 'Missing required argument "[topics-to-move-json'),
        (("--list", "--broker-list", "1"), 'Option "[broker-list]" can\'t be used with action'),
        (
            ("--verify", "--reassignment-json-file", "f", "--additional"),
            'Option "[additional]" can\'t be used with action "[verify]"',
        ),
        (
            ("--execute", "--reassignment-json-file", "f", "--throttle", "1000"),
            "--throttle 1000: throttles are not supported; run the command without --throttle",
        ),
    ],
)
def test_options_that_do_not_go_together(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)


def test_a_server_must_be_named(run):
    assert run("--list", server=())[2].startswith("Please specify either --bootstrap-server")
