"""The tool itself: each attack in small, against one node."""

import pytest

from minikafka.testing import Cluster
from tests.attacks.__main__ import row
from tests.attacks.attacks import ATTACKS
from tests.attacks.measure import measure
from tests.attacks.peer import Target

SCALE = 0.002


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=1) as running:
        yield running


@pytest.mark.parametrize("name", list(ATTACKS))
def test_attack_is_sent_and_measured(cluster, name):
    target = Target("127.0.0.1", cluster.port(1), SCALE)
    outcome = measure(
        name, ATTACKS[name], target, cluster.bootstrap_servers, [cluster.pid(1)], after_s=(0,)
    )
    assert outcome.sent
    assert outcome.latencies_ms
    assert outcome.failed == 0
    assert outcome.before_mib > 1
    line = row(outcome)
    assert line.startswith(name)
    assert line.endswith(outcome.sent)
    assert "attacked" not in target.admin.list_topics(timeout=30).topics
