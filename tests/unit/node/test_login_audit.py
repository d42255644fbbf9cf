"""The lines of failed logins are few and short; the counts are complete."""

import logging
from random import Random

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.node.login_audit import LoginAudit


def _pass_time(env, ms):
    env.clock.set(Now(env.clock.monotonic_ms + ms, 0))
    env.timers.fire_due(env.clock.monotonic_ms)


def test_many_failures_have_few_lines(caplog):
    env = Environment(Random(1))
    audit = LoginAudit(env)
    with caplog.at_level(logging.WARNING):
        for _ in range(1_000):
            audit.failed("SASL", "peer", "PLAIN", "x" * 1_000, "wrong id " + "y" * 1_000)
        _pass_time(env, 10_000)
        assert len(caplog.records) == 11
        assert caplog.messages[-1] == "990 more failed logins in the last 10 s"
        assert max(map(len, caplog.messages)) < 500
        audit.failed("SASL", "peer", "", "", "unexpected request METADATA before the login")
    assert caplog.messages[-1] == (
        "failed login on listener SASL from peer: unexpected request METADATA before the login"
    )


def test_counts_are_by_listener():
    audit = LoginAudit(Environment(Random(1)))
    audit.of_listener("A").failed += 2
    audit.of_listener("B").succeeded += 1
    assert (audit.counts["A"].failed, audit.counts["B"].succeeded) == (2, 1)
