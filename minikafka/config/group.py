"""Configuration keys of groups. Source: `GroupConfig`."""

from minikafka.config.definition import ConfigType, Key, KeyTable, Update, at_least

CONSUMER_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="consumer.session.timeout.ms",
    type=ConfigType.INT,
    default=45000,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The time without a heartbeat after which a member of a consumer group is removed.",
)
CONSUMER_HEARTBEAT_INTERVAL_MS: Key[int] = Key(
    name="consumer.heartbeat.interval.ms",
    type=ConfigType.INT,
    default=5000,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The heartbeat interval that the members of a consumer group are told to use.",
)
CONSUMER_ASSIGNMENT_INTERVAL_MS: Key[int] = Key(
    name="consumer.assignment.interval.ms",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The shortest time between two assignments of a consumer group.",
)

GROUP_KEYS = KeyTable(
    "group",
    (
        CONSUMER_SESSION_TIMEOUT_MS,
        CONSUMER_HEARTBEAT_INTERVAL_MS,
        CONSUMER_ASSIGNMENT_INTERVAL_MS,
    ),
)
