"""`AsyncCluster`: no verb holds the event loop up."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from minikafka.testing import AsyncCluster, ClusterError


class Pulse:
    """Measures the longest time that the loop did not run."""

    async def __aenter__(self):
        self.longest_s = 0.0
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _beat(self):
        last_s = time.monotonic()
        while True:
            await asyncio.sleep(0.005)
            now_s = time.monotonic()
            self.longest_s = max(self.longest_s, now_s - last_s)
            last_s = now_s


async def test_no_verb_holds_the_loop_up():
    async with Pulse() as pulse, AsyncCluster(nodes=3) as cluster:
        await cluster.create_topic("t", config={"min.insync.replicas": 1})
        await cluster.produce("t", "a")
        killed = await cluster.kill_leader("t")
        await cluster.start(killed)
        await cluster.wait_until_in_sync("t")
        await asyncio.gather(cluster.stop(1), cluster.topics())
        assert cluster.running == [2, 3]
        async with cluster.assert_produces("t") as records:
            await cluster.produce("t", "b")
        assert [it.value for it in records] == [b"b"]
        assert await cluster.wait_for(lambda: cluster.records("t"))
        assert await cluster.wait_for(lambda: "true at once")
        with pytest.raises(AssertionError, match="not within 0.1 s\nminikafka in "):
            await cluster.wait_for(lambda: False, timeout_s=0.1)
    # Kills and starts took seconds, and a loaded machine has pauses.
    assert pulse.longest_s < 1


async def test_a_start_that_is_cancelled_leaves_nothing(monkeypatch):
    # Only the cancellation ends the start.
    monkeypatch.setattr("minikafka.testing.cluster._START_TIMEOUT_S", 3600)
    cluster = AsyncCluster(nodes=3)
    task = asyncio.create_task(cluster.open())
    await asyncio.sleep(0.05)
    for _ in range(5):
        # As a scope of anyio does until the task has ended.
        task.cancel()
        await asyncio.sleep(0.001)
    with pytest.raises(asyncio.CancelledError):
        await task
    if cluster.sync.is_open:
        await cluster.close()
    with pytest.raises(ClusterError, match="the cluster is not open"):
        _ = cluster.bootstrap_servers
    async with cluster:
        assert await cluster.topics() == []


async def test_a_block_that_is_cancelled_closes_the_cluster():
    entered = asyncio.Event()
    cluster = AsyncCluster()

    async def block():
        async with cluster:
            entered.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(block())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not cluster.sync.is_open


def test_it_works_below_anyio_and_plain_asyncio():
    program = """
import asyncio, sys
from minikafka.testing import AsyncCluster

async def main():
    async with AsyncCluster() as cluster:
        await cluster.seed({"t": ["a"]})
        print(len(await cluster.records("t")))

if sys.argv[1] == "anyio":
    import anyio
    anyio.run(main)
else:
    asyncio.run(main())
"""
    for library in ("asyncio", "anyio"):
        done = subprocess.run(
            [sys.executable, "-c", program, library], capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr) == ("1\n", "")


async def test_faults_are_awaited_or_a_block():
    async with AsyncCluster(nodes=3) as cluster:
        await cluster.create_topic("t", assignment=[[1, 2, 3]])
        async with cluster.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic="t", times=2) as fault:
            await cluster.produce("t", "x")
            assert fault.hits == 2
        delay = await cluster.node(1).fault("Produce", "delay", ms=1)
        await cluster.produce("t", "y")
        assert (await delay).hits == 1
        await delay.remove()
        async with cluster.cut(1, [2, 3]):
            await cluster.wait_for(lambda: moved(cluster), what="another leader")
        async with cluster.node(2).clock(offset_ms=5), cluster.slow(1, 2, ms=1):
            assert "clock of node 2: offset 5 ms" in await cluster.state_text()
        await cluster.node(3).fill_disk()
        await cluster.node(3).free_disk()
        await cluster.node(3).lose_power()
        await cluster.heal()
        assert cluster.running == [1, 2, 3]
        assert "\nfaults:\n" not in await cluster.state_text()
        with pytest.raises(ClusterError, match="unknown API"):
            await cluster.fault("Prodoce", "drop")
        with pytest.raises(ClusterError, match="there is no node 4"):
            cluster.node(4)


async def moved(cluster):
    return await cluster.leader("t") != 1


async def test_the_loop_goes_on_while_a_node_does_not_answer():
    async with AsyncCluster() as cluster:
        os.kill(cluster.pid(1), signal.SIGSTOP)
        setting = asyncio.ensure_future(set_fault(cluster))
        await asyncio.sleep(0.2)
        assert not setting.done()
        os.kill(cluster.pid(1), signal.SIGCONT)
        assert "Produce drop" in repr(await setting)


async def test_a_fault_whose_task_is_cancelled_is_not_left():
    async with AsyncCluster() as cluster:
        setting = asyncio.ensure_future(set_fault(cluster))
        await asyncio.sleep(0)
        setting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await setting
        assert "\nfaults:\n" not in await cluster.state_text()


async def set_fault(cluster):
    return await cluster.fault("Produce", "drop")
