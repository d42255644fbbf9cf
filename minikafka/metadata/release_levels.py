"""Which feature levels belong to which release of Apache Kafka, by metadata.version.

A table of facts for the tools, as of 4.3.1; what this cluster itself supports is in `features.py`.
Source: `MetadataVersion`, `Feature`.
"""

from minikafka.metadata.features import KRAFT_VERSION
from minikafka.metadata.image import ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION

RELEASES: dict[str, int] = {
    name: level
    for level, name in enumerate(
        (
            "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2",
            "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0",
            "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
            "4.4-IV0",
        ),
        start=7,
    )
}  # fmt: skip
LATEST = "4.3-IV0"

# (level, the metadata.version from which a release has it), ascending; level 0 before that.
_LEVELS: dict[str, tuple[tuple[int, int], ...]] = {
    KRAFT_VERSION: ((1, 21),),
    "transaction.version": ((1, 24), (2, 24)),
    "group.version": ((1, 22),),
    ELIGIBLE_LEADER_REPLICAS_VERSION: ((1, 26),),
    "share.version": ((1, 28),),
    "streams.version": ((1, 29),),
}
_DEPENDENCIES = {(ELIGIBLE_LEADER_REPLICAS_VERSION, 1): (METADATA_VERSION, 23)}


def release_of(level: int) -> str:
    """The name of a metadata.version; the number itself where it has none."""
    return next((name for name, number in RELEASES.items() if number == level), str(level))


def level_of(release: str) -> int | None:
    """The metadata.version of a release, such as 4.1-IV0, or 4.1 for its newest; None for none."""
    if release in RELEASES:
        return RELEASES[release]
    found = [level for name, level in RELEASES.items() if name.split("-")[0] == release]
    return max(found, default=None)


def levels_of(metadata_version: int) -> dict[str, int]:
    """The levels of the other features in the release with this metadata.version."""
    return {
        name: max((level for level, since in steps if since <= metadata_version), default=0)
        for name, steps in _LEVELS.items()
    }


def is_known(feature: str) -> bool:
    """Whether there is such a feature."""
    return feature == METADATA_VERSION or feature in _LEVELS


def has_level(feature: str, level: int) -> bool:
    """Whether a feature has this level."""
    if feature == METADATA_VERSION:
        return level in RELEASES.values()
    return level == 0 or any(level == each for each, _ in _LEVELS[feature])


def dependency(feature: str, level: int) -> tuple[str, int] | None:
    """The feature and its level without which this one cannot be had."""
    return _DEPENDENCIES.get((feature, level))
