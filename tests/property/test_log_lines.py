"""No string of any request of any API and version begins a line of the log."""

import logging
import re
from contextlib import contextmanager
from random import Random

import pytest

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.server.log_lines import LineFormatter
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER, CONTROLLER
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT
from tests.fuzz.sane_fields import SANE
from tests.worlds.message_samples import Case
from tests.worlds.odd_requests import OddSampler, request_spec
from tests.worlds.sim_world import create_topic, started_cluster

FORGED = "g\r\n2026 CRITICAL forged\x1b[2J\x00\x85\u2028\u202e%s%d"
PORTS = {BROKER: BROKER_PORT, CONTROLLER: CONTROLLER_PORT}
UNANSWERED = ("acks", "max_wait_ms")
"""Fields whose sane values allow no answer, or a late one."""
ANSWERED_WITHIN_MS = 70_000
SERVED = [(role, key, name) for role, apis in MODULES.items() for key, (name, _, _) in apis.items()]


class Forger(OddSampler):
    """Gives one string field, or all of them, the forged text; arrays are never empty.

    Other fields have values with which a request gets further.
    """

    def __init__(self, case, rng, topic_ids, name):
        super().__init__(case, rng, topic_ids)
        self.name = name
        self.seen = {}
        sane = SANE.get(case.spec.api_key, {})
        self.sane = {name: choices for name, choices in sane.items() if name not in UNANSWERED}

    def of_type(self, field, kind, depth):
        if kind.element is not None:
            return [self.of_type(field, kind.element, depth + 1)]
        if kind.kind == "string":
            self.seen[field.name] = None
            if self.name in (None, field.name):
                return FORGED
        sane = self.sane.get(re.sub("(?<!^)(?=[A-Z])", "_", field.name).lower())
        return (
            self.rng.choice(sane)
            if sane and None not in sane
            else super().of_type(field, kind, depth)
        )


class Lines(logging.Handler):
    """The log lines of a node, event by event."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.setFormatter(LineFormatter("%(levelname)s %(message)s"))
        self.written = []

    def emit(self, record):
        self.written.append(self.format(record))


@contextmanager
def lines():
    handler = Lines()
    log = logging.getLogger("minikafka")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield handler.written
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def forged_requests(key, version, topic_ids):
    """A request with all strings forged, then one for each string field."""
    spec = request_spec(key)
    names = [None]
    for name in names:
        sampler = Forger(Case(spec, version), Random(f"{key}/{version}/{name}"), topic_ids, name)
        yield sampler.struct(spec.root, depth=0)
        if name is None:
            names.extend(sampler.seen)


def has_coordinator(cluster):
    """Wait until groups are served, so that requests get further than to a refusal."""
    client, codes = cluster.client(), []

    def ask():
        return client.ask(FindCoordinatorRequest("g"), FindCoordinatorResponse, version=3)

    while not codes or codes[-1]:
        codes.append(ask().error_code)
        cluster.world.run(100)


def written_for(role, key):
    cluster = started_cluster(1)
    ids = [create_topic(cluster, name) for name in ("t", "u")]
    has_coordinator(cluster)
    _, low, high = MODULES[role][key]
    answers = []
    with lines() as written:
        for version in range(low, high + 1):
            for request in forged_requests(key, version, ids):
                answer = []
                answers.append(answer)
                client = SimClient(
                    cluster.world, cluster.network, FORGED, ("n1", PORTS[role]), client_id=FORGED
                )
                client.send(request, answer.append, version=version)
        cluster.world.run_until(lambda: all(answers), ANSWERED_WITHIN_MS, "every answer")
    assert answers
    return written


@pytest.mark.parametrize(
    ("role", "key"), [row[:2] for row in SERVED], ids=[f"{row[2]}-{row[0]}" for row in SERVED]
)
def test_every_event_is_one_line(role, key):
    for text in written_for(role, key):
        first, *others = text.splitlines()
        assert "forged\x1b" not in first
        assert all(line.startswith("    ") for line in others), text


def test_forged_strings_reach_the_log():
    assert any(
        "\\r\\n2026 CRITICAL forged" in text
        for text in written_for(BROKER, ApiKey.FIND_COORDINATOR)
    )


def test_forged_groups_reach_the_log():
    """Lines of groups were never written: no coordinator was there."""
    written = written_for(BROKER, ApiKey.JOIN_GROUP)
    lines = [text for text in written if "[Group g\\r\\n2026 CRITICAL" in text]
    assert lines
    assert all(len(text.splitlines()) == 1 for text in lines)
