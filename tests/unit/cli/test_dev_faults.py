"""dev fault, cut, slow, clock and heal: what they send, print and refuse."""

import json
import socket
from types import SimpleNamespace

import pytest

from minikafka.cli.main import main
from minikafka.dev.control import OK, Control
from minikafka.dev.fault_interface import fault_interface
from minikafka.dev.layout import CONTROL, FAULTS, Layout, LayoutError
from minikafka.dev.supervisor import STATUS
from minikafka.server.fault_counter import FileCounter

NODES = (1, 2, 3, 101)


class FakeSupervisor:
    """The owner of nodes that do not run."""

    def __init__(self):
        self.nodes = dict.fromkeys(NODES, SimpleNamespace(is_running=False, is_paused=False))
        self.faults = None
        self.events = []

    def on_event(self, text):
        self.events.append(text)

    def act(self, words, say):
        if list(words) == [STATUS]:
            say(json.dumps({"faults": self.faults.lines()}))
        return OK

    def node_states(self):
        return [{"node": node, "state": "running"} for node in NODES]


@pytest.fixture
def home(tmp_path):
    directory = tmp_path / "cluster"
    directory.mkdir()
    return directory


@pytest.fixture
def owner(home):
    """The owner of a cluster with the interface."""
    supervisor = FakeSupervisor()
    control = Control(home)
    control.serve(supervisor.act)
    with fault_interface(Layout(home, 3, 23400, {}, 0), supervisor, "127.0.0.1", 0):
        yield supervisor
    control.close()


@pytest.fixture
def dev(home, capsys):
    """Run an action; return its status and what it has printed."""

    def ran(*words):
        try:
            status = main(["dev", *words, "--dir", str(home)])
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        return status, printed.out or printed.err

    return ran


def test_a_fault_is_set_listed_and_removed(dev, owner):
    words = "--topic t --partition 0 --node 2 --times 2 --after --client-id app"
    assert dev("fault", "Produce", "NOT_LEADER_OR_FOLLOWER", *words.split()) == (0, "fault-1\n")
    line = (
        "fault-1: Produce NOT_LEADER_OR_FOLLOWER, after the work, topic t, partition 0, "
        "client_id app, times 2, node 2"
    )
    assert dev("fault", "list") == (0, f"{line}: 0 hits\n")
    (fault,) = owner.faults.state.faults
    FileCounter(fault.counter).count(lambda *_: True)
    assert dev("fault", "list") == (0, f"{line}: 1 hit\n")
    assert json.loads(dev("fault", "list", "--json")[1])["faults"][0]["hits"] == 1
    assert dev("fault", "remove", "fault-1") == (0, "fault-1: 1 hit\n")
    assert dev("fault", "list") == (0, "no fault is set\n")
    assert owner.events == [f"set {line}", "removed fault-1, 1 hit"]


def test_each_option_reaches_the_fault(dev, owner):
    words = (
        "--nth 2 --times 3 --probability 0.5 --seed -7 --versions 9-12 --broker-id 2 --role broker"
        " --topic t --id mine --ms 5 --node 3,1"
    )
    assert dev("fault", "Fetch", "delay", *words.split()) == (0, "mine\n")
    (fault,) = owner.faults.faults()
    hits = {"hits": 0, "hits_by_node": {}}
    assert fault == {
        "api": "Fetch", "kind": "delay", "nth": 2, "times": 3, "probability": 0.5, "seed": -7,
        "versions": [9, 12], "broker_id": 2, "role": "broker", "topic": "t", "id": "mine", "ms": 5,
        "nodes": [1, 3], **hits,
    }  # fmt: skip


def test_links_are_cut_and_slow(dev, owner):
    assert dev("cut", "1", "2,3") == (0, "")
    assert owner.faults.state.cut == {(1, 2), (1, 3)}
    assert dev("cut", "101")[0] == 0
    assert {(1, 101), (2, 101), (3, 101)} <= owner.faults.state.cut
    assert dev("slow", "2", "3", "--ms", "50")[0] == 0
    assert owner.faults.state.slow_ms == {(2, 3): 50}
    assert dev("slow", "2", "3", "--ms", "0")[0] == 0
    assert owner.faults.state.slow_ms == {}


def test_a_clock_is_wrong_until_everything_is_healed(dev, owner):
    assert dev("clock", "2", "--offset-ms", "-5000", "--rate", "1.5") == (0, "")
    assert owner.faults.state.clocks == {2: (-5000, 1.5)}
    assert dev("heal") == (0, "clock of node 2: -5000 ms, rate 1.5\n")
    assert dev("heal") == (0, "there is nothing to heal\n")


