"""The golden sequences in virtual time: the states that Apache Kafka 4.3.1 went through.

Where minikafka differs, the sequence names the rule that says so; that no difference stands there
by chance is what `tests/golden/test_sequences.py` checks with `tests/golden/rules.py`.
"""

import pytest

from minikafka.sim.scenario.scenario import parse
from minikafka.sim.scenario.scenario_runner import ScenarioRunner
from tests.golden import sequence as data
from tests.scenario.files import FOLDER, compare
from tests.scenario.golden import script, text


class Player:
    """Plays a sequence's scenario; after each step the rows are compared."""

    def __init__(self, sequence, scenario):
        self.sequence = sequence
        self.runner = ScenarioRunner()
        self.commands = iter(scenario.commands)
        self.traces = []
        self.values = {topic: [] for topic in sequence.topics}

    def play(self):
        for number, (commands, step) in enumerate(script(self.sequence), 1):
            for command in commands:
                self.next()
                if command.startswith("produce"):
                    acks = command.partition("acks=")[2]
                    for topic in command.split()[2:-1]:
                        self.values[topic].append(f"{'all' if acks == 'all' else 'one'}-{number}")
            for topic in step.rows:
                expected = step.expected(topic, here=True)
                assert self.row(topic, expected) == expected, f"step {number}, {step.text}"
        self.next()

    def next(self):
        self.traces.append(self.runner.carry_out(next(self.commands)))

    def row(self, topic, expected):
        row = self.runner.row(topic)
        if row["replicas"] == data.numbers(self.sequence.topics[topic].replicas):
            del row["replicas"]
        if "answer" in expected:
            row["answer"] = self.runner.answer(topic)
        for column, acks in (("all", -1), ("one", 1)):
            if column in expected:
                row[column] = self.runner.outcome(topic, acks)
        return row

    def read(self, topic):
        """The output of the last command, in the format of the sequence."""
        return [self.values[topic][int(value[1:]) - 1] for value in self.runner.seen(topic)]


@pytest.mark.parametrize("name", data.names())
def test_sequence(name, request):
    """C3, E1, E4-E11, H4-H6, L1, L2, L5, L6, A3, D2."""
    sequence = data.load(name)
    path = FOLDER / "golden" / f"{name}.txt"
    scenario = parse(text(sequence), path.name, ScenarioRunner.CARRY_OUT)
    player = Player(sequence, scenario)
    player.play()
    assert not player.runner.broken
    compare(path, scenario.text(player.traces), request.config)
    for topic in sequence.topics:
        assert player.read(topic) == sequence.read[topic]


def test_every_file_is_of_a_sequence():
    assert [path.stem for path in sorted((FOLDER / "golden").glob("*.txt"))] == data.names()
