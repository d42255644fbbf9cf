"""The fixtures of the pytest plugin, in runs of their own as a user would have them."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minikafka.testing.base_ports import free_base_port

pytest_plugins = ["pytester"]
SUITE_OPTIONS = ("-p", "no:cacheprovider", "-p", "no:randomly")


@pytest.fixture
def run(pytester, monkeypatch):
    """Write a test module, run it, and return the result."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(source, *options, ini=""):
        pytester.makepyfile(source)
        pytester.makeini(f"[pytest]\n{ini}")
        return pytester.runpytest_subprocess(*SUITE_OPTIONS, *options)

    return run


def test_records_go_and_come_without_a_client_library(run):
    run(
        """
        def test_orders(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "first", "second")
            values = [record.value for record in minikafka.records(kafka_topic)]
            assert values == [b"first", b"second"]
        """
    ).assert_outcomes(passed=1)


def test_topics_of_a_test_are_gone_in_the_next_one(run):
    run(
        """
        names = []

        def test_first(minikafka, kafka_topic):
            minikafka.create_topic("made-by-hand")
            names.extend(minikafka.topics())
            assert len(names) == 2

        def test_second(minikafka, kafka_topic):
            assert minikafka.topics() == [kafka_topic]
            assert kafka_topic not in names
        """
    ).assert_outcomes(passed=2)


def test_groups_of_a_test_are_gone_in_the_next_one(run):
    run(
        """
        import pytest

        pytest.importorskip("confluent_kafka")

        def test_first(minikafka, kafka_topic, kafka_consumer, kafka_producer):
            minikafka.produce(kafka_topic, "x")
            kafka_consumer.subscribe([kafka_topic])
            assert kafka_consumer.consume(1, 20)
            kafka_consumer.commit(asynchronous=False)
            assert minikafka.groups() == [f"{minikafka.prefix}consumer"]
            assert minikafka.committed(minikafka.groups()[0], kafka_topic) == {0: 1}

        def test_second(minikafka):
            assert minikafka.groups() == []
        """
    ).assert_outcomes(passed=2)