def test_disks_are_full_and_slow(dev, owner):
    assert dev("full-disk", "2") == (0, "")
    assert dev("slow-disk", "2", "--ms", "50") == (0, "")
    assert dev("fault", "list")[1].splitlines() == [
        "full disk: node 2",
        "slow disk: node 2, 50 ms for each fsync",
    ]
    assert dev("full-disk", "2", "--off") == (0, "")
    assert dev("slow-disk", "2", "--ms", "0") == (0, "")
    assert owner.faults.count() == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["fault"], "dev fault: expected API and an error or kind, or list, or remove ID"),
        (["fault", "lst"], "did you mean list?"),
        (["fault", "remove"], "give the id of the fault; `dev fault list` prints the ids"),
        (["fault", "Prodoce", "drop"], "dev fault: unknown API 'Prodoce'; did you mean Produce?"),
        (["fault", "Produce", "dorp"], "unknown kind of fault 'dorp'; did you mean drop?"),
        (["fault", "Produce", "NOT_LEADER"], "did you mean NOT_LEADER_OR_FOLLOWER?"),
        (["fault", "Produce", "drop", "--times", "0"], "times: must be at least 1, not 0"),
        (["fault", "Produce", "drop", "--partition", "0"], "partition: needs a topic"),
        (["fault", "Produce", "drop", "--versions", "x"], "'x' is no range such as 9-12"),
        (["fault", "Produce", "drop", "--versions", "99"], "is served in versions"),
        (["fault", "Produce", "drop", "--node", "7"], "there is no node 7"),
        (["cut", "1", "1"], "dev cut: node 1 has no link to itself"),
        (["cut", "1", "x"], "argument N[,N...]"),
        (["slow", "1", "2"], "--ms"),
        (["clock", "2", "--rate", "99"], "rate takes a number from 0.1 to 10"),
        (["fualt"], "did you mean fault?"),
    ],
)
def test_what_is_wrong_is_said(dev, owner, words, why):
    status, said = dev(*words)
    assert status == 2
    assert why in said
    assert owner.faults.count() == 0


def test_what_does_not_exist_is_no_wrong_usage(dev, owner):
    assert dev("fault", "remove", "x") == (1, "dev fault: there is no fault x; none is set\n")
    assert dev("clock", "9") == (
        1,
        "dev clock: there is no node 9; the nodes are 1, 2, 3, 101\n",
    )
    assert owner.faults.count() == 0


@pytest.mark.parametrize("words", [["fault", "list"], ["heal"], ["cut", "1", "2"], ["clock", "1"]])
def test_without_a_cluster_or_the_interface_it_says_how_to_start_it(dev, home, words):
    assert dev(*words) == (1, f"no cluster runs in {home}; start one: minikafka dev --faults\n")
    control = Control(home)
    try:
        hint = "stop it and start it with: minikafka dev --faults"
        assert dev(*words) == (
            1,
            f"the cluster in {home} was started without --faults; {hint}\n",
        )
        # The owner was killed, and another one has started in its place.
        (home / FAULTS).mkdir()
        (home / FAULTS / "url").write_text("http://127.0.0.1:1\n")
        assert dev(*words) == (1, f"the cluster in {home} has ended\n")
    finally:
        control.close()
    assert not (home / CONTROL).exists()


def test_the_port_is_printed_and_a_taken_one_refused(home):
    layout = Layout(home, 1, 23400, {})
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(LayoutError, match=r"--faults-port \d+ at 127.0.0.1: Address already in use"),
        fault_interface(layout, FakeSupervisor(), "127.0.0.1", taken.getsockname()[1]),
    ):
        pass
    with (
        pytest.raises(LayoutError, match="--faults-port 0 at no.such.host.invalid"),
        fault_interface(layout, FakeSupervisor(), "no.such.host.invalid", 0),
    ):
        pass
    assert not (home / FAULTS).exists()
    with fault_interface(layout, FakeSupervisor(), "0.0.0.0", 0) as url:
        port = url.rpartition(":")[2]
        assert url == f"http://0.0.0.0:{port}"
        assert (home / FAULTS / "url").read_text() == f"http://127.0.0.1:{port}\n"
    assert not (home / FAULTS).exists()


def test_nodes_of_one_process_have_no_faults(dev):
    status, said = dev("--faults", "--one-process", "--nodes", "1")
    assert (status, said) == (
        2,
        "--faults: not with --one-process, since each node has its own\n",
    )
