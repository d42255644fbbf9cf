"""Describe, raise and lower feature levels (Kafka: `FeatureCommand`; E12)."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient
from minikafka.admin.features import UpgradeType, describe_features, update_features
from minikafka.commands.options import FAILED, ToolError
from minikafka.common.whole_numbers import INT16_MAX, whole_number
from minikafka.metadata.features import KRAFT_VERSION, METADATA_VERSION
from minikafka.metadata.release_levels import (
    RELEASES,
    dependency,
    has_level,
    is_known,
    level_of,
    levels_of,
    release_of,
)


class FeatureChange(NamedTuple):
    """The features to change, and how."""

    action: str
    """`upgrade`, `downgrade` or `disable`."""
    features: Sequence[str]
    """The features in the form NAME=LEVEL; NAME to disable them."""
    metadata: str | None
    """The release whose metadata.version is set."""
    release_version: str | None
    """The release whose levels are set; without `features` and `metadata`."""
    unsafe: bool
    """Lower levels even where metadata is lost."""
    dry_run: bool
    """Ask the cluster, but change nothing."""


def print_features(client: AdminClient, node_id: int | None) -> None:
    """Print the levels of each feature as broker `node_id` knows them; None means any broker.

    Raises:
        AdminError: the cluster does not answer.
    """
    found = describe_features(client, node_id)
    epoch = "-" if found.epoch is None else found.epoch
    for it in found.features:
        levels = (it.minimum, it.maximum, it.finalized)
        texts = map(release_of, levels) if it.name == METADATA_VERSION else map(str, levels)
        low, high, final = (f"{text:<17}" for text in texts)
        print(
            f"Feature: {it.name:<42}SupportedMinVersion: {low}SupportedMaxVersion: {high}"
            f"FinalizedVersionLevel: {final}Epoch: {epoch}"
        )


def change_features(client: AdminClient, change: FeatureChange) -> int:
    """Change feature levels, and print the result for each feature; return the exit status.

    Raises:
        ToolError: the change names no feature, an unknown release, or an invalid level.
        AdminError: the cluster does not answer.
    """
    if change.action == "disable":
        return _disable(client, change)
    action = change.action
    if change.release_version is not None and (change.metadata is not None or change.features):
        raise ToolError("Can not specify `release-version` with other feature flags.")
    levels: dict[str, int] = {}
    if change.metadata is not None:
        print(" `metadata` flag is deprecated and may be removed in a future release.")
        levels[METADATA_VERSION] = _known_level(change.metadata)
    levels.update(map(_parse, change.features))
    if change.release_version is not None:
        levels = _of_release(client, change.release_version)
    if not levels:
        raise ToolError(f"You must specify at least one feature to {action}")
    if action == "upgrade":
        too_low = next((level for level in levels.values() if level < 1), None)
        if too_low is not None and change.release_version is None:
            raise ToolError(
                "The upgradeType flag should be set to SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the"
                f" provided maxVersionLevel:{too_low} is < 1."
            )
        return _update(client, change, levels, UpgradeType.UPGRADE)
    return _update(client, change, levels, _downgrade_type(change))


def _of_release(client: AdminClient, release: str) -> dict[str, int]:
    """Return the levels of a release, for the features that the cluster has."""
    metadata_version = _known_level(release)
    levels = {METADATA_VERSION: metadata_version, **levels_of(metadata_version)}
    # Unlike Kafka (row O3): kraft.version 0 stays: it is another kind of quorum.
    changeable = [
        it.name
        for it in describe_features(client).features
        if it.name != KRAFT_VERSION or it.finalized
    ]
    return {name: level for name, level in levels.items() if name in changeable}


def _disable(client: AdminClient, change: FeatureChange) -> int:
    if not change.features:
        raise ToolError("You must specify at least one feature to disable")
    return _update(client, change, dict.fromkeys(change.features, 0), _downgrade_type(change))


def _downgrade_type(change: FeatureChange) -> UpgradeType:
    return UpgradeType.UNSAFE_DOWNGRADE if change.unsafe else UpgradeType.SAFE_DOWNGRADE


def _update(
    client: AdminClient, change: FeatureChange, levels: Mapping[str, int], kind: UpgradeType
) -> int:
    errors = update_features(client, levels, kind, dry_run=change.dry_run)
    failed = 0
    for name in sorted(levels):
        to = "" if change.action == "disable" else f" to {levels[name]}"
        reason = errors[name]
        if reason is None:
            done = "can be" if change.dry_run else "was"
            print(f"{name} {done} {change.action}d{to}.")
        else:
            failed += 1
            could = "Can" if change.dry_run else "Could"
            print(f"{could} not {change.action} {name}{to}. {reason}")
    if failed:
        print(f"{failed} out of {len(levels)} operation(s) failed.", file=sys.stderr)
    return FAILED if failed else 0


def print_levels_of_release(release: str) -> None:
    """Print the level of each feature that a release has.

    Raises:
        ToolError: the release is unknown.
    """
    metadata_version = _known_level(release)
    print(f"{METADATA_VERSION}={metadata_version} ({release})")
    for name, level in levels_of(metadata_version).items():
        print(f"{name}={level}")


def print_dependencies(features: Iterable[str]) -> None:
    """Print the levels that each of these levels, in the form NAME=LEVEL, requires.

    Raises:
        ToolError: a feature or a level is unknown.
    """
    for text in features:
        name, level = _parse(text)
        if not is_known(name):
            raise ToolError(f"Unknown feature: {name}")
        if not has_level(name, level):
            raise ToolError(f"No feature:{name} with feature level {level}")
        shown = f"{name}={level}"
        if name == METADATA_VERSION:
            shown += f" ({release_of(level)})"
        needed = dependency(name, level)
        if needed is None:
            print(f"{shown} has no dependencies.")
        else:
            print(f"{shown} requires:")
            print(f"    {needed[0]}={needed[1]} ({release_of(needed[1])})")


def _known_level(release: str) -> int:
    level = level_of(release)
    if level is None:
        raise ToolError(
            f"Unknown metadata.version '{release}'. Supported metadata.version are: "
            + ", ".join(RELEASES)
        )
    return level


def _parse(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not equals:
        raise ToolError(f"Can't parse feature=level string {text}: equals sign not found.")
    try:
        return name.strip(), whole_number(level, -INT16_MAX - 1, INT16_MAX)
    except ValueError:
        raise ToolError(
            f"Can't parse feature=level string {text}: unable to parse {level} as a short."
        ) from None
