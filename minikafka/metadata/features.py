"""Feature levels: what nodes advertise, and what a new cluster starts with.

Only what is really there is advertised. Source: `MetadataVersion`, `Feature`, `QuorumFeatures` as
of 4.3.1.
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

# Finalized by a plain format, in the order in which the bootstrap records name them.
DEFAULT_LEVELS: dict[str, int] = {
    METADATA_VERSION: LATEST_METADATA_VERSION,
    ELIGIBLE_LEADER_REPLICAS_VERSION: 1,
}
