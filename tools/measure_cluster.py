"""Measure how long a cluster for tests takes from nothing to the first acknowledged record.

    python -m tools.measure_cluster [--rounds 10] [--beside NAME=COMMAND]

Medians and the longest time, in milliseconds, with the load of the machine. "first" is the first
cluster of a process, from the import of `minikafka.testing` on; "again" is a later one. "topics" is
a hundred tests on one node with a topic, a record and a deletion each. "kill" is from the kill of a
partition's leader to the next acknowledged record, with three nodes; "kill both" if it is the
active controller, too.

`--beside` measures another server in alternation. The command gets the words `first 1`, `first 3`,
`topics` or `kill`; the last line of its output is the time in seconds, measured as above from the
start of its code; it fails for what it cannot do. Such a program has a few lines: for `kfake` of
franz-go it is written in Go, for `KafkaClusterTestKit` of Apache Kafka's test jars in Java.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
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
_OTHER_S = 60


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    others = dict(text.partition("=")[::2] for text in options.beside)
    rounds, few = options.rounds, max(options.rounds // 3, 1)
    for nodes in (1, 3):
        _compare(f"{nodes} first", partial(_first, nodes), rounds, others, f"first {nodes}")
        _compare(f"{nodes} again", partial(_again, nodes), rounds)
    _compare("topics", _topics, few, others, "topics")
    _compare("kill", partial(_kill, is_controller=False), rounds, others, "kill")
    _compare("kill both", partial(_kill, is_controller=True), rounds)


def _compare(
    what: str,
    measure: Callable[[], float],
    rounds: int,
    others: Mapping[str, str] | None = None,
    words: str = "",
) -> None:
    """Measure in alternation, and print a line for each server."""
    measures = {"minikafka": measure}
    for name, command in (others or {}).items():
        measures[name] = partial(_other, [*shlex.split(command), *words.split()])
    times_s: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, work in measures.items():
            try:
                times_s[name].append(work())
            except subprocess.SubprocessError as error:
                print(f"{what:10} {name}: {error}", file=sys.stderr)
    for name, found in times_s.items():
        if found:
            _report(what, name, found)


def _other(command: list[str]) -> float:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_OTHER_S)
    return float(done.stdout.split()[-1])


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


def _report(what: str, name: str, times_s: list[float]) -> None:
    middle, longest = median(times_s) * 1000, max(times_s) * 1000
    print(
        f"{what:10} {name:10} median {middle:6.0f} ms, longest {longest:6.0f} ms, "
        f"{len(times_s)} rounds, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
