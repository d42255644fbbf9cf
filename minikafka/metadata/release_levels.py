"""The feature levels of each release of Apache Kafka, by metadata.version.

A table for the tools, as of 4.3.1; the levels that this project supports are in `features.py`.
Source: `MetadataVersion`, `Feature`.
"""

from minikafka.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    GROUP_VERSION,
    KRAFT_VERSION,
    METADATA_VERSION,
    TRANSACTION_VERSION,
)

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

# (level, the first metadata.version whose release has it), ascending; level 0 before that.
_LEVELS: dict[str, tuple[tuple[int, int], ...]] = {
    KRAFT_VERSION: ((1, 21),),
    TRANSACTION_VERSION: ((1, 24), (2, 24)),
    GROUP_VERSION: ((1, 22),),
    ELIGIBLE_LEADER_REPLICAS_VERSION: ((1, 26),),
    "share.version": ((1, 28),),
    "streams.version": ((1, 29),),
}
_DEPENDENCIES = {(ELIGIBLE_LEADER_REPLICAS_VERSION, 1): (METADATA_VERSION, 23)}


def release_of(level: int) -> str:
    """The name of a metadata.version; the number itself if it has no name."""
    return next((name for name, number in RELEASES.items() if number == level), str(level))


def level_of(release: str) -> int | None:
    """The metadata.version of a release such as 4.1-IV0, or 4.1 for its newest; None if unknown."""
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
    """True if there is a feature of this name."""
    return feature == METADATA_VERSION or feature in _LEVELS


def has_level(feature: str, level: int) -> bool:
    """True if a feature has this level."""
    if feature == METADATA_VERSION:
        return level in RELEASES.values()
    return level == 0 or any(level == each for each, _ in _LEVELS[feature])


def dependency(feature: str, level: int) -> tuple[str, int] | None:
    """The feature and level that this feature level requires, or None."""
    return _DEPENDENCIES.get((feature, level))
