"""Consumer groups answer what Apache Kafka 4.3.1 answers to the same random requests.

See compare_groups.py for where the answers come from.
"""

import json

import pytest

from tests.conformance.group_answers import Play
from tests.conformance.group_sequences import RECORDED, sequence_of, topic_of
from tests.worlds.consumer_groups import InProcess

ANSWERS = {int(seed): rows for seed, rows in json.loads(RECORDED.read_text()).items()}


@pytest.mark.parametrize("seed", ANSWERS)
def test_answers_are_kafka_s(seed):
    side = InProcess(dict([topic_of(seed)]))
    told = []
    for (step, (row,)), expected in zip(
        Play(sequence_of(seed), [side]).rounds(), ANSWERS[seed], strict=True
    ):
        told.append(f"{step.text}\n    {row}")
        assert json.loads(json.dumps(row)) == expected, "\n".join(told)
