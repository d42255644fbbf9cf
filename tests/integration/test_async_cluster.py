"""`AsyncCluster`: no verb holds the event loop up."""

import asyncio
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
