"""One thread flushes, two compute; further work waits for them."""

from random import Random

from minikafka.sim.world.sim_threads import SimThreads
from minikafka.sim.world.world import World


def test_flushes_run_one_after_the_other():
    threads = SimThreads(World(1), Random(1))
    delays = [threads.queue_flush((1_000, 1_000)) for _ in range(3)]
    assert [end for _, end in delays] == [1_000, 2_000, 3_000]
    assert all(end - 1_000 <= sync <= end for sync, end in delays)


def test_two_computations_run_at_the_same_time():
    threads = SimThreads(World(1), Random(1))
    assert [threads.queue_work((500, 500)) for _ in range(4)] == [500, 500, 1_000, 1_000]


def test_idle_threads_begin_at_once():
    world = World(1)
    threads = SimThreads(world, Random(1))
    threads.queue_flush((1_000, 1_000))
    world.run(5)
    assert threads.queue_flush((1_000, 1_000))[1] == 1_000
    assert threads.queue_work((500, 500)) == 500


def test_the_work_of_an_ended_process_delays_no_other():
    threads = SimThreads(World(1), Random(1))
    threads.queue_flush((9_000, 9_000))
    threads.queue_work((9_000, 9_000))
    threads.queue_work((9_000, 9_000))
    threads.end()
    assert threads.queue_flush((1_000, 1_000))[1] == 1_000
    assert threads.queue_work((500, 500)) == 500
