"""Feature levels: those that nodes advertise, and those of a new cluster.

Only features that are implemented are advertised. Source: `MetadataVersion`, `Feature`,
`QuorumFeatures` as of 4.3.1.
"""

from collections.abc import Mapping

from minikafka.metadata.broker_registration import FeatureRange

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
ELIGIBLE_LEADER_REPLICAS_VERSION = "eligible.leader.replicas.version"
TRANSACTION_VERSION = "transaction.version"
GROUP_VERSION = "group.version"

MINIMUM_METADATA_VERSION = 7
LATEST_METADATA_VERSION = 30

# The metadata.version in which something begins (`MetadataVersion`).
LEADER_EPOCH_KEPT_FROM = 12
"""A shrinking ISR does not bump the leader epoch."""
SCRAM_FROM = 11
METADATA_TRANSACTIONS_FROM = 13
DELEGATION_TOKENS_FROM = 14
CONTROLLERS_FROM = 15
DIRECTORIES_FROM = 17
ELR_FROM = 23
CORDONED_DIRECTORIES_FROM = 30

SUPPORTED_FEATURES: dict[str, FeatureRange] = {
    METADATA_VERSION: FeatureRange(MINIMUM_METADATA_VERSION, LATEST_METADATA_VERSION),
    KRAFT_VERSION: FeatureRange(0, 1),
    ELIGIBLE_LEADER_REPLICAS_VERSION: FeatureRange(0, 1),
    TRANSACTION_VERSION: FeatureRange(0, 2),
    GROUP_VERSION: FeatureRange(0, 1),
}


def unsupported_levels(finalized: Mapping[str, int]) -> list[str]:
    """Return a sentence for each finalized level that this node does not support."""
    found = []
    for name, level in finalized.items():
        supported = SUPPORTED_FEATURES.get(name, FeatureRange(0, 0))
        if not supported.includes(level):
            found.append(
                f"{name} is finalized at level {level}, and this node supports levels "
                f"{supported.minimum} to {supported.maximum}: lower it to {supported.maximum} "
                f"(kafka-features downgrade --feature {name}={supported.maximum}), or format with "
                f"--feature {name}={supported.maximum}"
            )
    return found


# Finalized by `format` without options, in the order of the bootstrap records.
DEFAULT_LEVELS: dict[str, int] = {
    METADATA_VERSION: LATEST_METADATA_VERSION,
    ELIGIBLE_LEADER_REPLICAS_VERSION: 1,
    GROUP_VERSION: 1,
    TRANSACTION_VERSION: 2,
}
