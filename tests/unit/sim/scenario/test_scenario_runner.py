"""The commands of scenarios; their effects are shown by `tests/scenario`."""

import pytest

from minikafka.sim.scenario.scenario import ScenarioError, parse, play
from minikafka.sim.scenario.scenario_clients import ELECTIONS
from minikafka.sim.scenario.scenario_runner import ScenarioRunner
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS

BEGIN = "cluster brokers=3 min.isr=2\ntopic t replicas=1,2,3\n"


def played(text):
    runner = ScenarioRunner()
    return play(parse(text, "x.txt", ScenarioRunner.CARRY_OUT), runner.carry_out), runner


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cluster", "a scenario begins with cluster, and has one"),
        ("kill 9", "there is no node 9"),
        ("kill one", "one: it is a number"),
        ("start 1", "n1 runs"),
        ("slow-disk usual", "slow-disk needs a node"),
        ("resume 1", "n1 is not paused"),
        ("heal", "nothing is cut"),
        ("cut 1", "cut needs two nodes, as 1-2"),
        ("cut 1-9", "there is no node 9"),
        ("power-cut 1 keep=all", "keep=all: chance, nothing, records"),
        ("produce some", "some: it is a number"),
        ("produce 0", "produce 0: at least 1"),
        ("produce 1 acks=2", "acks=2: all, 1 or 0"),
        ("produce 1 u", "produce knows no u"),
        ("elect", "elect needs a type of election"),
        ("elect best", f"no election best; there is {', '.join(ELECTIONS)}"),
        ("elect designation", "designation needs leader=, no other election takes it"),
        ("alter t", "alter needs min.isr=, strategy=, unclean= or a key of Kafka"),
        ("wait", "wait needs a time, or leader"),
        ("kill 1 wait=5", "5: it is a time, as 300ms or 1.5s"),
        ("kill 1 2 3\nwait leader", "a leader of t: not within 30000 ms of virtual time"),
        ("kill 1 2 3\nread\nreassign 1,2", "no broker is reachable"),
    ],
)  # fmt: skip
def test_an_impossible_command_is_one_line_with_file_and_line(line, message):
    with pytest.raises(ScenarioError) as error:
        played(BEGIN + line)
    number = 3 + line.count("\n")
    assert str(error.value) == f"x.txt:{number}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kill 1", "a scenario begins with cluster, and has one"),
        ("cluster brokers=0", "brokers=0: at least 1"),
        ("cluster strategy=Best", "strategy=Best: Balanced, Aggressive or None"),
        ("cluster elr=maybe", "elr=maybe: it is on or off"),
    ],
)
def test_a_scenario_begins_with_a_valid_cluster(text, message):
    with pytest.raises(ScenarioError) as error:
        played(text)
    assert str(error.value) == f"x.txt:1: {message}"


def test_a_topic_is_created_before_it_is_used():
    with pytest.raises(ScenarioError, match=r"x\.txt:2: there is no topic yet"):
        played("cluster\nproduce 1")


def test_a_rule_that_is_broken_ends_the_scenario():
    (mutant,) = [each for each in MUTATIONS if each.name.startswith("H1: ")]
    with applied(mutant):
        traces, runner = played(f"{BEGIN}kill 2 3\nproduce 1 acks=1\nkill 1\n")
    assert runner.broken.startswith("H1: t-0: ")
    assert f"BROKEN   {runner.broken}" in traces[3][-1]
    assert traces[4] == []


def test_a_scenario_is_one_history():
    text = f"{BEGIN}produce 5\npower-cut 2 3\nstart 2 3\nread\n"
    assert played(text)[0] == played(text)[0]
