"""kafka-storage: what is formatted, what is refused, what is said about it."""

import argparse

import pytest

from minikafka.cli import storage
from minikafka.common.ids import Uuid
from minikafka.controller.activation import feature_levels
from minikafka.log.checkpoints import read_meta_properties
from minikafka.raft.metadata_storage import read_bootstrap
from minikafka.server.os_disk import OsDisk

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
OTHER = "AAAAAAAAAAAAAAAAAAAAZA"

METADATA, GROUP = "metadata.version", "group.version"
ELR, TRANSACTION = "eligible.leader.replicas.version", "transaction.version"


class Node:
    """A node's properties file, and the command."""

    def __init__(self, path):
        self.path = path
        self.dirs = [path / "one", path / "two"]
        self.write(**{"controller.quorum.voters": "1@localhost:9093"})

    def write(self, **given):
        values = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": ",".join(str(each) for each in self.dirs),
            **given,
        }
        text = "".join(f"{key}={value}\n" for key, value in values.items())
        (self.path / "server.properties").write_text(text)

    def be_dynamic(self):
        self.write(**{"controller.quorum.bootstrap.servers": "localhost:9093"})

    def run(self, action, *options):
        parser = argparse.ArgumentParser()
        storage.add_arguments(parser)
        config = [] if action == "random-uuid" else ["--config", f"{self.path}/server.properties"]
        return storage.run(parser.parse_args([action, *config, *options]))

    def format(self, *options, cluster=CLUSTER):
        return self.run("format", "--cluster-id", cluster, *options)

    def identities(self):
        return [read_meta_properties(OsDisk(str(each))) for each in self.dirs]


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


def test_every_directory_gets_an_identity_of_its_own(node, capsys):
    assert node.format() == 0
    one, two = node.identities()
    assert (one.cluster_id, one.node_id) == (two.cluster_id, two.node_id) == (CLUSTER, 1)
    assert one.directory_id != two.directory_id
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2
    assert all(line.endswith("with metadata.version 4.3-IV0.") for line in told)


def test_a_feature_that_this_node_does_not_have_may_be_at_level_zero(node):
    """As Kafka: a tool that turns off what minikafka lacks needs no other options for it."""
    options = [word for name in ("group", "share", "streams")
               for word in ("--feature", f"{name}.version=0")]  # fmt: skip
    assert node.format(*options) == 0


def test_formatted_directory_is_refused(node, capsys):
    node.format()
    before = node.identities()
    assert node.format() == 1
    assert "is formatted already" in capsys.readouterr().err
    assert node.identities() == before


def test_formatted_directory_may_be_left_alone_and_a_new_one_is_formatted(node):
    node.dirs = node.dirs[:1]
    node.write(**{"controller.quorum.voters": "1@localhost:9093"})
    node.format()
    (before,) = node.identities()
    node.dirs.append(node.path / "two")
    node.write(**{"controller.quorum.voters": "1@localhost:9093"})
    assert node.format("--ignore-formatted") == 0
    assert node.identities()[0] == before
    assert node.identities()[1].cluster_id == CLUSTER


def test_directory_of_another_cluster_is_never_left_alone(node, capsys):
    node.format()
    assert node.format("--ignore-formatted", cluster=OTHER) == 1
    assert f"not to node 1 of cluster {OTHER}" in capsys.readouterr().err


def test_directory_that_cannot_be_made_is_named(node, capsys):
    (node.path / "one").write_text("a file")
    assert node.format() == 1
    assert f"{node.path}/one: cannot be made: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--release-version", "2.8"], "--release-version 2.8: unknown"),
        (["--feature", "metadata.version"], "is no NAME=LEVEL"),
        (["--feature", "metadata.version=x"], "is no NAME=LEVEL"),
        (["--feature", "metadata.version=\u00b2"], "is no NAME=LEVEL"),
        (["--feature", "metadata.version=9999"], "level 9999 is not supported"),
        (["--feature", "nonsense=1"], "allowed: none"),
        (["--feature", "nonsense=0"], "allowed: none"),
        (["--feature", "share.version=1"], "allowed: none"),
        (["--feature", "metadata.version=" + "9" * 5000], "is not supported"),
        (["--standalone"], "makes a static quorum"),
        (["--release-version", "4.4"], "--release-version 4.4: unknown; allowed: 3.3 to 4.3"),
        (["--release-version", "4.0-IV9"], "--release-version 4.0-IV9: unknown"),
        (
            ["--release-version", "4.3", "--feature", "metadata.version=30"],
            "does not go with --release-version",
        ),
        (
            ["--feature", "metadata.version=22", "--feature", "eligible.leader.replicas.version=1"],
            "eligible.leader.replicas.version=1: needs metadata.version 23 or later, not 22",
        ),
        (["--feature", "kraft.version=1"], "kraft.version=1: needs a dynamic quorum"),
        (
            ["--feature", "kraft.version=1", "--no-initial-controllers"],
            "kraft.version=1: needs a dynamic quorum",
        ),
    ],
)
def test_wrong_options_format_nothing(node, capsys, options, message):
    assert node.format(*options) == 1
    assert message in capsys.readouterr().err
    assert not node.dirs[0].exists()


