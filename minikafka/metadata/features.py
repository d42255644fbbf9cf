"""Feature levels: those that nodes advertise, and those of a new cluster.

Only features that are implemented are advertised. Source: `MetadataVersion`, `Feature`,
`QuorumFeatures` as of 4.3.1.
"""

from minikafka.metadata.broker_registration import FeatureRange
from minikafka.metadata.image import ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION

KRAFT_VERSION = "kraft.version"

MINIMUM_METADATA_VERSION = 7
LATEST_METADATA_VERSION = 30

SUPPORTED_FEATURES: dict[str, FeatureRange] = {
    METADATA_VERSION: FeatureRange(MINIMUM_METADATA_VERSION, LATEST_METADATA_VERSION),
    KRAFT_VERSION: FeatureRange(0, 1),
    ELIGIBLE_LEADER_REPLICAS_VERSION: FeatureRange(0, 1),
}

# Finalized by `format` without options, in the order of the bootstrap records.
DEFAULT_LEVELS: dict[str, int] = {
    METADATA_VERSION: LATEST_METADATA_VERSION,
    ELIGIBLE_LEADER_REPLICAS_VERSION: 1,
}
