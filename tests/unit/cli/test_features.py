"""`kafka-features.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.cli import _subcommands, features
from minikafka.common.errors import ErrorCode
from minikafka.messages.update_features import UpdateFeaturesRequest
from tests.worlds.fake_cluster import FakeCluster

ELR = "eligible.leader.replicas.version"


@pytest.fixture
def cluster(monkeypatch):
    fake = FakeCluster()
    fake.features = {"metadata.version": (7, 30, 30), "kraft.version": (0, 1, 0), ELR: (0, 1, 1)}
    monkeypatch.setattr(_subcommands, "connect", lambda _: fake)
    return fake


@pytest.fixture
def run(cluster, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        features.add_arguments(parser)
        try:
            status = features.run(parser.parse_args(["--bootstrap-server", "127.0.0.1:1", *words]))
        except SystemExit as end:
            status = end.code
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def test_describe(run):
    assert run("describe")[1].splitlines() == [
        f"Feature: {name:<42}SupportedMinVersion: {low:<17}SupportedMaxVersion: {high:<17}"
        f"FinalizedVersionLevel: {final:<17}Epoch: 7"
        for name, low, high, final in (
            (ELR, "0", "1", "1"),
            ("kraft.version", "0", "1", "0"),
            ("metadata.version", "3.3-IV3", "4.3-IV0", "4.3-IV0"),
        )
    ]


@pytest.mark.parametrize(
    ("words", "said", "kind", "level"),
    [
        (("upgrade", "--feature", f"{ELR}=1"), f"{ELR} was upgraded to 1.\n", 1, 1),
        (("upgrade", "--feature", f"{ELR}=1", "--dry-run"), f"{ELR} can be upgraded to 1.\n", 1, 1),
        (("downgrade", "--feature", f"{ELR}=0"), f"{ELR} was downgraded to 0.\n", 2, 0),
        (("downgrade", "--feature", f"{ELR}=0", "--unsafe"), f"{ELR} was downgraded to 0.\n", 3, 0),
        (("disable", "--feature", ELR), f"{ELR} was disabled.\n", 2, 0),
    ],
)
def test_levels_change(cluster, run, words, said, kind, level):
    """E12."""
    assert run(*words) == (0, said, "")
    request = cluster.last(UpdateFeaturesRequest)
    (update,) = request.feature_updates
    assert (update.feature, update.max_version_level, update.upgrade_type) == (ELR, level, kind)
    assert request.validate_only == ("--dry-run" in words)


def test_a_refusal_names_every_feature(cluster, run):
    cluster.refusals.append((ErrorCode.INVALID_UPDATE_VERSION, "no"))
    assert run("upgrade", "--feature", "b=2", "--feature", "a=1") == (
        1,
        "Could not upgrade a to 1. no\nCould not upgrade b to 2. no\n",
        "2 out of 2 operation(s) failed.\n",
    )
    cluster.refusals.append((ErrorCode.INVALID_UPDATE_VERSION, "no"))
    assert run("disable", "--feature", "a", "--dry-run")[1] == "Can not disable a. no\n"


def test_a_release_changes_the_features_that_there_are(cluster, run):
    assert run("upgrade", "--release-version", "4.3-IV0")[1] == (
        f"{ELR} was upgraded to 1.\nmetadata.version was upgraded to 30.\n"
    )
    cluster.features["kraft.version"] = (0, 1, 1)
    assert "kraft.version was upgraded to 1." in run("upgrade", "--release-version", "4.3")[1]


def test_metadata_is_deprecated(run):
    assert run("upgrade", "--metadata", "4.3-IV0")[1] == (
        " `metadata` flag is deprecated and may be removed in a future release.\n"
        "metadata.version was upgraded to 30.\n"
    )


def test_version_mapping(run):
    lines = run("version-mapping", "--release-version", "4.1")[1].splitlines()
    assert lines[:2] == ["metadata.version=27 (4.1)", "kraft.version=1"]
    assert run("version-mapping")[1].startswith("metadata.version=30 (4.3-IV0)\n")


def test_feature_dependencies(run):
    both = ("--feature", f"{ELR}=1", "--feature", "metadata.version=30")
    assert run("feature-dependencies", *both)[1] == (
        f"{ELR}=1 requires:\n    metadata.version=23 (4.0-IV1)\n"
        "metadata.version=30 (4.3-IV0) has no dependencies.\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("upgrade",), "You must specify at least one feature to upgrade"),
        (("disable",), "You must specify at least one feature to disable"),
        (("upgrade", "--feature", "x"), "Can't parse feature=level string x: equals sign not"),
        (("upgrade", "--feature", "x=y"), "Can't parse feature=level string x=y: unable to"),
        (("upgrade", "--feature", "x=0"), "The upgradeType flag should be set to SAFE_DOWNGRADE"),
        (
            ("upgrade", "--release-version", "4.3", "--feature", "x=1"),
            "Can not specify `release-version` with other feature flags.",
        ),
        (("upgrade", "--release-version", "1.0"), "Unknown metadata.version '1.0'. Supported"),
        (("version-mapping", "--release-version", "x"), "Unknown metadata.version 'x'."),
        (("feature-dependencies", "--feature", "nope=1"), "Unknown feature: nope"),
        (
            ("feature-dependencies", "--feature", "kraft.version=9"),
            "No feature:kraft.version with feature level 9",
        ),
        (("nonsense",), "Command line error: argument ACTION: invalid choice: 'nonsense'"),
        ((), "Command line error: "),
    ],
)
def test_wrong_words(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)
