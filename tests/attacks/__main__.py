"""Attacks on a cluster of three nodes, one after the other, with an honest producer beside each.

    python -m tests.attacks [NAME…] [--scale F] [--list]
    python -m tests.attacks [NAME…] --versus HOST:PORT [--pid PID]

Prints a row for each attack: what was sent, how long that took, the honest producer's latency
(median, 99th percentile, longest), fenced brokers, and the memory of the node that grew most:
before, how much more at most, and how much more 10 s and 20 s after the attack has cleaned up.

With `--versus` the attacks go to the broker at HOST:PORT of a cluster that runs, such as an Apache
Kafka; `--pid` names its process, for its memory. Each attack creates and deletes a topic there.
"""

import argparse
import resource
import signal
import sys

from minikafka.testing import Cluster
from tests.attacks.attacks import ATTACKS
from tests.attacks.measure import Outcome, measure
from tests.attacks.peer import Target

NODES = 3
HEADER = (
    f"{'attack':<13}{'s':>6}{'p50 ms':>8}{'p99 ms':>8}{'longest':>9}{'failed':>7}{'fenced':>7}"
    f"{'MiB':>6}{'highest':>9}{'10 s':>6}{'20 s':>6}  sent"
)


def row(outcome: Outcome) -> str:
    """A line of the table."""
    after = "".join(f"{each:>+6.0f}" for each in outcome.after_mib)
    return (
        f"{outcome.name:<13}{outcome.took_s:>6.1f}{outcome.percentile(0.5):>8.1f}"
        f"{outcome.percentile(0.99):>8.1f}{outcome.percentile(1):>9.1f}{outcome.failed:>7}"
        f"{outcome.fenced:>7}{outcome.before_mib:>6.0f}{outcome.highest_mib:>+9.0f}"
        f"{after}  {outcome.sent}"
    )


def attack_minikafka(name: str, scale: float) -> Outcome:
    """Run an attack against node 1 of a new cluster; the node is the controller, too."""
    kind = ATTACKS[name]
    with Cluster(
        nodes=NODES, config=kind.config, open_files=kind.open_files, kafka_defaults=True
    ) as cluster:
        pids = [cluster.pid(node) for node in range(1, NODES + 1)]
        target = Target("127.0.0.1", cluster.port(1), scale)
        outcome = measure(name, kind, target, cluster.bootstrap_servers, pids)
        outcome.fenced = cluster.log_text(1).count("is fenced")
        return outcome


def main() -> int:
    """Run the attacks that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.attacks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*ATTACKS, []])
    parser.add_argument("--versus", metavar="HOST:PORT")
    parser.add_argument("--pid", type=int)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        for name, kind in ATTACKS.items():
            print(f"{name:<13}{kind.run.__doc__}")
        return 0
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # The cluster is stopped then, too.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    print(HEADER, flush=True)
    for name in options.names or ATTACKS:
        if options.versus:
            host, _, port = options.versus.rpartition(":")
            target = Target(host, int(port), options.scale)
            pids = [options.pid] if options.pid else []
            outcome = measure(name, ATTACKS[name], target, options.versus, pids)
        else:
            outcome = attack_minikafka(name, options.scale)
        print(row(outcome), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
