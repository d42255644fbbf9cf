"""The voters of a running quorum change: with Kafka's tools, real processes and real clients."""

import shutil

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from minikafka.common.ids import Uuid
from tests.integration.admin_clients import create_through_failover
from tests.integration.own_nodes import OwnNodes, tool
from tests.integration.test_replication import wait_for

TOPIC = "t"


@pytest.fixture
def nodes(tmp_path):
    with OwnNodes(tmp_path, 3) as found:
        yield found


@pytest.fixture
def quorum(nodes):
    """Three voters of a dynamic quorum, with a topic."""
    for node in (1, 2, 3):
        nodes.format(node, "--initial-controllers", nodes.voters(1, 2, 3))
    nodes.start(1, 2, 3)
    create(nodes, TOPIC)
    return nodes


def create(nodes, name):
    create_through_failover(nodes.servers, name, replicas=min(len(nodes.processes), 3))


def produce(nodes, count=50):
    errors = []
    producer = Producer({"bootstrap.servers": nodes.servers, "acks": "all"})
    for number in range(count):
        producer.produce(TOPIC, b"%d" % number, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None] * count


def add(nodes, node, *, ask=1, check=True):
    return tool(
        "kafka-metadata-quorum", "--bootstrap-server", nodes.server(ask),
        "--command-config", nodes.file(node), "add-controller", check=check,
    )  # fmt: skip


def remove(nodes, node, *, ask=1, directory=None, check=True):
    return tool(
        "kafka-metadata-quorum", "--bootstrap-controller", nodes.controller(ask),
        "remove-controller", "--controller-id", node,
        "--controller-directory-id", directory or nodes.directory_ids[node], check=check,
    )  # fmt: skip


def leader(nodes, ask):
    return int(nodes.status(ask)["LeaderId"])


def directory_id(nodes, node):
    lines = (nodes.data(node) / "meta.properties").read_text().splitlines()
    return Uuid.parse(next(x.partition("=")[2] for x in lines if x.startswith("directory.id")))


def test_a_quorum_of_one_becomes_one_of_three_and_loses_its_first_voter(nodes):
    nodes.format(1, "--standalone")
    nodes.start(1)
    create(nodes, TOPIC)
    for node in (2, 3):
        nodes.format(node, "--no-initial-controllers")
        nodes.start(node)
        assert node in nodes.observer_ids(1)
        done = add(nodes, node)
        assert done.stdout == (
            f"Added controller {node} with directory id {directory_id(nodes, node)} and "
            f"endpoints: CONTROLLER://{nodes.controller(node)}\n"
        )
    assert nodes.voter_ids(1) == [1, 2, 3]
    done = add(nodes, 2, check=False)
    assert (done.returncode, "2 is one of the voters" in done.stderr) == (1, True)
    # The leader removes itself; the two others elect one of them.
    done = remove(nodes, 1, directory=directory_id(nodes, 1), ask=2)
    assert done.stdout.startswith("Removed  KRaft controller 1 with directory id ")
    wait_for(lambda: leader(nodes, 2) in (2, 3))
    assert nodes.voter_ids(2) == [2, 3]
    create(nodes, "after")
    nodes.kill(1)
    create(nodes, "without-1")


def test_a_controller_joins_by_itself(nodes):
    for node in (1, 2):
        nodes.format(node, "--initial-controllers", nodes.voters(1, 2))
    nodes.start(1, 2)
    nodes.write(3, controller_quorum_auto_join_enable="true")
    nodes.format(3, "--no-initial-controllers")
    nodes.start(3)
    wait_for(lambda: nodes.voter_ids(1) == [1, 2, 3])
    former = directory_id(nodes, 3)
    # Its disk is replaced: the entry of the former directory is removed, then it joins again.
    nodes.kill(3)
    shutil.rmtree(nodes.data(3))
    nodes.format(3, "--no-initial-controllers")
    nodes.start(3)
    assert directory_id(nodes, 3) != former
    wait_for(lambda: str(directory_id(nodes, 3)) in nodes.status(1)["CurrentVoters"])
    assert str(former) not in nodes.status(1)["CurrentVoters"]


def test_a_static_quorum_becomes_dynamic(nodes):
    for node in (1, 2, 3):
        nodes.write(
            node,
            controller_quorum_voters=nodes.static_voters(1, 2, 3),
            controller_quorum_bootstrap_servers=None,
        )
        nodes.format(node)
    nodes.start(1, 2, 3)
    create(nodes, TOPIC)
    done = remove(nodes, 3, directory=directory_id(nodes, 3), check=False)
    assert (done.returncode, "kraft.version is 0" in done.stderr) == (1, True)

    def upgraded():
        done = tool(
            "kafka-features", "--bootstrap-controller", nodes.controller(2), "upgrade",
            "--feature", "kraft.version=1", check=False,
        )  # fmt: skip
        return done.returncode == 0

    # Voters describe themselves to a leader once in each fetch time-out.
    wait_for(upgraded)
    assert str(directory_id(nodes, 2)) in nodes.status(1)["CurrentVoters"]
    # What the log says holds after a restart, whatever the configuration says.
    for node in (1, 2, 3):
        nodes.kill(node)
    nodes.start(1, 2, 3)
    remove(nodes, 3, directory=directory_id(nodes, 3))
    assert nodes.voter_ids(1) == [1, 2]
    produce(nodes)


def test_a_voter_that_was_wiped_is_replaced(quorum):
    wiped = next(node for node in (1, 2, 3) if node != leader(quorum, 1))
    other = next(node for node in (1, 2, 3) if node != wiped)
    produce(quorum)
    quorum.kill(wiped)
    shutil.rmtree(quorum.data(wiped))
    quorum.format(wiped, "--no-initial-controllers")
    quorum.start(wiped)
    # Its directory is another one: it is an observer, and its vote does not count.
    assert wiped in quorum.observer_ids(other)
    assert wiped in quorum.voter_ids(other)
    remove(quorum, wiped, ask=other)
    add(quorum, wiped, ask=other)
    assert str(directory_id(quorum, wiped)) in quorum.status(other)["CurrentVoters"]
    # Each of the others may fail now.
    quorum.kill(other)
    create(quorum, "after")


def test_a_voter_whose_directory_is_an_old_copy_catches_up(quorum, tmp_path):
    """Older than what it had acknowledged: the others have it, and it does not lead before."""
    old = next(node for node in (1, 2, 3) if node != leader(quorum, 1))
    other = next(node for node in (1, 2, 3) if node != old)
    quorum.kill(old)
    shutil.copytree(quorum.data(old), tmp_path / "copy")
    quorum.start(old)
    for number in range(5):
        create(quorum, f"later-{number}")
    quorum.kill(old)
    shutil.rmtree(quorum.data(old))
    shutil.copytree(tmp_path / "copy", quorum.data(old))
    quorum.start(old)
    assert leader(quorum, old) == leader(quorum, other)
    admin = AdminClient({"bootstrap.servers": quorum.server(old)})
    wait_for(lambda: {f"later-{x}" for x in range(5)} <= set(admin.list_topics(timeout=20).topics))
    # It counts as a voter again.
    quorum.kill(other)
    create(quorum, "after")
