"""The client of a command, and the properties files that commands read."""

import pytest

from minikafka.commands.connection import connect, read_properties
from minikafka.commands.options import Options, ToolError


def command_config(tmp_path, text):
    path = tmp_path / "client.properties"
    path.write_text(text)
    return Options({"bootstrap-server": ["127.0.0.1:1"], "command-config": [str(path)]})


def test_the_clients_timeout_comes_from_its_properties(tmp_path):
    client = connect(command_config(tmp_path, "default.api.timeout.ms=1500"))
    assert client.timeout_ms == 1500


def test_the_longest_attempt_comes_from_its_properties(tmp_path):
    client = connect(command_config(tmp_path, "request.timeout.ms=45000"))
    assert client.timeout_ms == 45_000
    assert connect(command_config(tmp_path, "")).timeout_ms == 30_000


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("security.protocol=TLS", "security.protocol=TLS: is not a protocol"),
        ("security.protocol=SSL\nssl.keystore.location=/k", "needs ssl.keystore.password"),
        (
            "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=/no/such",
            "ssl.truststore.location=/no/such: cannot be read: No such file",
        ),
        ("security.protocol=SASL_PLAINTEXT", "sasl.mechanism=GSSAPI: is not available"),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN",
            "sasl.jaas.config: is missing",
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required",
            "sasl.jaas.config: does not end with a semicolon",
        ),
        ("default.api.timeout.ms=soon", "default.api.timeout.ms=soon"),
        ("default.api.timeout.ms=0", "default.api.timeout.ms=0"),
        ("default.api.timeout.ms=\u00b2", "default.api.timeout.ms=\u00b2: .* from 1 to 2147483647"),
        ("default.api.timeout.ms=-1", "default.api.timeout.ms=-1"),
        ("default.api.timeout.ms=1_000", "default.api.timeout.ms=1_000"),
        ("default.api.timeout.ms=2147483648", "default.api.timeout.ms=2147483648"),
        ("default.api.timeout.ms=" + "9" * 5000, "default.api.timeout.ms=999"),
        ("request.timeout.ms=soon", "request.timeout.ms=soon"),
        ("client.id=" + "a" * 40_000, "client.id=aaa.*: is longer than 32767 bytes"),
        ("=nothing", "without a key"),
    ],
)
def test_properties_that_cannot_be_used_are_named(tmp_path, text, named):
    with pytest.raises(ToolError, match=named):
        connect(command_config(tmp_path, text))


def test_a_missing_file_is_named():
    with pytest.raises(ToolError, match="/no/such/file"):
        read_properties("/no/such/file")
