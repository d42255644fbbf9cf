"""`kafka-configs.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.cli import configs
from minikafka.commands import connection
from minikafka.common.errors import ErrorCode
from minikafka.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from tests.worlds.fake_cluster import FakeCluster, FakePartition

SERVER = ("--bootstrap-server", "127.0.0.1:1")
OWN = (
    "  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2,"
    " DEFAULT_CONFIG:min.insync.replicas=1}\n"
    "  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000}\n"
)
DEFAULT = (
    "  min.insync.replicas=1 sensitive=false synonyms={DEFAULT_CONFIG:min.insync.replicas=1}\n"
)


@pytest.fixture
def cluster(monkeypatch):
    fake = FakeCluster()
    fake.add("plain", FakePartition(1, [1], [1]))
    fake.add(
        "own",
        FakePartition(1, [1], [1]),
        configs={"retention.ms": "1000", "min.insync.replicas": "2"},
    )
    monkeypatch.setattr(connection, "AdminClient", lambda *_args, **_kwargs: fake)
    return fake


@pytest.fixture
def run_plain(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        configs.add_arguments(parser)
        status = configs.run(parser.parse_args(words))
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


@pytest.fixture
def run(run_plain):
    return lambda *words: run_plain(*SERVER, *words)


def changes(cluster):
    """What the last request set (0) and removed (1)."""
    (resource,) = cluster.last(IncrementalAlterConfigsRequest).resources
    return [(it.name, it.config_operation, it.value) for it in resource.configs]


@pytest.mark.parametrize(
    "words", [["--topic", "own"], ["--entity-type", "topics", "--entity-name", "own"]]
)
def test_a_topic_shows_what_is_its_own_sorted_by_name(run, words):
    assert run("--describe", *words) == (0, "Dynamic configs for topic own are:\n" + OWN, "")


def test_everything_is_shown_on_request(run):
    _, out, _ = run("--describe", "--topic", "plain", "--all")
    assert out == "All configs for topic plain are:\n" + DEFAULT


def test_every_topic_is_shown_without_a_name(run):
    _, out, _ = run("--describe", "--entity-type", "topics")
    plain = "Dynamic configs for topic plain are:\n"
    assert out == plain + "Dynamic configs for topic own are:\n" + OWN


def test_every_broker_and_the_default_are_shown_without_a_name(run):
    _, out, _ = run("--describe", "--entity-type", "brokers")
    assert out.splitlines() == [
        "Dynamic configs for broker 1 are:",
        "Dynamic configs for broker 2 are:",
        "Dynamic configs for broker 3 are:",
        "Default configs for brokers in the cluster are:",
    ]


@pytest.mark.parametrize(
    "words", [["--broker-defaults"], ["--entity-type", "brokers", "--entity-default"]]
)
def test_the_default_of_all_brokers_has_a_heading_of_its_own(run, words):
    out = "Default configs for brokers in the cluster are:\n"
    assert run("--describe", "--all", *words) == (0, out, "")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--topic", "zz"], "The topic 'zz'"),
        (["--broker", "9"], "The broker '9'"),
        (["--group", "g"], "The group 'g'"),
    ],
)
def test_what_does_not_exist_is_no_failure(run, words, named):
    message = f"{named} doesn't exist and doesn't have dynamic config.\n"
    assert run("--describe", *words) == (0, message, "")


def test_groups_are_found_at_their_brokers(cluster, run):
    cluster.groups = {2: ["g"]}
    _, out, _ = run("--describe", "--entity-type", "groups")
    assert out == "Dynamic configs for group g are:\n"


def test_values_in_brackets_may_hold_commas(cluster, run):
    words = ("--topic", "own", "--add-config", "a=1, cleanup.policy = [compact,delete],b=[2]")
    assert run("--alter", *words) == (0, "Completed updating config for topic own.\n", "")
    assert changes(cluster) == [
        ("a", 0, "1"),
        ("cleanup.policy", 0, "compact,delete"),
        ("b", 0, "2"),
    ]


def test_values_may_come_from_a_file(cluster, run, tmp_path):
    path = tmp_path / "add.properties"
    path.write_text("retention.ms=5\n# not this\nsegment.ms: 7\n")
    words = ("--add-config-file", str(path), "--delete-config", "a, b", "--delete-config", "c")
    assert run("--alter", "--topic", "own", *words)[0] == 0
    assert changes(cluster) == [
        ("retention.ms", 0, "5"),
        ("segment.ms", 0, "7"),
        ("a", 1, None),
        ("b", 1, None),
        ("c", 1, None),
    ]


@pytest.mark.parametrize(
    ("words", "done", "asked_of"),
    [
        (["--broker", "2"], "Completed updating config for broker 2.\n", [2]),
        (["--broker-defaults"],
         "Completed updating default config for brokers in the cluster.\n", []),
        (["--group", "g"], "Completed updating config for group g.\n", []),
    ],
)  # fmt: skip
def test_a_change_is_confirmed(cluster, run, words, done, asked_of):
    assert run("--alter", *words, "--add-config", "a=b") == (0, done, "")
    assert cluster.asked_of == asked_of


def test_a_refused_change_ends_with_the_reason_on_standard_error(cluster, run):
    cluster.refusals = [(ErrorCode.INVALID_CONFIG, "Unknown topic config name: foo")]
    status, out, err = run("--alter", "--topic", "own", "--add-config", "foo=1")
    assert (status, out) == (1, "")
    assert "Unknown topic config name: foo" in err


def test_a_topic_that_does_not_exist_is_named(cluster, run):
    cluster.refusals = [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "does not host")]
    status, out, err = run("--alter", "--topic", "nope", "--add-config", "retention.ms=1")
    assert (status, out) == (1, "")
    assert err == "Error while executing config command: topic nope does not exist\n"


PAIRS = (
    "requirement failed: Invalid entity config: all configs to be added must be in the format"
    ' "key=val" or  "key=[val1,val2]" to group values which contain commas.'
)
ONE_ACTION = "Command must include exactly one action: --describe, --alter"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ONE_ACTION),
        (["--describe", "--alter", "--topic", "a"], ONE_ACTION),
        (["--describe"], "At least one entity type must be specified"),
        (["--describe", "--entity-name", "a"], "At least one entity type must be specified"),
        (["--describe", "--topic", "a", "--add-config", "a=b"],
         'Option "[describe]" can\'t be used with option "[add-config]"'),
        (["--describe", "--topic", "a", "--delete-config", "a"],
         'Option "[describe]" can\'t be used with option "[delete-config]"'),
        (["--describe", "--entity-type", "bogus"],
         ("Invalid entity type bogus, the entity type must be one of topics, clients, users, "
         "brokers, ips, client-metrics, groups, broker-loggers with a --bootstrap-server or "
         "--bootstrap-controller argument")),
        (["--describe", "--entity-type", "topics", "--topic", "a"],
         "Duplicate entity type(s) specified: topics"),
        (["--describe", "--broker", "1", "--broker-defaults"],
         "Duplicate entity type(s) specified: brokers"),
        (["--describe", "--topic", "a", "--broker", "1"],
         "Only 'users' and 'clients' entity types may be specified together"),
        (["--describe", "--entity-type", "topics", "--entity-default"],
         "--entity-default must not be specified with --describe of topics"),
        (["--describe", "--broker", "x"],
         "The entity name for brokers must be a valid integer broker id, but it is: x"),
        (["--describe", "--topic", ""], "Topic name is invalid: the empty string is not allowed"),
        (["--describe", "--topic", ".."], "Topic name is invalid: '..' is not allowed"),
        (["--describe", "--topic", "a b"],
         ("Topic name is invalid: 'a b' contains one or more characters other than ASCII "
         "alphanumerics, '.', '_' and '-'")),
        (["--describe", "--topic", "a" * 250],
         (f"Topic name is invalid: the length of '{'a' * 250}' is longer than the max allowed "
         "length 249")),
        (["--describe", "--topic", "a", "--topic", "b"],
         "Found multiple arguments for option topic, but you asked for only one"),
        (["--describe", "--entity-type", "client-metrics"],
         ("Entity type client-metrics is not served by this tool, only topics, brokers, groups, "
         "users")),
        (["--describe", "--entity-type", "users", "--entity-type", "clients"],
         ("Entity type clients,users is not served by this tool, only topics, brokers, groups, "
         "users")),
        (["--describe", "--topic", "a", "--bootstrap-controller", "b"],
         "Only one of --bootstrap-server or --bootstrap-controller can be specified"),
        (["--alter", "--topic", "a"],
         ("At least one of --add-config, --add-config-file, or --delete-config must be specified "
         "with --alter")),
        (["--alter", "--topic", "a", "--add-config", "a=b", "--add-config-file", "f"],
         "Only one of --add-config or --add-config-file must be specified"),
        (["--alter", "--entity-type", "topics", "--add-config", "a=b"],
         "An entity name must be specified with --alter of topics"),
        (["--alter", "--group", "", "--add-config", "a=b"],
         "An entity name must be specified with --alter of groups"),
        (["--alter", "--entity-type", "brokers", "--add-config", "a=b"],
         ("An entity-name or default entity must be specified with --alter of users, clients, "
         "brokers or ips")),
        (["--alter", "--entity-type", "topics", "--entity-name", "a", "--entity-default",
          "--add-config", "a=b"],
         "An entity name must be specified for every entity type"),
        (["--alter", "--topic", "a", "--add-config", "retention.ms"], PAIRS),
        (["--alter", "--topic", "a", "--add-config", ""], PAIRS),
        (["--alter", "--topic", "a", "--add-config", "a=b=c"], PAIRS),
    ],
)  # fmt: skip
def test_wrong_options_are_named_on_standard_error(cluster, run, words, message):
    status, out, err = run(*words)
    assert (status, out, err.splitlines()[0]) == (1, "", message)
    assert cluster.asked == []


def test_a_server_is_needed(run_plain):
    status, _, err = run_plain("--describe", "--topic", "a")
    assert status == 1
    assert err == "Either --bootstrap-server or --bootstrap-controller must be specified.\n"


def test_a_controller_alone_is_not_enough(run_plain):
    status, _, err = run_plain("--describe", "--topic", "a", "--bootstrap-controller", "b:1")
    assert (status, err) == (1, "--bootstrap-controller is not supported here: ask a broker\n")
