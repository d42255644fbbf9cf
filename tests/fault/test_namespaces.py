"""S3: network faults between nodes in namespaces, which are removed however a run ends.

Where namespaces are not available, the harness must report why and use proxies: then all of
this is shown of them.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minikafka.harness.clusters.cluster_of_nodes import choose_network
from minikafka.harness.clusters.disk_faults import VOLUME
from minikafka.harness.clusters.namespaces import NamespaceNetwork
from minikafka.harness.clusters.network import NotDoneError
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.clusters.owner import mark
from minikafka.harness.clusters.proxy import ProxyNetwork
from minikafka.harness.plan.settings import HarnessError, RunSettings
from tests.fault.world import PATIENCE_S, TOPIC, World, opened

KINDS = ("cut", "isolate", "bandwidth")


def traces(owner):
    """Namespaces, links and mounts of the machine with this mark."""
    places = (Path("/run/netns"), Path("/sys/class/net"))
    names = [path.name for place in places if place.exists() for path in place.iterdir()]
    mounts = Path("/proc/mounts").read_text().splitlines()
    names += [line for line in mounts if line.startswith(VOLUME)]
    return [name for name in names if owner in name]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("namespaces")
    with opened(World(folder, "auto", KINDS), folder) as world:
        yield world
    assert traces(mark()) == []


@pytest.fixture(autouse=True)
def whole(request):
    yield
    if "world" in request.fixturenames:
        request.getfixturevalue("world").settle()


def test_nodes_are_in_namespaces_or_the_reason_is_reported(world):
    problem = NamespaceNetwork().problem()
    if not problem:
        assert world.cluster.network.way == NamespaceNetwork.way
        assert len(traces(mark())) == 6  # three brokers, a controller, the bridge, a link
    else:
        assert world.cluster.network.way == ProxyNetwork.way
        with pytest.raises(HarnessError, match=re.escape(problem)):
            choose_network("namespaces", KINDS, dict, 0)


def test_without_the_rights_the_harness_reports_it_and_uses_proxies():
    """Root without capabilities has no rights here, like a user who is not root."""
    told = """if True:
        from minikafka.harness.clusters.namespaces import NamespaceNetwork
        from minikafka.harness.clusters.cluster_of_nodes import choose_network
        print(NamespaceNetwork().problem())
        print(choose_network("auto", ["cut"], dict, 0).way)
    """
    setpriv = shutil.which("setpriv")
    without = [setpriv, "--bounding-set=-all", "--inh-caps=-all"] if setpriv else []
    if subprocess.run([*without, "true"], capture_output=True, check=False).returncode:
        without = []  # nothing is there that could be dropped
    command = [*without, sys.executable, "-c", told]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    problem, way = done.stdout.splitlines()
    assert "ip" in problem
    assert way == ProxyNetwork.way


@pytest.mark.parametrize("one_way", [False, True])
def test_a_pair_that_is_cut(world, one_way):
    """The leader misses the follower's fetches; clients and controller reach both."""
    leader = world.leader
    follower = next(node for node in (1, 2, 3) if node != leader)
    # One way: the follower's requests arrive, and the responses do not.
    fault = world.begin("cut", leader, follower, one_way=one_way)
    world.write()
    world.until(lambda: world.isr == {1, 2, 3} - {follower})
    assert world.leader == leader
    fault.end()


def test_a_pair_that_is_cut_the_other_way(world):
    leader = world.leader
    follower = next(node for node in (1, 2, 3) if node != leader)
    world.begin("cut", follower, leader, one_way=True)
    world.write()
    world.until(lambda: world.isr == {1, 2, 3} - {follower})


def test_an_isolated_leader_is_replaced(world):
    leader = world.leader
    fault = world.begin("isolate", leader)
    world.producer.produce(TOPIC, "to the isolated one, or the next")
    world.until(lambda: world.leader_for_others(leader) not in (-1, leader))
    fault.end()
    assert world.producer.flush(PATIENCE_S) == 0


def test_clients_that_are_cut_off_wait(world):
    fault = world.begin("cut", world.leader, "clients")
    world.producer.produce(TOPIC, "late")
    assert world.producer.flush(0.5) == 1
    fault.end()
    assert world.producer.flush(PATIENCE_S) == 0


def test_a_narrow_line_takes_its_time(world):
    world.begin("bandwidth", "leader of 0", kbit_s=400)
    # To both followers by the leader's line: more than 60 kB, of which 32 kB may go at once, at
    # 50 kB a second.
    assert world.seconds_to_write(2_000) >= 0.2


@pytest.mark.parametrize("kind", ["slow-node", "loss"])
def test_a_missing_kernel_feature_is_reported(world, kind):
    if kind in world.cluster.network.cannot:
        with pytest.raises(NotDoneError, match="no netem"):
            world.begin(kind, "leader of 0")
    elif kind == "slow-node":
        world.begin(kind, "leader of 0")
        assert world.seconds_to_write(20) >= 0.1
    else:
        # Lost packets are sent again after at least 0.2 s.
        world.begin(kind, "leader of 0", percent=30)
        world.until(lambda: world.seconds_to_write(20) >= 0.2)


OWNER = """
import os, sys
from pathlib import Path
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.clusters.owner import mark
from minikafka.harness.plan.settings import RunSettings
settings = RunSettings(nodes=1, min_isr=1)
OwnCluster(settings, Path(sys.argv[1]), ["cut", "full-disk"]).wait_ready()
links = [path for path in map(Path, ("/run/netns", "/sys/class/net")) if path.exists()]
print(mark(), sum(mark() in it.name for path in links for it in path.iterdir()), flush=True)
os.kill(os.getpid(), 9)
"""


def test_leftovers_of_a_killed_run_are_removed_when_the_next_one_starts(tmp_path):
    killed = tmp_path / "killed"
    command = [sys.executable, "-c", OWNER, killed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Counted by the killed process itself: a later run may remove them at any time.
    owner, count = done.stdout.split()
    assert len(owner) == len(mark()), done.stderr
    assert int(count) == (0 if NamespaceNetwork().problem() else 4)
    next_one = OwnCluster(RunSettings(nodes=1, min_isr=1), tmp_path / "next", [])
    try:
        next_one.wait_ready()
        assert traces(owner) == []
    finally:
        assert next_one.close() == ""
    # The folder has the files of the volume.
    assert (killed / "node-1" / "data" / "meta.properties").exists()