def test_dynamic_quorum_needs_to_know_its_voters(node, capsys):
    node.be_dynamic()
    assert node.format() == 1
    assert "needs one of --standalone" in capsys.readouterr().err
    assert node.format("--standalone") == 0


@pytest.mark.parametrize("cluster", ["", "a\nnode.id=5"])
def test_a_cluster_id_that_no_start_could_read_is_refused(node, capsys, cluster):
    assert node.format(cluster=cluster) == 1
    assert "--cluster-id " in capsys.readouterr().err
    assert not node.dirs[0].exists()


@pytest.mark.parametrize("quorum", ["--standalone", "--no-initial-controllers"])
def test_a_dynamic_quorum_has_kraft_version_1(node, capsys, quorum):
    node.be_dynamic()
    assert node.format(quorum, "--feature", "kraft.version=0") == 1
    assert "--feature kraft.version=0: a dynamic quorum has 1" in capsys.readouterr().err


def test_the_level_of_a_dynamic_quorum_is_no_record_of_the_bootstrap_file(node):
    node.be_dynamic()
    assert node.format("--standalone", "--feature", "kraft.version=1") == 0
    records = read_bootstrap(OsDisk(str(node.path / "one")))
    assert "kraft.version" not in feature_levels(records)


def test_first_voter_has_the_directory_id_that_was_given(node):
    node.be_dynamic()
    directory = Uuid.of(5, 500)
    assert node.format("--initial-controllers", f"1@localhost:9093:{directory}") == 0
    assert node.identities()[0].directory_id == directory


RESERVED = "AAAAAAAAAAAAAAAAAAAAAQ"


@pytest.mark.parametrize(
    "voters",
    ["1@localhost:9093", "x@localhost:9093:" + CLUSTER, "", "1@localhost:9093:" + RESERVED],
)
def test_voters_that_cannot_be_read_are_refused(node, voters):
    node.be_dynamic()
    assert node.format("--initial-controllers", voters) == 1


@pytest.mark.parametrize(
    "text", ["{},", ",{}", " {} , ,", "+{}"], ids=["last", "first", "space", "sign"]
)
def test_empty_entries_of_the_voters_are_ignored_as_by_kafka(node, text):
    node.be_dynamic()
    voter = f"1@localhost:9093:{Uuid.of(5, 500)}"
    assert node.format("--initial-controllers", text.format(voter)) == 0


@pytest.mark.parametrize("node_id", ["1_0", "-1", "\u00b2", "2147483648", "9" * 5000])
def test_a_voter_whose_id_is_no_node_id_is_named(node, capsys, node_id):
    node.be_dynamic()
    voter = f"{node_id}@localhost:9093:{Uuid.of(5, 500)}"
    assert node.format(f"--initial-controllers={voter}") == 1
    assert "is not a whole number from 0 to 2147483647" in capsys.readouterr().err


@pytest.mark.parametrize("voters", ["", ",", " , "])
def test_voters_without_an_entry_are_refused(node, capsys, voters):
    node.be_dynamic()
    assert node.format("--initial-controllers", voters) == 1
    assert "--initial-controllers names no voter" in capsys.readouterr().err
    assert not node.dirs[0].exists()


SECURED = {
    "controller.quorum.voters": "1@localhost:9093",
    "listeners": "SASL_PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
    "security.inter.broker.protocol": "SASL_PLAINTEXT",
}
PLAIN = {"sasl.enabled.mechanisms": "PLAIN", "sasl.mechanism.inter.broker.protocol": "PLAIN"}