def test_what_a_failed_test_broke_is_whole_in_the_next_one(run):
    result = run(
        """
        import pytest

        pytestmark = pytest.mark.minikafka(nodes=3)
        faults = []

        def test_first(minikafka, kafka_topic):
            faults.append(minikafka.fault("Produce", "drop", topic=f"{minikafka.prefix}topic"))
            minikafka.cut(1, [2, 3])
            minikafka.node(2).clock(offset_ms=1)
            minikafka.fill_disk(3)
            minikafka.wait_for(lambda: minikafka.running == [1, 2])
            faults.append(minikafka.pid(1))
            raise RuntimeError("in the middle")

        def test_second(minikafka, kafka_topic):
            assert "faults:" not in minikafka.state_text().splitlines()
            assert minikafka.running == minikafka.brokers() == [1, 2, 3]
            minikafka.produce(kafka_topic, "x")
            assert faults[0].hits == 0
            # The cluster was healed, not replaced.
            assert minikafka.pid(1) == faults[1]
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "faults:",
            "    Produce drop topic=test-first-*-topic at nodes 1, 2, 3: 0 hits",
            "    cut: node 1 from nodes 2, 3",
            "    clock of node 2: offset 1 ms, rate 1",
            "    full disk: node 3",
        ]
    )


def test_one_cluster_serves_the_session(run):
    run(
        """
        seen = []

        def test_first(kafka_bootstrap_servers, minikafka_proc):
            seen.append((kafka_bootstrap_servers, minikafka_proc.pid(1)))

        def test_second(kafka_bootstrap_servers, minikafka_proc):
            assert seen == [(kafka_bootstrap_servers, minikafka_proc.pid(1))]
        """
    ).assert_outcomes(passed=2)


def test_a_cluster_of_its_own_may_be_destroyed(run):
    run(
        """
        import pytest

        @pytest.mark.minikafka(nodes=3)
        def test_leader_is_killed(minikafka_cluster):
            minikafka_cluster.create_topic("t", 1, 3)
            killed = minikafka_cluster.kill_leader("t")
            minikafka_cluster.produce("t", "after")
            assert minikafka_cluster.leader("t") not in (killed, None)

        def test_next_one_is_whole(minikafka_cluster):
            assert minikafka_cluster.running == [1]
        """
    ).assert_outcomes(passed=2)


def test_a_parametrized_marker_is_a_matrix(run):
    run(
        """
        import pytest

        SIZES = [pytest.param(n, marks=pytest.mark.minikafka(nodes=n)) for n in (1, 2)]

        @pytest.mark.parametrize("nodes", SIZES)
        def test_size(minikafka, nodes):
            assert minikafka.nodes == nodes
        """
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize("client", ["confluent-kafka", "kafka-python"])
def test_the_clients_of_a_secured_cluster_log_in(run, client):
    run(
        """
        import pytest

        KINDS = [
            pytest.param(kind, marks=pytest.mark.minikafka(**kind))
            for kind in ({"tls": True, "sasl": "SCRAM-SHA-512"}, {"sasl": "PLAIN"}, {"tls": True})
        ]

        @pytest.mark.parametrize("kind", KINDS, ids=str)
        def test_value(kind, minikafka, kafka_topic, kafka_producer, kafka_admin):
            if hasattr(kafka_producer, "produce"):
                kafka_producer.produce(kafka_topic, b"value")
            else:
                kafka_producer.send(kafka_topic, b"value")
            kafka_producer.flush(20)
            assert [each.value for each in minikafka.records(kafka_topic)] == [b"value"]
        """,
        "--minikafka-client",
        client,
    ).assert_outcomes(passed=3)


def test_the_order_of_precedence_is_factory_marker_command_line_ini(run):
    result = run(
        """
        import pytest
        from minikafka.pytest_plugin import factories

        by_factory = factories.minikafka_cluster(nodes=1)

        @pytest.mark.minikafka(nodes=4)
        def test_factory(by_factory):
            assert by_factory.nodes == 1

        @pytest.mark.minikafka(nodes=2)
        def test_marker(minikafka_cluster):
            assert minikafka_cluster.nodes == 2

        def test_command_line(minikafka_cluster):
            assert minikafka_cluster.nodes == 3
        """,
        "--minikafka-nodes", "3",
        ini="minikafka_nodes = 5",
    )  # fmt: skip
    result.assert_outcomes(passed=3)


def test_factories_make_each_fixture_under_other_names(run):
    run(
        """
        import pytest
        from minikafka.pytest_plugin import factories

        of_module = factories.minikafka_cluster(scope="module", sasl="PLAIN")
        orders = factories.kafka_topic()
        big_topic = factories.kafka_topic(partitions=3)
        of_users = factories.kafka_topic("of_module")
        second_consumer = factories.kafka_consumer()
        of_admins = factories.kafka_admin("of_module")

        def test_topics(minikafka, kafka_topic, orders, big_topic):
            assert minikafka.topics() == sorted({kafka_topic, orders, big_topic})

        def test_consumers(minikafka, kafka_topic, kafka_consumer, second_consumer):
            minikafka.produce(kafka_topic, "a")
            for consumer in (kafka_consumer, second_consumer):
                consumer.subscribe([kafka_topic])
                # Each is alone in its group, and reads all.
                assert consumer.poll(20).value() == b"a"

        @pytest.mark.parametrize("number", range(2))
        def test_cluster(of_module, of_users, of_admins, number):
            assert len(of_module.topics()) == number + 1
            assert of_users in of_admins.list_topics(timeout=20).topics
        """,
        "--minikafka-client", "confluent-kafka",
    ).assert_outcomes(passed=4)  # fmt: skip


def test_configuration_comes_from_the_ini_file_and_the_marker(run):
    run(
        """
        import pytest

        @pytest.mark.minikafka(config={"num.partitions": 7})
        def test_values(minikafka):
            text = (minikafka.directory / "node-1" / "server.properties").read_text()
            assert "num.partitions=7" in text
            assert "auto.create.topics.enable=false" in text
        """,
        ini="minikafka_config =\n    auto.create.topics.enable=false\n    num.partitions=3",
    ).assert_outcomes(passed=1)


def test_the_markers_of_a_module_a_class_and_a_test_are_merged(run):
    run(
        """
        import pytest

        pytestmark = pytest.mark.minikafka(nodes=2, config={"num.partitions": 3})

        @pytest.mark.minikafka(config={"num.partitions": 4, "num.io.threads": 2})
        class TestOrders:
            @pytest.mark.minikafka(config={"num.io.threads": 3})
            def test_values(self, minikafka):
                assert minikafka.nodes == 2
                text = (minikafka.directory / "node-2" / "server.properties").read_text()
                assert "num.partitions=4" in text
                assert "num.io.threads=3" in text
        """
    ).assert_outcomes(passed=1)


def test_clusters_beside_each_other_have_places_of_their_own(run, pytester):
    port = free_base_port(1)
    source = f"""
        import pytest
        from minikafka.pytest_plugin import factories

        second_proc = factories.minikafka_proc()

        def test_proc(minikafka):
            assert minikafka.directory.name == "kept"
            assert minikafka.base_port == {port}

        def test_second(second_proc, minikafka_proc):
            assert second_proc.directory.parent == minikafka_proc.directory

        @pytest.mark.parametrize("number", range(2))
        def test_own(minikafka_cluster, number):
            assert minikafka_cluster.directory.parent.name == "kept"
            assert minikafka_cluster.topics() == []
            minikafka_cluster.create_topic("t")

        @pytest.mark.minikafka(config={{"num.partitions": 2}})
        def test_marked(minikafka):
            assert minikafka.directory.parent.name == "kept"

        @pytest.mark.minikafka(directory="elsewhere")
        def test_elsewhere(minikafka):
            assert minikafka.directory.name == "elsewhere"
        """
    options = ("--minikafka-dir", "kept", "--minikafka-port", str(port))
    for _ in range(2):
        run(source, *options).assert_outcomes(passed=6)
    kept = sorted(path.name for path in (pytester.path / "kept").iterdir() if path.is_dir())
    assert kept == [
        "marked", "marked-2", "node-1", "second_proc", "second_proc-2",
        "test-own-0-2", "test-own-0-2-2", "test-own-1-3", "test-own-1-3-2",
    ]  # fmt: skip


def test_the_report_of_a_failed_test_shows_the_cluster(run):
    result = run("def test_fails(minikafka, kafka_topic):\n    assert False")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert re.search(r"-+ minikafka \(minikafka\) -+", text)
    assert "node 1" in text
    assert re.search(r"test-fails-1-topic-0: leader 1, replicas 1, ISR 1", text)


def test_the_report_shows_clusters_that_the_test_does_not_name(run):
    result = run(
        """
        import pytest, pytest_asyncio
        from minikafka.pytest_plugin import factories
        from minikafka.testing import AsyncCluster

        topic_of_cluster = factories.kafka_topic("minikafka_cluster")

        @pytest.fixture
        def prepared(request):
            kafka = request.getfixturevalue("minikafka")
            kafka.create_topic("by-user")
            raise ValueError

        @pytest_asyncio.fixture
        async def kafka():
            async with AsyncCluster() as cluster:
                yield cluster

        def test_by_topic(kafka_topic): assert False
        def test_by_producer(kafka_producer): assert False
        def test_by_addresses(kafka_bootstrap_servers): assert False
        def test_own(topic_of_cluster): assert False
        def test_setup(prepared): pass
        @pytest.mark.asyncio
        async def test_async(kafka): assert False
        def test_without(): assert False
        """
    )
    result.assert_outcomes(failed=6, errors=1)
    sections = re.findall(r"-+ minikafka \((\w+)\) -+", result.stdout.str())
    assert sorted(sections) == ["kafka", *["minikafka"] * 4, "minikafka_cluster"]
    assert "by-user-0: leader 1" in result.stdout.str()


@pytest.mark.parametrize(
    ("options", "ini", "words"),
    [
        (("--minikafka-nodes", "0"), "", "nodes=0: a cluster has at least one node"),
        (("--minikafka-nodes", "x"), "", "--minikafka-nodes x: not a number"),
        (("--minikafka-config", "nothing"), "", "'nothing': expected KEY=VALUE"),
        ((), "minikafka_cluster_scope = test", "'test': expected one of function, class"),
    ],
)
def test_an_option_without_meaning_ends_the_run_before_a_test(run, options, ini, words):
    result = run("def test_nothing(): pass", *options, ini=ini)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()


def test_child_processes_find_the_cluster_in_the_environment(run):
    run(
        """
        import subprocess, sys

        def test_child(minikafka):
            code = "import os; print(os.environ['MINIKAFKA_BOOTSTRAP_SERVERS'])"
            said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert said.stdout.strip() == minikafka.bootstrap_servers
        """
    ).assert_outcomes(passed=1)


def test_a_running_cluster_is_used(run, one_node):
    run(
        """
        def test_topic(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
            assert [record.value for record in minikafka.records(kafka_topic)] == [b"a"]
        """,
        "--minikafka-bootstrap-servers", one_node.bootstrap_servers,
    ).assert_outcomes(passed=1)  # fmt: skip
    assert not [name for name in one_node.topics() if "test-topic" in name]


def test_a_cluster_that_does_not_answer_is_one_line_for_all_tests(run):
    begin_s = time.monotonic()
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("number", range(9))
        def test_topic(minikafka, kafka_topic, number): pass
        """,
        "--minikafka-bootstrap-servers", "127.0.0.1:1",
    )  # fmt: skip
    result.assert_outcomes(errors=9)
    lines = [line for line in result.stdout.lines if line.startswith("minikafka: ")]
    reason = "minikafka: cluster: no answer from 127.0.0.1:1: 127.0.0.1:1: Connection refused"
    assert lines == [reason] * 9
    assert time.monotonic() - begin_s < 20


@pytest.fixture
def one_node():
    from minikafka.testing import Cluster

    with Cluster() as cluster:
        yield cluster


@pytest.mark.parametrize("library", ["confluent-kafka", "kafka-python"])
def test_clients_of_the_installed_library(run, library):
    consume = {
        "confluent-kafka": """
            kafka_producer.produce(kafka_topic, b"v")
            kafka_producer.flush(10)
            kafka_consumer.subscribe([kafka_topic])
            assert kafka_consumer.poll(10).value() == b"v"
            assert kafka_topic in kafka_admin.list_topics(timeout=10).topics
        """,
        "kafka-python": """
            kafka_producer.send(kafka_topic, b"v").get(timeout=10)
            kafka_consumer.subscribe([kafka_topic])
            assert next(kafka_consumer).value == b"v"
            assert kafka_topic in kafka_admin.list_topics()
        """,
    }[library]
    run(
        "def test_clients(kafka_producer, kafka_consumer, kafka_admin, kafka_topic):\n" + consume,
        "--minikafka-client", library,
    ).assert_outcomes(passed=1)  # fmt: skip


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_runner_that_is_killed_leaves_no_process(pytester, ending):
    pytester.makepyfile(
        """
        import time

        def test_waits(minikafka_proc):
            print("PID", minikafka_proc.pid(1), flush=True)
            time.sleep(60)
        """
    )
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-s", *SUITE_OPTIONS], stdout=subprocess.PIPE, text=True
    ) as running:
        pid = next(int(line.split()[-1]) for line in running.stdout if "PID" in line)
        running.send_signal(ending)
        running.wait(10)
    # The timeout of the test is the limit.
    while Path(f"/proc/{pid}").exists():
        os.sched_yield()


def test_the_plugin_imports_nothing_of_the_product_before_a_fixture_is_used(run):
    run(
        """
        import sys

        def test_modules():
            loaded = [name for name in sys.modules if name.startswith("minikafka.")]
            assert [n for n in loaded if not n.startswith("minikafka.pytest_plugin")] == []
        """
    ).assert_outcomes(passed=1)
