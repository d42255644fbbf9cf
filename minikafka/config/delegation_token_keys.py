"""Broker keys of delegation tokens.

Source: `DelegationTokenManagerConfigs`.
"""

from typing import Final

from minikafka.config.definition import ConfigType, Key, at_least

DELEGATION_TOKEN_SECRET_KEY: Final[Key[str | None]] = Key(
    name="delegation.token.secret.key",
    type=ConfigType.PASSWORD,
    default=None,
    nullable=True,
    doc="The secret that delegation tokens are made of, the same on all nodes; without it there "
    "are none.",
)
DELEGATION_TOKEN_MAX_LIFETIME_MS: Final[Key[int]] = Key(
    name="delegation.token.max.lifetime.ms",
    type=ConfigType.LONG,
    default=604_800_000,
    valid=at_least(1),
    doc="The time after which a delegation token cannot be renewed any more.",
)
DELEGATION_TOKEN_EXPIRY_TIME_MS: Final[Key[int]] = Key(
    name="delegation.token.expiry.time.ms",
    type=ConfigType.LONG,
    default=86_400_000,
    valid=at_least(1),
    doc="The time after which a delegation token expires unless it is renewed.",
)
DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS: Final[Key[int]] = Key(
    name="delegation.token.expiry.check.interval.ms",
    type=ConfigType.LONG,
    default=3_600_000,
    valid=at_least(1),
    doc="The time between two removals of expired delegation tokens.",
)

DELEGATION_TOKEN_KEYS: Final[tuple[Key[object], ...]] = (
    DELEGATION_TOKEN_SECRET_KEY,
    DELEGATION_TOKEN_MAX_LIFETIME_MS,
    DELEGATION_TOKEN_EXPIRY_TIME_MS,
    DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS,
)
