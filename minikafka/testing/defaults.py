"""The configuration of clusters for tests where it differs from Kafka's defaults."""

from collections.abc import Mapping
from typing import Final

TEST_DEFAULTS: Final[Mapping[str, str]] = {
    # A node that is paused or cut off is replaced within about a second; one that was killed is
    # noticed at once.
    "broker.session.timeout.ms": "1000",
    "broker.heartbeat.interval.ms": "200",
    "controller.quorum.fetch.timeout.ms": "1000",
    "controller.quorum.election.timeout.ms": "500",
    "controller.quorum.election.backoff.max.ms": "200",
    # A replica is in sync soon after its topic is created, also if it asked too early.
    "replica.fetch.backoff.ms": "50",
    "replica.fetch.wait.max.ms": "100",
    # The first consumer group and the first transaction wait until these partitions exist.
    "offsets.topic.num.partitions": "5",
    "transaction.state.log.num.partitions": "5",
}
"""A test may override each of them by `Cluster(config=…)`."""
