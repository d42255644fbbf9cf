"""The assignors divide random groups as those of Apache Kafka 4.3.1 do.

`python -m tests.java assignments --record` has written the data.
"""

import json

import pytest

from tests.conformance.assignments import DATA, histories, plain

RECORDED = json.loads(DATA.read_text())


@pytest.mark.parametrize("seed", RECORDED)
def test_an_assignment_is_kafka_s(seed):
    found = [
        {name: plain(each) for name, each in targets.items() if plain(each)}
        for _, _, targets in histories(seed)
    ]
    assert found == RECORDED[seed]
