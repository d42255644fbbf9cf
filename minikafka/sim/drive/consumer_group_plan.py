"""Consumer groups in plans: their number, and the configuration of brokers for them."""

from collections.abc import Mapping
from random import Random
from typing import Final

_SHARE: Final = 0.15
CONSUMER_GROUP_CONFIG: Final[Mapping[str, str]] = {
    "group.consumer.min.session.timeout.ms": "6000",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.heartbeat.interval.ms": "500",
    "group.consumer.heartbeat.interval.ms": "500",
}
"""Short times, so that sessions end in a run."""


def draw_consumer_groups(seed: int) -> int:
    """Return the number of a seed's groups of the consumer protocol; most seeds have none."""
    own = Random(f"consumer-groups/{seed}")
    return own.choice((1, 2, 2)) if own.random() < _SHARE else 0
