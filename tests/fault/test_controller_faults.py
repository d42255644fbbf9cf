"""S3: faults of the active controller among three voters that are brokers too.

Another controller is active in a newer epoch, elects leaders, and accepts changes.
"""

import threading

import pytest

from minikafka.harness.clients.metadata_changes import MetadataChanges
from minikafka.harness.lines import EventLog
from minikafka.harness.plan.schedule import CONTROLLER, DEPOSING, STANDBY
from tests.fault.world import World, opened


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("controllers")
    with opened(World(folder, "proxy", DEPOSING, "combined"), folder) as world:
        yield world


@pytest.fixture(autouse=True)
def whole(world):
    """Every test begins and ends with a cluster that is whole; the watcher polls for faults."""
    ended = threading.Event()

    def poll():
        while not ended.wait(0.2):
            world.watcher.look()

    polling = threading.Thread(target=poll, daemon=True)
    polling.start()
    try:
        yield
        while world.faults:
            world.faults.pop().end()
    finally:
        ended.set()
        polling.join()
    world.settle()


@pytest.mark.parametrize("kind", DEPOSING)
def test_another_controller_is_active_in_a_newer_epoch(world, kind):
    fault = world.begin(kind, CONTROLLER)
    found = fault.failover
    assert found is not None
    assert found.before == fault.nodes[0] != found.after
    assert found.epoch_after > found.epoch_before
    world.until(lambda: world.leader_for_others(found.before) not in (-1, found.before))


@pytest.mark.parametrize("kind", ["wipe", "old-voter"])
def test_a_standby_that_lost_its_metadata_catches_up(world, kind):
    before = world.quorum.ask()
    fault = world.begin(kind, STANDBY)
    [node] = fault.nodes
    assert node != before.leader
    assert fault.failover is None
    world.write()
    world.faults.pop().end()
    view = world.quorum.ask()
    assert view.ends[node] >= before.high_watermark


def test_changes_survive_a_failover(world, tmp_path):
    servers = world.cluster.bootstrap_servers
    changes = MetadataChanges(servers, "changes", EventLog(tmp_path / "events.jsonl"))
    for _ in range(4):
        changes.change()
    world.begin("kill", CONTROLLER)
    for _ in range(4):
        changes.change()
    world.faults.pop().end()
    changes.compare(threading.Event().wait)
    assert changes.lost == []
    assert changes.counts["acknowledged"] >= 4
