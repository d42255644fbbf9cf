"""What minikafka dev prints while its cluster runs."""

from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.partition_states import ClusterState, PartitionState
from minikafka.commands import dev_console
from minikafka.commands.dev_console import Console
from minikafka.common.ids import TopicPartition
from minikafka.dev.layout import Layout


def partition(number, leader=1, isr=(1, 2), elr=(), epoch=0):
    return PartitionState(TopicPartition("t", number), leader, epoch, (1, 2), isr, elr, ())


@pytest.fixture
def console(tmp_path, monkeypatch):
    """A console with `see`: one poll that finds these partitions, or no broker."""

    def see(*partitions, brokers=(1, 2)):
        def read(_client):
            if not partitions:
                raise AdminError("no answer")
            return ClusterState(brokers, {each.name: each for each in partitions}, {})

        monkeypatch.setattr(dev_console, "read_partitions", read)
        return made.look(None)

    made = Console(Layout(tmp_path, 3, 19092, {}))
    made.see = see
    return made


def test_changes_are_printed_and_brokers_are_left_to_the_events_of_nodes(console):
    assert console.see(partition(0)) == []
    changed = partition(0, isr=(1,), elr=(2,))
    assert console.see(changed, brokers=(1,)) == ["t-0: 2 left the ISR", "t-0: 2 joined the ELR"]
    assert console.see(changed, brokers=(1,)) == []


def test_the_same_change_of_many_partitions_is_one_line(console):
    console.see(*map(partition, range(40)))
    assert console.see(*(partition(n, isr=(1,)) for n in range(40))) == [
        "40 partitions, t-0 the first of them: 2 left the ISR"
    ]


def test_the_changes_of_a_partition_stay_together(console):
    console.see(partition(0), partition(1))
    lines = console.see(*(partition(n, isr=(1,), elr=(2,)) for n in (0, 1)))
    assert [line.partition(":")[0] for line in lines] == ["t-0", "t-0", "t-1", "t-1"]


def test_many_changes_end_with_their_number(console):
    console.see(*map(partition, range(20)))
    lines = console.see(*(partition(n, epoch=n + 1) for n in range(20)))
    assert len(lines) == 13
    assert lines[-1] == "and 8 more changes: minikafka watch shows them"


def test_a_cluster_without_an_answer_is_one_line(console):
    console.see(partition(0))
    assert console.see() == ["no broker answers: what follows is unknown until one is back"]
    assert console.see() == []


def test_on_a_terminal_the_last_line_sums_up(console, capsys, monkeypatch):
    monkeypatch.setattr(console, "_is_live", True)
    monkeypatch.setenv("COLUMNS", "200")
    console._nodes = {
        1: SimpleNamespace(node=1, state="running"),
        2: SimpleNamespace(node=2, state="killed"),
    }
    console.see(partition(0), partition(1, leader=-1, isr=()), partition(2, isr=(1,), elr=(2,)))
    console.event("node 2 was killed")
    first, last = capsys.readouterr().out.split("\n")
    assert first.endswith(" node 2 was killed")
    assert last == (
        "\r\x1b[Knodes 1 2:killed | 3 partitions, 1 without a leader, "
        "1 with replicas out of sync, 1 with an ELR"
    )
    console.close()
    console.event("later")
    assert "later" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("count", "shown"), [(0, ""), (1, " | 1 fault"), (3, " | 3 faults")]
)  # fmt: skip
def test_the_living_line_counts_faults(console, count, shown):
    console.count_faults = lambda: count
    console.see(partition(0))
    console._nodes = {1: SimpleNamespace(node=1, state="running")}
    assert console._summary() == f"nodes 1{shown} | 1 partition"


def test_brokers_are_polled_at_their_addresses_here(tmp_path, monkeypatch):
    """A name for other hosts may lead to another cluster once all brokers are gone."""
    clients = SimpleQueue()

    def read(client):
        clients.put(client)
        raise AdminError("no answer")

    monkeypatch.setattr(dev_console, "read_partitions", read)
    layout = Layout(tmp_path, 1, 19092, {}, host="0.0.0.0", advertised_host="kafka.invalid")
    console = Console(layout)
    console.start({})
    assert clients.get(timeout=20).address_of("kafka.invalid", 19092) == ("127.0.0.1", 19092)
    console.close()
