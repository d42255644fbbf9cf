"""The pytest plugin below pytest-xdist: a cluster for each process, or one for all."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
SUITE_OPTIONS = ("-p", "no:cacheprovider", "-p", "no:randomly")


@pytest.fixture
def run(pytester, monkeypatch):
    """Write a test module, run it, and return the result."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(source, *options):
        pytester.makepyfile(source)
        pytester.makeini("[pytest]")
        return pytester.runpytest_subprocess(*SUITE_OPTIONS, *options)

    return run


def test_each_process_of_xdist_has_a_cluster(run):
    run(
        """
        import pytest

        @pytest.mark.parametrize("number", range(8))
        def test_topic(minikafka, kafka_topic, number):
            minikafka.produce(kafka_topic, str(number))
            assert len(minikafka.records(kafka_topic)) == 1
        """,
        "-n", "3",
    ).assert_outcomes(passed=8)  # fmt: skip


def test_processes_of_xdist_share_one_cluster(run):
    run(
        """
        import pytest
        from minikafka.testing import ClusterError

        @pytest.mark.parametrize("number", range(6))
        def test_topic(minikafka, kafka_topic, number):
            minikafka.produce(kafka_topic, str(number))
            assert len(minikafka.records(kafka_topic)) == 1
            with pytest.raises(ClusterError, match="use minikafka_cluster"):
                minikafka.kill(1)
        """,
        "-n", "2", "--minikafka-shared",
    ).assert_outcomes(passed=6)  # fmt: skip


def test_a_shared_cluster_may_be_secured(run):
    run(
        """
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_value(minikafka, kafka_topic, kafka_producer, number):
            kafka_producer.produce(kafka_topic, b"value")
            kafka_producer.flush(20)
            assert [each.value for each in minikafka.records(kafka_topic)] == [b"value"]
            assert minikafka.login("alice").user == "alice"
        """,
        "-n", "2", "--minikafka-shared", "--minikafka-tls", "--minikafka-sasl", "SCRAM-SHA-256",
        "--minikafka-client", "confluent-kafka",
    ).assert_outcomes(passed=2)  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--minikafka-tls",)], ids=["plain", "tls"])
def test_a_shared_cluster_may_have_a_name_that_is_unknown_here(run, options):
    run(
        """
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_value(minikafka, kafka_topic, kafka_bootstrap_servers, number):
            assert kafka_bootstrap_servers.startswith("kafka.invalid:")
            minikafka.produce(kafka_topic, "value")
            assert [each.value for each in minikafka.records(kafka_topic)] == [b"value"]
            minikafka.wait_until_in_sync(kafka_topic)
        """,
        "-n", "2", "--minikafka-shared", "--minikafka-nodes", "2", "--minikafka-host", "0.0.0.0",
        "--minikafka-advertised-host", "kafka.invalid", *options,
    ).assert_outcomes(passed=2)  # fmt: skip


@pytest.mark.parametrize("killed", ["the first process", "a process of tests"])
def test_a_process_of_xdist_that_is_killed_leaves_no_node(pytester, killed):
    pytester.makepyfile(
        """
        import os, pathlib, time

        def test_waits(minikafka, minikafka_cluster):
            pids = [os.getpid(), minikafka.pid(1), minikafka_cluster.pid(1)]
            pathlib.Path("pids").write_text(" ".join(map(str, pids)))
            time.sleep(60)
        """
    )
    # As from a shell in the background: execnet's interrupt does not end the test.
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-m", "pytest"]
    with subprocess.Popen([*command, *SUITE_OPTIONS, "-n", "1"], stdout=subprocess.DEVNULL) as run:
        try:
            file = pytester.path / "pids"
            while not file.exists() or len(file.read_text().split()) < 3:
                time.sleep(0.05)
            of_tests, *nodes = map(int, file.read_text().split())
            os.kill(run.pid if killed == "the first process" else of_tests, signal.SIGKILL)
            end_s = time.monotonic() + 10
            while any(Path(f"/proc/{node}").exists() for node in nodes):
                assert time.monotonic() < end_s
                time.sleep(0.05)
        finally:
            for pid in (run.pid, of_tests):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
