"""Names that are no key: refused where a key was meant, else a warning that says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.config.unknown_keys import REMOVED, edit_distance, judge
from minikafka.config.values import broker_keys

words = st.text("ab.", max_size=6)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nmu.partitions", "num.partitions"),
        ("num.partition", "num.partitions"),
        ("log.retention.hour", "log.retention.hours"),
        ("nod.id", "node.id"),
        ("authorizer.class.nam", "authorizer.class.name"),
    ],
)
def test_a_near_miss_is_refused_with_the_key_that_was_meant(name, meant):
    judgement = judge(name, broker_keys())
    assert judgement.error.startswith(f"{name}: unknown broker configuration; did you mean ")
    assert meant in judgement.error
    assert judgement.warning == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zookeeper.connect", "Apache Kafka 4.0 removed it"),
        ("inter.broker.protocol.version", "Apache Kafka 4.0 removed it"),
        ("confluent.support.metrics.enable", "belongs to a plug-in"),
        ("config.providers.file.class", "belongs to a config provider"),
        ("listener.name.plaintext.num.network.threads", "keys for one listener are not available"),
        ("my.reporter.port", "no key of Apache Kafka has this first word"),
    ],
)
def test_what_kafka_or_a_plug_in_understands_is_a_warning(name, reason):
    judgement = judge(name, broker_keys())
    assert judgement.error == ""
    assert judgement.warning.startswith(f"{name}: has no effect; ")
    assert reason in judgement.warning


@pytest.mark.parametrize("name", ["partitions", "log.something.else.entirely"])
def test_other_names_are_refused(name):
    assert judge(name, broker_keys()).error.startswith(f"{name}: unknown broker configuration")


def test_no_removed_key_is_a_key():
    assert [name for name in REMOVED if name in broker_keys()] == []


@given(words, words)
def test_an_edit_distance_is_that_of_the_definition(one, other):
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(
            distance(a[1:], b) + 1,
            distance(a, b[1:]) + 1,
            distance(a[1:], b[1:]) + (a[0] != b[0]),
        )

    expected = distance(one, other)
    found = edit_distance(one, other, 2)
    assert found == expected or (found > 2 and expected > 2)
