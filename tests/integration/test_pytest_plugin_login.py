"""The fixtures of the pytest plugin with a running cluster that needs a login."""

import pytest

from minikafka.testing import Cluster

pytest_plugins = ["pytester"]
SUITE_OPTIONS = ("-p", "no:cacheprovider", "-p", "no:randomly")


@pytest.fixture(scope="module", params=[{"tls": True, "sasl": "SCRAM-SHA-512"}, {"tls": True}])
def secured(request):
    with Cluster(**request.param) as running:
        yield running


@pytest.fixture
def run(pytester, monkeypatch):
    """Write a test module, run it, and return the result."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(source, *options, ini=""):
        pytester.makepyfile(source)
        pytester.makeini(f"[pytest]\n{ini}")
        return pytester.runpytest_subprocess(*SUITE_OPTIONS, *options)

    return run


def properties(cluster, user="admin"):
    return str(cluster.directory / "security" / f"{user}.properties")


USE = {
    "confluent-kafka": """
        kafka_producer.produce(kafka_topic, b"v")
        assert kafka_producer.flush(20) == 0
        kafka_consumer.subscribe([kafka_topic])
        assert kafka_consumer.poll(20).value() == b"v"
        assert kafka_topic in kafka_admin.list_topics(timeout=20).topics
    """,
    "kafka-python": """
        kafka_producer.send(kafka_topic, b"v").get(timeout=20)
        kafka_consumer.subscribe([kafka_topic])
        assert next(kafka_consumer).value == b"v"
        assert kafka_topic in kafka_admin.list_topics()
    """,
}
CLIENTS = "def test_use(minikafka, kafka_topic, kafka_producer, kafka_consumer, kafka_admin):\n"
OWN = """
        assert [record.value for record in minikafka.records(kafka_topic)] == [b"v"]
"""


@pytest.mark.parametrize("library", USE)
def test_operations_and_clients_log_in_by_the_file(run, secured, library):
    run(
        CLIENTS + USE[library] + OWN,
        "--minikafka-client", library,
        "--minikafka-bootstrap-servers", secured.bootstrap_servers,
        "--minikafka-command-config", properties(secured),
    ).assert_outcomes(passed=1)  # fmt: skip
    assert secured.topics() == []


def test_the_file_of_the_ini_file_and_processes_of_xdist(run, secured):
    run(
        """
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_use(minikafka, kafka_topic, number):
            minikafka.produce(kafka_topic, "a")
            assert minikafka.login().protocol.endswith("SSL")
        """,
        "-n", "2",
        ini=(
            f"minikafka_bootstrap_servers = {secured.bootstrap_servers}\n"
            f"minikafka_command_config = {properties(secured)}"
        ),
    ).assert_outcomes(passed=2)  # fmt: skip


def test_the_file_of_a_factory(run, secured):
    run(
        f"""
        import pytest
        from minikafka.pytest_plugin import factories

        running = factories.minikafka_noproc(
            {secured.bootstrap_servers!r}, command_config={properties(secured)!r}
        )
        kafka = factories.minikafka("running")
        topic = factories.kafka_topic("kafka")
        without = factories.minikafka_noproc(command_config="absent.properties")
        other = factories.minikafka_noproc("127.0.0.1:1")

        def test_use(kafka, topic):
            kafka.produce(topic, "a")

        def test_absent(without): pass

        def test_other(other): pass
        """,
        "--minikafka-bootstrap-servers", secured.bootstrap_servers,
        "--minikafka-command-config", properties(secured),
    ).stdout.fnmatch_lines(
        [
            "the factory of the fixture: absent.properties: No such file or directory",
            "minikafka: cluster: no answer from 127.0.0.1:1: 127.0.0.1:1: Connection refused",
            "*1 passed, 2 errors*",
        ]
    )  # fmt: skip


WRONG = {
    None: "absent.properties: No such file or directory",
    "security.protocol=TLS": "security.protocol=TLS: is not a protocol; allowed: PLAINTEXT, SSL, ",
    "=x": "absent.properties, line 1: a value without a key: '=x'",
    "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=no.pem": "no.pem",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_is_one_sentence_at_the_start(run, pytester, text):
    path = pytester.path / "absent.properties"
    if text is not None:
        path.write_text(text)
    result = run(
        "def test_nothing(): pass",
        "--minikafka-bootstrap-servers", "127.0.0.1:1", "--minikafka-command-config", path.name,
    )  # fmt: skip
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (said,) = [line for line in result.stderr.lines if line.startswith("ERROR: ")]
    assert said.startswith("ERROR: --minikafka-command-config: ")
    assert WRONG[text] in said
    assert "Traceback" not in result.stderr.str()


def test_a_file_without_a_running_cluster_is_refused(run):
    result = run("def test_nothing(): pass", "--minikafka-command-config", "client.properties")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "ERROR: --minikafka-command-config client.properties: add --minikafka-bootstrap-servers, "
        "or leave it out"
    ) in result.stderr.str()


def test_a_login_that_the_cluster_refuses_is_one_line(run, pytester, secured):
    login = secured.login()
    if not login.mechanism:
        pytester.makefile(".properties", client="security.protocol=PLAINTEXT")
    else:
        wrong = login._replace(password="guessed").properties()
        lines = "\n".join(f"{key}={value}" for key, value in wrong.items())
        pytester.makefile(".properties", client=lines)
    result = run(
        "def test_use(minikafka): pass",
        "--minikafka-bootstrap-servers", secured.bootstrap_servers,
        "--minikafka-command-config", "client.properties",
    )  # fmt: skip
    result.assert_outcomes(errors=1)
    (said,) = [line for line in result.stdout.lines if line.startswith("minikafka: ")]
    assert said.startswith("minikafka: cluster: ")
    assert "guessed" not in result.stdout.str()
