"""Which log directories a simulated machine knows to be closed, and when its end was clean."""

import pytest

from minikafka.log.checkpoints import CLEAN_SHUTDOWN, write_clean_shutdown
from minikafka.sim.world.crashes import Crash
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.worlds.sim_world import started_cluster


@pytest.fixture
def stopped():
    """A broker with two log directories that has completed a controlled shutdown."""
    cluster = started_cluster(2, separate_controller=True, log_dirs=2)
    return stop(cluster, cluster.nodes[2])


def stop(cluster, node):
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    assert (node.exit_code, node.ended_cleanly) == (0, True)
    return cluster, node


def test_a_shutdown_closes_all_directories_until_the_next_start(stopped):
    _, node = stopped
    assert node.closed_directories == ("/n2-0", "/n2-1")
    node.start()
    assert node.began_cleanly
    assert node.closed_directories == ()
    node.kill()
    assert not node.ended_cleanly
    assert node.closed_directories == ()


@pytest.mark.parametrize("keeps_file", [False, True])
def test_a_directory_that_failed_at_the_start_is_not_closed(stopped, keeps_file):
    """Seed 72000027: its recovery points are those of a process that crashed."""
    cluster, node = stopped
    node.disks["/n2-1"].broken = IO_ERROR
    node.start()
    assert node.began_cleanly
    node.disks["/n2-1"].repair()
    if not keeps_file:
        node.disks["/n2-1"].remove(CLEAN_SHUTDOWN)
    cluster.world.run_until(lambda: node.started, 60_000, "it serves")
    stop(cluster, node)
    assert node.disks["/n2-1"].exists(CLEAN_SHUTDOWN) is keeps_file
    assert node.closed_directories == ("/n2-0",)
    node.start()
    assert node.began_cleanly


def test_a_start_that_ends_early_may_leave_an_unclean_end(stopped):
    """It ends before or after it has removed a clean shutdown file."""
    _, node = stopped
    node.start(Crash(0, power=False))
    assert not node.alive
    assert node.closed_directories == ("/n2-0", "/n2-1")
    operations = 0
    while len(node.closed_directories) == 2:
        operations += 1
        node.start(Crash(operations, power=False))
        assert not node.alive
        assert node.began_cleanly
    assert node.closed_directories == ("/n2-1",)
    node.start()
    assert node.alive
    assert not node.began_cleanly


def test_a_clean_shutdown_file_that_came_back_closes_no_directory(stopped):
    _, node = stopped
    node.start()
    node.kill()
    for disk in node.disks.values():
        write_clean_shutdown(disk, 7)
    assert node.closed_directories == ()
