"""The tools for groups while brokers fail, move or refuse; the texts are Apache Kafka's."""

import time

import pytest

from minikafka.admin.client import AdminClient
from minikafka.admin.groups import coordinator_of_group
from minikafka.admin.offsets import leaders
from minikafka.testing import Cluster
from tests.integration.test_group_tools import ran

TOOL = "kafka-consumer-groups.py"
FAILED = "\nError: Executing consumer group command failed due to "
ERRORS = "org.apache.kafka.common.errors."
RESET = ("--reset-offsets", "--group", "g", "--to-latest", "--topic", "t")


@pytest.fixture(scope="module")
def cluster():
    """A cluster whose group `g` has offsets of all partitions of the topic `t`."""
    with Cluster(3) as made:
        made.create_topic("t", partitions=3, replication_factor=1)
        assert ran(TOOL, made, *RESET, "--execute")[0] == 0
        yield made


def columns(out):
    return [line.split()[1:6] for line in out.splitlines()[2:]]


def test_a_partition_without_a_leader_has_no_log_end_and_is_not_reset(cluster):
    with AdminClient(cluster.bootstrap_servers, client_id="test") as admin:
        coordinator = coordinator_of_group(admin, "g").node_id
        led = {node: at for at, node in leaders(admin, ["t"]).items() if node != coordinator}
        victim, at = next(iter(led.items()))
        cluster.kill(victim)
        while leaders(admin, ["t"])[at] is not None:
            time.sleep(0.1)
    status, out, _ = ran(TOOL, cluster, "--describe", "--group", "g")
    assert status == 0
    expected = [["t", str(n), "0", "0", "0"] for n in range(3)]
    expected[at.partition][3:] = ["-", "-"]
    assert columns(out) == expected
    refusal = f'{FAILED}The partitions "{at}" have no leader\n'
    assert ran(TOOL, cluster, *RESET, "--execute") == (0, refusal, "")
    cluster.start(victim)


def test_a_coordinator_that_ends_between_look_up_and_request_has_a_successor(cluster):
    with AdminClient(cluster.bootstrap_servers, client_id="test") as admin:
        victim = coordinator_of_group(admin, "g").node_id
    cluster.kill(victim)
    status, out, err = ran(TOOL, cluster, "--describe", "--group", "g", "--state")
    assert (status, out.split()[-2:]) == (0, ["Empty", "0"])
    assert "has no active members" in err
    cluster.start(victim)


@pytest.mark.parametrize("api", ["ConsumerGroupDescribe", "ListOffsets", "OffsetCommit"])
@pytest.mark.parametrize("fault", ["close", "half"])
def test_a_connection_that_is_lost_is_not_the_end(cluster, api, fault):
    with cluster.fault(api, fault, times=2) as lost:
        status, out, _ = ran(TOOL, cluster, *RESET, "--execute")
        assert (status, "NEW-OFFSET" in out, lost.hits) == (0, True, 2)


@pytest.mark.parametrize("error", ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"])
def test_a_commit_is_repeated_until_a_coordinator_accepts_it(cluster, error):
    with cluster.fault("OffsetCommit", error, times=2) as refused:
        status, out, _ = ran(TOOL, cluster, *RESET, "--execute")
        assert (status, "NEW-OFFSET" in out, refused.hits) == (0, True, 2)


def test_a_refused_commit_names_the_partitions_and_the_reason(cluster):
    with cluster.fault("OffsetCommit", "TOPIC_AUTHORIZATION_FAILED"):
        why = "Failed altering group offsets for the following partitions: [t-2, t-1, t-0]"
        assert ran(TOOL, cluster, *RESET, "--execute") == (
            0,
            f"{FAILED}{why}\n",
            f"{ERRORS}TopicAuthorizationException: {why}\n",
        )


def test_a_broker_that_does_not_answer_is_waited_for_as_long_as_the_options_say(cluster):
    with cluster.fault("DescribeGroups", "drop"):
        begin_s = time.monotonic()
        status, out, _ = ran(TOOL, cluster, "--describe", "--group", "g", "--timeout", "1500")
        assert time.monotonic() - begin_s < 10
    assert status == 0
    assert out.startswith(f"{FAILED}{ERRORS}TimeoutException: no answer from broker ")


@pytest.mark.parametrize(
    ("api", "words"),
    [
        ("OffsetFetch", ("--describe", "--group", "g")),
        ("OffsetFetch", ("--reset-offsets", "--group", "g", "--to-latest", "--all-topics")),
        ("ListGroups", ("--list",)),
    ],
)
def test_a_step_that_waits_for_results_prints_the_outer_exception(cluster, api, words):
    with cluster.fault(api, "GROUP_AUTHORIZATION_FAILED"):
        out = ran(TOOL, cluster, *words)[1]
    wrapped = f"java.util.concurrent.ExecutionException: {ERRORS}GroupAuthorizationException: "
    assert out.startswith(FAILED + wrapped)


def test_a_request_that_is_refused_for_a_topic_has_a_partition_level_error(cluster):
    with cluster.fault("OffsetDelete", "TOPIC_AUTHORIZATION_FAILED"):
        _, out, _ = ran(TOOL, cluster, "--delete-offsets", "--group", "g", "--topic", "t:0")
    assert "Encountered some partition-level error, see the follow-up details." in out
    assert f"{ERRORS}TopicAuthorizationException: Topic authorization failed." in out
