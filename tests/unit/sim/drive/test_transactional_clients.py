"""A transactional client that learns another transaction version."""

from types import SimpleNamespace

import pytest

from minikafka.sim.drive.transactional_clients import TransactionalClient


def client_of(version, latest):
    return TransactionalClient(
        connections=SimpleNamespace(rng=SimpleNamespace(random=lambda: 0.0)), name="x",
        transactional_id="x", partitions=[], version=version, timeout_ms=1,
        finalized_version=lambda: latest,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("version", "latest", "needs_epoch"),
    [(1, 2, True), (0, 2, True), (2, 1, False), (0, 1, False), (1, 1, False), (1, None, False)],
)
def test_version_2_begins_with_another_epoch(monkeypatch, version, latest, needs_epoch):
    """Seed 96000141: its first records became a part of the last transaction of version 1."""
    done = []
    monkeypatch.setattr(TransactionalClient, "_initialize", lambda _: done.append("epoch"))
    monkeypatch.setattr(TransactionalClient, "_write", lambda *_: done.append("records"))
    client = client_of(version, latest)
    client.partitions = ["in-0"]
    client.connections.rng.sample = lambda items, _: items
    client.connections.rng.randint = lambda *_: 1
    client._begin()
    assert done == ["epoch" if needs_epoch else "records"]
    assert client.version == (version if latest is None else latest)
