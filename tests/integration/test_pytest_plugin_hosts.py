"""The fixtures of the pytest plugin for applications in containers and on other hosts."""

import pytest

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


USE = """
def test_use(minikafka, kafka_topic, kafka_bootstrap_servers):
    assert kafka_bootstrap_servers == f"kafka.invalid:{minikafka.port(1)}"
    minikafka.produce(kafka_topic, "a")
    assert len(minikafka.records(kafka_topic)) == 1
    text = (minikafka.directory / "node-1" / "server.properties").read_text()
    assert "listeners=PLAINTEXT://0.0.0.0:" in text
"""


def test_the_options_of_the_command_line(run):
    options = ("--minikafka-host", "0.0.0.0", "--minikafka-advertised-host", "kafka.invalid")
    run(USE, *options).assert_outcomes(passed=1)


def test_the_ini_file(run):
    ini = "minikafka_host = 0.0.0.0\nminikafka_advertised_host = kafka.invalid"
    run(USE, ini=ini).assert_outcomes(passed=1)


def test_the_order_of_precedence_is_factory_marker_command_line_ini(run):
    result = run(
        """
        import pytest
        from minikafka.pytest_plugin import factories

        by_factory = factories.minikafka_cluster(advertised_host="factory.invalid")
        shared_proc = factories.minikafka_proc(host="0.0.0.0", advertised_host="shared.invalid")
        shared = factories.minikafka("shared_proc")
        topic = factories.kafka_topic("shared")

        def host(cluster):
            cluster.create_topic("t")
            cluster.produce("t", "a")
            return cluster.bootstrap_servers.partition(":")[0]

        @pytest.mark.minikafka(advertised_host="marker.invalid")
        def test_factory(by_factory):
            assert host(by_factory) == "factory.invalid"

        @pytest.mark.minikafka(host="0.0.0.0", advertised_host="marker.invalid")
        def test_marker(minikafka):
            assert host(minikafka) == "marker.invalid"

        def test_command_line(minikafka_cluster):
            assert host(minikafka_cluster) == "line.invalid"

        def test_shared(shared, topic):
            shared.produce(topic, "a")
            assert host(shared) == "shared.invalid"
        """,
        "--minikafka-advertised-host", "line.invalid",
        ini="minikafka_advertised_host = ini.invalid\nminikafka_host = 0.0.0.0",
    )  # fmt: skip
    result.assert_outcomes(passed=4)


def test_the_clients_of_a_cluster_and_child_processes_get_the_name(run):
    run(
        """
        import os, pytest

        @pytest.mark.minikafka(advertised_host="localhost", tls=True)
        def test_clients(minikafka, kafka_topic, kafka_producer, kafka_consumer, kafka_admin):
            servers = os.environ["MINIKAFKA_BOOTSTRAP_SERVERS"]
            assert servers == minikafka.bootstrap_servers == f"localhost:{minikafka.port(1)}"
            kafka_producer.produce(kafka_topic, b"v")
            assert kafka_producer.flush(20) == 0
            kafka_consumer.subscribe([kafka_topic])
            assert kafka_consumer.poll(20).value() == b"v"
            brokers = kafka_admin.list_topics(timeout=20).brokers.values()
            assert [each.host for each in brokers] == ["localhost"]
        """,
        "--minikafka-client", "confluent-kafka",
    ).assert_outcomes(passed=1)  # fmt: skip


def test_a_host_without_a_meaning_is_one_line(run):
    result = run(
        """
        import pytest

        WRONG = [{"host": "0.0.0.0"}, {"advertised_host": "kafka:9092"}, {"host": ["a"]}]
        MARKS = [pytest.param(marks=pytest.mark.minikafka(**each)) for each in WRONG]

        @pytest.mark.parametrize((), MARKS)
        def test_use(minikafka): pass
        """
    )
    result.assert_outcomes(errors=3)
    told = [line for line in result.stdout.lines if line.startswith(("minikafka: ", "@pytest."))]
    starts = [
        "minikafka: host='0.0.0.0': clients cannot connect to it; add advertised_host, ",
        "minikafka: advertised_host='kafka:9092': expected a name or an address alone: no port, ",
        "@pytest.mark.minikafka: host=['a']: not a name or address",
    ]
    assert len(told) == 3
    assert all(map(str.startswith, told, starts))
