"""The common parts of the APIs of consumer groups (KIP-848)."""

from typing import Final

from minikafka.common.errors import UnsupportedVersionError
from minikafka.config.consumer_group_keys import REBALANCE_PROTOCOLS
from minikafka.metadata.features import GROUP_VERSION
from minikafka.serving.context import BrokerContext

_PROTOCOL: Final = "consumer"


def require_consumer_protocol(ctx: BrokerContext) -> None:
    """Check that the cluster has consumer groups.

    Raises:
        UnsupportedVersionError: `group.version` is 0, or the broker is configured without them.
    """
    broker = ctx.broker
    if not broker.image.feature(GROUP_VERSION):
        raise UnsupportedVersionError
    if _PROTOCOL not in broker.local.config[REBALANCE_PROTOCOLS]:
        raise UnsupportedVersionError
