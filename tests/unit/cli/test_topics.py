"""`kafka-topics.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.admin.client import AdminError
from minikafka.cli import topics
from minikafka.commands import connection
from minikafka.common.errors import ErrorCode
from minikafka.messages.create_partitions import CreatePartitionsRequest
from minikafka.messages.create_topics import CreateTopicsRequest
from minikafka.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    OngoingPartitionReassignment,
)
from tests.worlds.fake_cluster import FakeCluster, FakePartition

ID_1 = "AQEBAQEBAQEBAQEBAQEBAQ"
ID_2 = "AgICAgICAgICAgICAgICAg"
EXISTS = (ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 't1' already exists.")


@pytest.fixture
def cluster(monkeypatch):
    fake = FakeCluster()
    monkeypatch.setattr(connection, "AdminClient", lambda *_args, **_kwargs: fake)
    return fake


@pytest.fixture
def run(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        topics.add_arguments(parser)
        status = topics.run(parser.parse_args(["--bootstrap-server", "127.0.0.1:1", *words]))
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def three_states(cluster):
    """A healthy topic with own configurations, and one that lost brokers."""
    cluster.add(
        "ok",
        FakePartition(1, [1, 2], [1, 2]),
        configs={"min.insync.replicas": "2", "retention.ms": "1000"},
    )
    cluster.add(
        "hurt",
        FakePartition(-1, [3], [], elr=[3], last_known_elr=[3]),
        FakePartition(2, [2, 3], [2]),
    )


OK_LINE = "\tTopic: ok\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr: \n"
HURT_0 = "\tTopic: hurt\tPartition: 0\tLeader: none\tReplicas: 3\tIsr: \tElr: 3\tLastKnownElr: 3\n"
HURT_1 = "\tTopic: hurt\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2\tElr: \tLastKnownElr: \n"
OK_TOPIC = (
    f"Topic: ok\tTopicId: {ID_1}\tPartitionCount: 1\tReplicationFactor: 2"
    "\tConfigs: min.insync.replicas=2,retention.ms=1000\n"
)
HURT_TOPIC = f"Topic: hurt\tTopicId: {ID_2}\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: \n"


def test_describe_prints_topics_and_partitions(cluster, run):
    """D4."""
    three_states(cluster)
    assert run("--describe") == (0, OK_TOPIC + OK_LINE + HURT_TOPIC + HURT_0 + HURT_1, "")


@pytest.mark.parametrize(
    ("report", "lines"),
    [
        (["--under-replicated-partitions"], HURT_0 + HURT_1),
        (["--under-min-isr-partitions"], HURT_0),
        (["--at-min-isr-partitions"], OK_LINE + HURT_1),
        (["--unavailable-partitions"], HURT_0),
        (["--unavailable-partitions", "--at-min-isr-partitions"], OK_LINE + HURT_0 + HURT_1),
        (["--topics-with-overrides"], OK_TOPIC),
    ],
)
def test_a_report_shows_only_what_it_is_about(cluster, run, report, lines):
    """D4, M1."""
    three_states(cluster)
    assert run("--describe", *report) == (0, lines, "")


def test_an_unclean_leader_is_named(cluster, run):
    """L8: after what the released tool prints, and only where it is so."""
    cluster.add("t", FakePartition(1, [1], [1], is_recovering=True), FakePartition(1, [1], [1]))
    _, out, _ = run("--describe")
    first, second = out.splitlines()[1:]
    assert first.endswith("\tElr: \tLastKnownElr: \tLeaderRecoveryState: RECOVERING")
    assert second.endswith("\tElr: \tLastKnownElr: ")


def test_a_partition_whose_leader_is_not_alive_is_unavailable(cluster, run):
    three_states(cluster)
    cluster.live = [2, 3]
    assert run("--describe", "--unavailable-partitions")[1] == OK_LINE + HURT_0


def test_without_describe_topic_partitions_the_elr_is_not_known(cluster, run):
    three_states(cluster)
    cluster.missing.add(DescribeTopicPartitionsRequest)
    _, out, _ = run("--describe", "--topic", "ok")
    assert out == OK_TOPIC + OK_LINE.replace("Elr: ", "Elr: N/A")


def test_replicas_that_move_have_columns_of_their_own(cluster, run):
    cluster.add("ok", FakePartition(1, [1, 2, 3], [1, 2]))
    cluster.moving["ok", 0] = OngoingPartitionReassignment(0, [1, 2, 3], [3], [1])
    _, out, _ = run("--describe")
    assert "ReplicationFactor: 2\t" in out
    assert "\tIsr: 1,2\tAdding Replicas: 3\tRemoving Replicas: 1\tElr: \t" in out


def test_replicas_on_the_move_do_not_make_a_partition_under_replicated(cluster, run):
    cluster.add("ok", FakePartition(1, [1, 2, 3], [1, 2]))
    cluster.moving["ok", 0] = OngoingPartitionReassignment(0, [1, 2, 3], [3], [])
    assert run("--describe", "--under-replicated-partitions") == (0, "", "")


def test_without_a_controller_reassignments_are_unknown(cluster, run, monkeypatch):
    def ask(request):
        if isinstance(request, ListPartitionReassignmentsRequest):
            limits.append(cluster.timeout_ms)
            raise AdminError("no answer", ErrorCode.REQUEST_TIMED_OUT)
        return FakeCluster.ask(cluster, request)

    limits = []
    cluster.add("t", FakePartition(1, [1, 2], [1], elr=[2]))
    monkeypatch.setattr(cluster, "ask", ask)
    status, out, err = run("--describe", "--topic", "t")
    assert (status, limits) == (0, [2000])
    assert "Isr: 1\tElr: 2" in out
    assert err == "reassignments unknown: no active controller has answered within 2 s\n"


def test_partitions_come_in_order_over_many_pages(cluster, run):
    """D4: cursors are followed."""
    cluster.add("many", *[FakePartition(1, [1], [1]) for _ in range(7)])
    _, out, _ = run("--describe", "--partition-size-limit-per-response", "2")
    assert [line.split("\t")[2] for line in out.splitlines()[1:]] == [
        f"Partition: {index}" for index in range(7)
    ]


def test_a_topic_is_described_by_its_id(cluster, run):
    three_states(cluster)
    status, out, _ = run("--describe", "--topic-id", ID_1)
    assert (status, out) == (0, OK_TOPIC + OK_LINE.replace("Elr: ", "Elr: N/A"))


def test_an_id_that_no_topic_has_is_an_error_unless_that_is_fine(cluster, run):
    three_states(cluster)
    unknown = "CQkJCQkJCQkJCQkJCQkJCQ"
    status, out, _ = run("--describe", "--topic-id", unknown)
    assert status == 1
    assert out == (
        f"Error while executing topic command : TopicId '{unknown}' does not exist as expected\n"
    )
    assert run("--describe", "--topic-id", unknown, "--if-exists") == (0, "", "")


def test_the_zero_id_means_no_id(cluster, run):
    three_states(cluster)
    assert run("--describe", "--topic-id", "A" * 22, "--topic", "ok")[1] == OK_TOPIC + OK_LINE


@pytest.mark.parametrize("action", [["--describe"], ["--delete"], ["--alter", "--partitions", "2"]])
def test_a_missing_topic_is_an_error_unless_that_is_fine(cluster, run, action):
    three_states(cluster)
    missing = "Error while executing topic command : Topic 'zz' does not exist as expected\n"
    assert run(*action, "--topic", "zz") == (1, missing, "")
    assert run(*action, "--topic", "zz", "--if-exists") == (0, "", "")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("t.*", "t.x\nt1\nt2\n"),
        ("t1,u1", "t1\nu1\n"),
        ("'t1'", "t1\n"),
        ("t", "\n"),
        ("t1|t2", "t1\nt2\n"),
    ],
)
def test_a_topic_may_be_a_pattern(cluster, run, pattern, names):
    for name in ("u1", "t2", "t1", "t.x"):
        cluster.add(name, FakePartition(1, [1], [1]))
    assert run("--list", "--topic", pattern) == (0, names, "")


def test_a_pattern_that_is_none_is_an_error(cluster, run):
    status, out, _ = run("--list", "--topic", "(")
    assert (status, out) == (1, "Error while executing topic command : ( is an invalid regex.\n")


def test_internal_topics_are_left_out_on_request(cluster, run):
    cluster.add("__consumer_offsets", FakePartition(1, [1], [1]), is_internal=True)
    cluster.add("own", FakePartition(1, [1], [1]))
    assert run("--list")[1] == "__consumer_offsets\nown\n"
    assert run("--list", "--exclude-internal")[1] == "own\n"


def test_an_empty_list_is_an_empty_line(run):
    assert run("--list") == (0, "\n", "")


def test_create_says_so(cluster, run):
    words = ("--create", "--topic", "t1", "--partitions", "3", "--replication-factor", "2")
    assert run(*words, "--config", "a = b", "--config", "c=d") == (0, "Created topic t1.\n", "")
    topic = cluster.last(CreateTopicsRequest).topics[0]
    assert (topic.num_partitions, topic.replication_factor) == (3, 2)
    assert [(it.name, it.value) for it in topic.configs] == [("a", "b"), ("c", "d")]


def test_create_warns_of_names_that_may_collide(run):
    _, out, _ = run("--create", "--topic", "a.b_c")
    assert out.startswith("WARNING: Due to limitations in metric names, topics with a period ('.')")
    assert out.endswith("\nCreated topic a.b_c.\n")


def test_creating_twice_is_an_error_unless_that_is_fine(cluster, run):
    cluster.refusals = [EXISTS, EXISTS]
    assert run("--create", "--topic", "t1") == (
        1,
        "Error while executing topic command : Topic 't1' already exists.\n",
        "",
    )
    assert run("--create", "--topic", "t1", "--if-not-exists") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--replica-assignment", "1:1"],
         "Partition replica lists may not contain duplicate entries: 1"),
        (["--replica-assignment", "1:2,3"], "Partition 1 has different replication factor: [3]"),
        (["--replica-assignment", "1:x"], 'For input string: "x"'),
        (["--replica-assignment", "1:1_0"], 'For input string: "1_0"'),
        (["--replica-assignment", "-1"],
         "--replica-assignment: '-1' is not a whole number from 0 to 2147483647"),
        (["--partitions", "2147483648"],
         ("Cannot parse argument '2147483648' of option partitions: '2147483648' is not a whole "
          "number from -2147483648 to 2147483647")),
        (["--partitions", "0"], "The partitions must be greater than 0"),
        (["--partitions", "x"], "Cannot parse argument 'x' of option partitions"),
        (["--replication-factor", "0"],
         "The replication factor must be between 1 and 32767 inclusive"),
        (["--topic", "b"],
         "Found multiple arguments for option topic, but you asked for only one"),
        *[
            (["--config", text], ("requirement failed: Invalid topic config: "
             'all configs to be added must be in the format "key=val".'))
            for text in ("a", "a=", "a=b=c", "a==b")
        ],
    ],
)  # fmt: skip
def test_what_cannot_be_created_is_refused_before_anything_is_asked(cluster, run, words, message):
    status, out, _ = run("--create", "--topic", "a", *words)
    assert (status, out) == (1, f"Error while executing topic command : {message}\n")
    assert cluster.asked == []


def test_only_the_new_partitions_of_an_assignment_are_sent(cluster, run):
    cluster.add("t1", FakePartition(1, [1, 2], [1, 2]), FakePartition(2, [2, 1], [2, 1]))
    words = ("--partitions", "3", "--replica-assignment", "1:2,2:1,2:3")
    assert run("--alter", "--topic", "t1", *words) == (0, "", "")
    topic = cluster.last(CreatePartitionsRequest).topics[0]
    assert (topic.name, topic.count) == ("t1", 3)
    assert [it.broker_ids for it in topic.assignments] == [[2, 3]]


def test_partitions_are_added_to_every_topic_that_matches(cluster, run):
    for name in ("t1", "t2"):
        cluster.add(name, FakePartition(1, [1], [1]))
    assert run("--alter", "--topic", "t.", "--partitions", "4") == (0, "", "")
    topics_sent = cluster.last(CreatePartitionsRequest).topics
    assert [(it.name, it.count, it.assignments) for it in topics_sent] == [
        ("t1", 4, None),
        ("t2", 4, None),
    ]


def test_delete_is_silent(cluster, run):
    for name in ("t1", "t2", "u1"):
        cluster.add(name, FakePartition(1, [1], [1]))
    assert run("--delete", "--topic", "t.") == (0, "", "")
    assert list(cluster.topics) == ["u1"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ("Command must include exactly one action: "
             "--list, --describe, --create, --alter or --delete")),
        (["--list", "--describe"], ("Command must include exactly one action: "
             "--list, --describe, --create, --alter or --delete")),
        (["--create"], 'Missing required argument "[topic]"'),
        (["--alter", "--topic", "a"], 'Missing required argument "[partitions]"'),
        (["--alter", "--topic", "a", "--partitions", "2", "--config", "a=b"],
         ('Option combination "[[config], [bootstrap-server]]" can\'t be used with option "[alter]"'
         " (To alter topic configurations, the kafka-configs tool can be used.)")),
        (["--create", "--topic", "a", "--replica-assignment", "1", "--partitions", "2"],
         'Option "[replica-assignment]" can\'t be used with option "[partitions]"'),
        (["--list", "--partitions", "2"],
         'Option "[partitions]" can\'t be used with option "[list]"'),
        (["--alter", "--topic", "a", "--partitions", "2", "--replication-factor", "2"],
         'Option "[replication-factor]" can\'t be used with option "[alter]"'),
        (["--delete", "--topic", "a", "--exclude-internal"],
         'Option "[exclude-internal]" can\'t be used with option "[delete]"'),
        (["--describe", "--topic", "a", "--if-not-exists"],
         'Option "[if-not-exists]" can\'t be used with option "[describe]"'),
        (["--list", "--if-exists"], 'Option "[if-exists]" can\'t be used with option "[list]"'),
        (["--describe", "--under-replicated-partitions", "--topics-with-overrides"],
         ('Option "[under-replicated-partitions]" can\'t be used with option'
         ' "[topics-with-overrides]"')),
        (["--describe", "--if-exists"],
         "--topic or --topic-id is required to describe a topic"),
    ],
)  # fmt: skip
def test_clashing_options_are_named_on_standard_error(cluster, run, words, message):
    status, out, err = run(*words)
    assert (status, out, err.splitlines()[0]) == (1, "", message)
    assert cluster.asked == []


def test_a_server_is_needed(capsys):
    parser = argparse.ArgumentParser()
    topics.add_arguments(parser)
    assert topics.run(parser.parse_args(["--list"])) == 1
    assert capsys.readouterr().err == "--bootstrap-server must be specified\n"


def test_an_address_that_is_none_is_named_on_standard_error(capsys):
    parser = argparse.ArgumentParser()
    topics.add_arguments(parser)
    assert topics.run(parser.parse_args(["--list", "--bootstrap-server", "nowhere"])) == 1
    assert "'nowhere'" in capsys.readouterr().err