@pytest.mark.parametrize(
    "mechanisms",
    [
        {},
        PLAIN,
        {**PLAIN, "listener.name.sasl_plaintext.plain.sasl.jaas.config": "broken"},
    ],
)
def test_logins_may_be_configured_after_the_format(node, capsys, mechanisms):
    node.write(**SECURED, **mechanisms)
    scram = "SCRAM-SHA-256=[name=alice,iterations=4096,password=secret]"
    assert node.format("--add-scram", scram) == 0, capsys.readouterr().err
    assert node.run("info") == 0


def test_the_listener_of_brokers_must_accept_their_mechanism(node, capsys):
    node.write(**SECURED, **{"sasl.enabled.mechanisms": "PLAIN"})
    assert node.format() == 1
    assert capsys.readouterr().err == (
        "sasl.mechanism.inter.broker.protocol: GSSAPI is not in sasl.enabled.mechanisms of "
        "listener SASL_PLAINTEXT\n"
    )
    assert node.identities() == [None, None]


def test_info_says_what_is_formatted(node, capsys):
    assert node.run("info") == 1
    assert capsys.readouterr().out.count("not formatted") == 2
    node.format()
    capsys.readouterr()
    assert node.run("info") == 0
    assert capsys.readouterr().out.count(f"node 1 of cluster {CLUSTER}") == 2


def test_random_uuid_is_one(node, capsys):
    assert node.run("random-uuid") == 0
    assert not Uuid.parse(capsys.readouterr().out.strip()).is_reserved


def test_file_that_is_missing_is_named(node, capsys):
    (node.path / "server.properties").unlink()
    assert node.format() == 1
    assert "cannot be read" in capsys.readouterr().err


def test_several_voters_are_named_once_and_this_one_is_among_them(node, capsys):
    node.be_dynamic()
    ids = [Uuid.of(5, each) for each in (1, 2)]
    first, second = (f"{each}@localhost:{9092 + each}:{ids[each - 1]}" for each in (1, 2))
    assert node.format("--initial-controllers", f"{first},{first}") == 1
    assert "names a node id twice" in capsys.readouterr().err
    assert node.format("--initial-controllers", second) == 1
    assert "does not name this controller, 1" in capsys.readouterr().err
    assert node.format("--initial-controllers", f"{first},{second}") == 0
    assert node.identities()[0].directory_id == ids[0]


@pytest.mark.parametrize(
    ("release", "levels"),
    [
        (["--release-version", "3.9"], {METADATA: 21}),
        (["--release-version", "4.0"], {METADATA: 25, GROUP: 1, TRANSACTION: 2}),
        ([], {METADATA: 30, ELR: 1, GROUP: 1, TRANSACTION: 2}),
        (["--release-version", "4.0.1"], {METADATA: 25, GROUP: 1, TRANSACTION: 2}),
        (["--release-version", "4.0-IV1"], {METADATA: 23, GROUP: 1}),
        (["--release-version", "3.3"], {METADATA: 7}),
        (["--feature", "metadata.version=20"], {METADATA: 20}),
        (["--feature", "metadata.version=24"], {METADATA: 24, GROUP: 1, TRANSACTION: 2}),
        (["--feature", "metadata.version=23", "--feature", "eligible.leader.replicas.version=1"], {
            METADATA: 23, ELR: 1, GROUP: 1,
        }),
        # As Kafka: transaction.version depends on no other feature.
        (["--feature", "metadata.version=7", "--feature", "transaction.version=2"], {
            METADATA: 7, TRANSACTION: 2,
        }),
        (["--feature", "kraft.version=0", "--feature", "metadata.version=21"], {METADATA: 21}),
        (["--feature", "transaction.version=1"], {
            METADATA: 30, ELR: 1, GROUP: 1, TRANSACTION: 1,
        }),
        (["--feature", "group.version=0"], {METADATA: 30, ELR: 1, TRANSACTION: 2}),
    ],
)  # fmt: skip
def test_levels_are_those_of_the_release(node, release, levels):
    node.write(**{"controller.quorum.voters": "1@localhost:9093"})
    assert node.format(*release) == 0
    records = read_bootstrap(OsDisk(str(node.path / "one")))
    assert feature_levels(records) == levels
