"""Configuration keys of the broker for consumer groups (KIP-848).

Source: `GroupCoordinatorConfig`.
"""

from collections.abc import Mapping
from typing import Final

from minikafka.config.definition import (
    ConfigType,
    Key,
    Update,
    at_least,
    not_empty,
    one_of,
    subset_of,
)

REBALANCE_PROTOCOLS: Key[tuple[str, ...]] = Key(
    name="group.coordinator.rebalance.protocols",
    type=ConfigType.LIST,
    default=("classic", "consumer", "streams"),
    valid=not_empty(subset_of("classic", "consumer", "streams", "share")),
    doc="The group protocols; classic is always served, streams and share are not available.",
)
SESSION_TIMEOUT_MS: Key[int] = Key(
    name="group.consumer.session.timeout.ms",
    type=ConfigType.INT,
    default=45000,
    valid=at_least(1),
    doc="The time without a heartbeat after which a member of a consumer group is removed.",
)
MIN_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="group.consumer.min.session.timeout.ms",
    type=ConfigType.INT,
    default=45000,
    valid=at_least(1),
    doc="The shortest session timeout that a consumer group may be given.",
)
MAX_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="group.consumer.max.session.timeout.ms",
    type=ConfigType.INT,
    default=60000,
    valid=at_least(1),
    doc="The longest session timeout that a consumer group may be given.",
)
HEARTBEAT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.heartbeat.interval.ms",
    type=ConfigType.INT,
    default=5000,
    valid=at_least(1),
    doc="The heartbeat interval that members of consumer groups are told to use.",
)
MIN_HEARTBEAT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.min.heartbeat.interval.ms",
    type=ConfigType.INT,
    default=5000,
    valid=at_least(1),
    doc="The shortest heartbeat interval that a consumer group may be given.",
)
MAX_HEARTBEAT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.max.heartbeat.interval.ms",
    type=ConfigType.INT,
    default=15000,
    valid=at_least(1),
    doc="The longest heartbeat interval that a consumer group may be given.",
)
ASSIGNMENT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.assignment.interval.ms",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The shortest time between two assignments of a consumer group.",
)
MIN_ASSIGNMENT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.min.assignment.interval.ms",
    type=ConfigType.INT,
    default=0,
    valid=at_least(0),
    doc="The least assignment interval that a consumer group may be given.",
)
MAX_ASSIGNMENT_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.max.assignment.interval.ms",
    type=ConfigType.INT,
    default=15000,
    valid=at_least(0),
    doc="The greatest assignment interval that a consumer group may be given.",
)
MAX_SIZE: Key[int] = Key(
    name="group.consumer.max.size",
    type=ConfigType.INT,
    default=2147483647,
    valid=at_least(1),
    doc="The maximum number of members of a consumer group.",
)
ASSIGNOR_CLASSES: Mapping[str, str] = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": "uniform",
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": "range",
}
"""The classes that configurations of Kafka may have, with the names of the assignors."""
ASSIGNORS: Key[tuple[str, ...]] = Key(
    name="group.consumer.assignors",
    type=ConfigType.LIST,
    default=("uniform", "range"),
    valid=not_empty(subset_of("uniform", "range", *ASSIGNOR_CLASSES)),
    doc="The assignors of consumer groups; the first one is the default.",
)
_POLICIES: Final = ("disabled", "upgrade", "downgrade", "bidirectional")
MIGRATION_POLICY: Key[str] = Key(
    name="group.consumer.migration.policy",
    type=ConfigType.STRING,
    default="bidirectional",
    valid=one_of(*_POLICIES),
    spellings={each: each for each in _POLICIES},
    doc="Whether a group in use may change to the consumer protocol (upgrade), or back.",
)
REGEX_REFRESH_INTERVAL_MS: Key[int] = Key(
    name="group.consumer.regex.refresh.interval.ms",
    type=ConfigType.INT,
    default=600000,
    valid=at_least(10000),
    doc="The time after which the topics of patterns are looked up again in any case.",
)

CONSUMER_GROUP_KEYS: tuple[Key[object], ...] = (
    REBALANCE_PROTOCOLS,
    SESSION_TIMEOUT_MS,
    MIN_SESSION_TIMEOUT_MS,
    MAX_SESSION_TIMEOUT_MS,
    HEARTBEAT_INTERVAL_MS,
    MIN_HEARTBEAT_INTERVAL_MS,
    MAX_HEARTBEAT_INTERVAL_MS,
    ASSIGNMENT_INTERVAL_MS,
    MIN_ASSIGNMENT_INTERVAL_MS,
    MAX_ASSIGNMENT_INTERVAL_MS,
    MAX_SIZE,
    ASSIGNORS,
    MIGRATION_POLICY,
    REGEX_REFRESH_INTERVAL_MS,
)
