"""The faults of `tests.integration.fault_cases`, seen by the Java client, with their hits."""

import subprocess
import traceback
from contextlib import ExitStack

from minikafka.testing import Cluster
from tests.integration.fault_cases import CASES, MACHINES, check


class JavaClient:
    """FaultClient.java in a process; a context manager."""

    def __init__(self, programs, servers):
        self._process = subprocess.Popen(
            programs.command("FaultClient", servers), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def _ask(self, *words):
        print(*words, file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            # The client logs to standard output, too.
            if line.startswith("answer "):
                _, outcome, *values = line.split()
                assert outcome == "ok", line
                return values
        raise AssertionError(f"the client ended with status {self._process.wait()}")

    def produce(self, topic, value):
        self._ask("produce", topic, value)

    def consume(self, topic, count):
        return [value.encode() for value in self._ask("consume", topic, count)]

    def commit(self, group, topic, offset):
        self._ask("commit", group, topic, offset)


def compare(programs):
    """Run each case; print a line for each, and return 1 if one failed."""
    tests = [(case.name, check, (case,), _hits(case.hits)) for case in CASES]
    tests += [(breaks.__name__, breaks, (), "every record once") for breaks in MACHINES]
    failed = []
    with ExitStack() as opened:
        cluster = opened.enter_context(Cluster(nodes=3))
        client = opened.enter_context(JavaClient(programs, cluster.bootstrap_servers))
        for number, (name, test, more, outcome) in enumerate(tests):
            try:
                test(cluster, client, f"topic-{number}", *more)
            except AssertionError:
                failed.append(name)
                print(f"{name}: failed\n{traceback.format_exc()}", flush=True)
            else:
                print(f"{name}: {outcome}", flush=True)
            cluster.heal()
            cluster.wait_until_in_sync()
    print(f"{len(tests)} faults, {len(failed)} failed")
    return int(bool(failed))


def _hits(count):
    return f"{count} hit{'' if count == 1 else 's'}"
