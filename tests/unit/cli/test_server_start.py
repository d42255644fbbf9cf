"""server-start: a properties file and overrides make one configuration, or one list of errors."""

from pathlib import Path

import pytest

from minikafka.cli.main import main
from minikafka.config.definition import ConfigError
from minikafka.config.node_config import ConfigErrors
from minikafka.server.one_node import read_config

LINES = """
# as for Apache Kafka
process.roles=broker,controller
node.id=4
listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
controller.listener.names=CONTROLLER
controller.quorum.voters=4@127.0.0.1:9093
num.network.threads=3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "server.properties"
    path.write_text(LINES + f"log.dirs={tmp_path}/data\n")
    return path


def test_a_file_describes_a_node(file):
    config = read_config(str(file), [])
    assert (config.node_id, config.is_broker, config.is_controller) == (4, True, True)
    assert config.ignored == ("num.network.threads",)


def test_the_example_is_valid():
    example = Path(__file__).parents[3] / "config" / "server.properties"
    config = read_config(str(example), [])
    assert not config.ignored
    assert not config.warnings


def test_overrides_win_in_their_order(file):
    config = read_config(str(file), ["node.id=5", "node.id=6", "controller.quorum.voters=6@h:1"])
    assert config.node_id == 6


@pytest.mark.parametrize("override", ["node.id", "=5", ""])
def test_an_override_that_is_none_is_named(file, override):
    with pytest.raises(ConfigError, match="expected KEY=VALUE"):
        read_config(str(file), [override])


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match="missing.properties: cannot be read: No such file"):
        read_config(str(tmp_path / "missing.properties"), [])
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="it is not UTF-8 text"):
        read_config(str(binary), [])


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_opened(file, tmp_path, capsys):
    with pytest.raises(ConfigErrors) as caught:
        read_config(str(file), ["nod.id=4", "min.insync.replicas=0"])
    assert len(caught.value.errors) == 2
    status = main(["server-start", str(file), "--override", "nod.id=4"])
    printed = capsys.readouterr().err
    assert status == 2
    assert "nod.id" in printed
    assert "node.id" in printed
    assert not (tmp_path / "data").exists()


def test_a_directory_that_is_not_formatted_is_named(file, tmp_path, caplog):
    status = main(
        ["server-start", str(file), "--override",
         "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0"]
    )  # fmt: skip
    assert status == 1
    assert f"{tmp_path}/data is not formatted" in caplog.text
