"""Refusals and texts for administrators are those of Apache Kafka 4.3.1 (E11, E12).

The nodes live in a simulated world. See record_admin_answers.py for where the answers come from.
"""

import logging

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.metadata.features import METADATA_VERSION
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT
from tests.conformance.admin_answers import SIMULATED_CONTROLLER, answers, load, prepared
from tests.conformance.admin_cases import OF_OLD_METADATA, OLD_METADATA, PLAY, STOPPED, TOPICS
from tests.worlds.sim_world import create_topic, started_cluster

DATA = load()
ALL = [*PLAY, *OF_OLD_METADATA]
SETTLE_MS = 1_000
FENCED_AFTER_MS = 15_000
SAYS_ONLY_THE_CODE = (
    None,
    "This server does not host this topic-partition.",
    (
        "This most likely occurs because of a request being malformed by the client library or the "
        "message was sent to an incompatible broker. See the broker logs for more details."
    ),
)
"""Where Kafka has no text but that of the code, ours may be another one."""

# Our codes where they differ deliberately, by case; the numbers are rows of docs/compatibility.md.
OURS = {
    name: [ErrorCode.INVALID_REQUEST]
    for name in DATA
    if ("unknown operation" in name or " ? " in name) and not name.startswith("broker,")
}  # W2
OURS["topic, operation -1"] = [ErrorCode.INVALID_REQUEST]
OURS["unknown operation beside a good one"] = [ErrorCode.INVALID_REQUEST, ErrorCode.NONE]
del OURS["topic, unknown operation without a value"]
OURS["grow to far"] = [ErrorCode.POLICY_VIOLATION]  # W2
OURS["controller: root to null"] = [ErrorCode.INVALID_REQUEST]  # W2
OURS["grow the offsets"] = OURS["grow the transactions"] = [ErrorCode.INVALID_PARTITIONS]  # W6


@pytest.fixture(scope="module")
def played():
    """Our answers, by case."""
    cluster = started_cluster(3, separate_controller=True, is_dynamic=True)
    for name, replicas in TOPICS.items():
        create_topic(cluster, name, replicas=replicas)
    cluster.nodes[STOPPED].kill()
    cluster.world.run(FENCED_AFTER_MS)
    root = logging.getLogger()
    level_before = root.level
    root.setLevel("INFO")
    found = play(cluster, PLAY)
    root.setLevel(level_before)
    old = started_cluster(
        separate_controller=True, is_dynamic=True, levels={METADATA_VERSION: OLD_METADATA}
    )
    return found | play(old, OF_OLD_METADATA)


def play(cluster, cases):
    clients = {
        False: cluster.client(),
        True: cluster.client("admin", SIMULATED_CONTROLLER, CONTROLLER_PORT),
    }
    found = {}
    for case in cases:
        if case.waits:
            cluster.world.run(SETTLE_MS)
        request = prepared(case.request, SIMULATED_CONTROLLER)
        response = clients[case.to_controller].ask(request, object, version=case.version)
        found[case.name] = answers(response)
    return found


def by_text(rows):
    """Rows in an order that does not depend on texts of errors: responses have any order."""
    return sorted(rows, key=lambda row: str(row if isinstance(row[-1], int) else row[:-1]))


def is_only_a_code(row):
    """True if Kafka answers with an error code and no text of its own."""
    return isinstance(row[-2], int) and row[-2] != ErrorCode.NONE and row[-1] in SAYS_ONLY_THE_CODE


@pytest.mark.parametrize("name", [case.name for case in ALL if case.name not in OURS])
def test_answer_is_that_of_kafka(name, played):
    recorded = by_text(DATA[name])
    ours = [
        [*row[:-1], kafkas[-1]] if is_only_a_code(kafkas) else row
        for row, kafkas in zip(by_text(played[name]), recorded, strict=True)
    ]
    assert ours == recorded


@pytest.mark.parametrize("name", OURS)
def test_answer_that_differs_deliberately_has_our_codes(name, played):
    codes = [row[-2] for row in played[name]]
    assert codes == OURS[name]
    assert codes != [row[-2] for row in DATA[name]]


def test_every_recorded_case_is_compared():
    assert list(DATA) == [case.name for case in ALL]
