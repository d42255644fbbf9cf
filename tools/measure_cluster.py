"""Measure how long a cluster for tests takes from nothing to the first acknowledged record.

    python -m tools.measure_cluster [--rounds 10]

Medians and the longest time, in milliseconds. "first" is the first cluster of a process, from the
import of `minikafka.testing` on; "again" is a later one. "topics" is a hundred tests on one node
with a topic, a record and a deletion each. "kill" is from the kill of a partition's leader to the
next acknowledged record, with three nodes; "kill both" if it is the active controller, too.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

_FIRST = """
import sys, time
started_s = time.perf_counter()
from minikafka.testing import Cluster
with Cluster(nodes=int(sys.argv[1])) as cluster:
    cluster.create_topic("t")
    cluster.produce("t", "x")
    print(time.perf_counter() - started_s)
"""
_TOPICS = 100


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    for nodes in (1, 3):
        _report(f"{nodes} first", [_first(nodes) for _ in range(rounds)])
        _report(f"{nodes} again", [_again(nodes) for _ in range(rounds)])
    _report("topics", [_topics() for _ in range(max(rounds // 3, 1))])
    _report("kill", [_kill(is_controller=False) for _ in range(rounds)])
    _report("kill both", [_kill(is_controller=True) for _ in range(rounds)])


def _first(nodes: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _FIRST, str(nodes)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _again(nodes: int) -> float:
    # Imported here, since this process must not import for the others.
    from minikafka.testing import Cluster  # noqa: PLC0415

    with Cluster() as warm:
        warm.create_topic("t")

    def work() -> None:
        cluster.open()
        cluster.create_topic("t")
        cluster.produce("t", "x")

    cluster = Cluster(nodes=nodes)
    try:
        return _time(work)
    finally:
        cluster.close()


def _topics() -> float:
    from minikafka.testing import Cluster  # noqa: PLC0415

    with Cluster() as cluster:

        def work() -> None:
            for number in range(_TOPICS):
                cluster.create_topic(f"t-{number}")
                cluster.produce(f"t-{number}", "x")
                cluster.delete_topics(f"t-{number}")

        return _time(work)


def _kill(*, is_controller: bool) -> float:
    from minikafka.admin.client import AdminClient  # noqa: PLC0415
    from minikafka.admin.quorum import read_quorum_leader  # noqa: PLC0415
    from minikafka.testing import Cluster  # noqa: PLC0415

    with Cluster(nodes=3) as cluster:
        cluster.create_topic("t", config={"min.insync.replicas": 2})
        cluster.produce("t", "x")
        with AdminClient(cluster.bootstrap_servers, client_id="measure") as client:
            active = read_quorum_leader(client)
        assert active is not None
        others = [node for node in cluster.node_ids if node != active.node_id]
        cluster.move_leader("t", to=active.node_id if is_controller else others[0])

        def work() -> None:
            cluster.kill_leader("t")
            cluster.produce("t", "x")

        return _time(work)


def _time(work: Callable[[], None]) -> float:
    started_s = time.perf_counter()
    work()
    return time.perf_counter() - started_s


def _report(name: str, times_s: list[float]) -> None:
    middle, longest = median(times_s) * 1000, max(times_s) * 1000
    print(f"{name:10} median {middle:6.0f} ms, longest {longest:6.0f} ms, {len(times_s)} rounds")


if __name__ == "__main__":
    main()
