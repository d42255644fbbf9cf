"""No value of an option of Kafka's tools ends one with a traceback, or with a text of Python's."""

import argparse
import json
import re
from importlib import import_module

import pytest

from minikafka.admin import client as client_module
from minikafka.admin import reach
from minikafka.cli import main as main_module
from minikafka.cli.main import run_tool

VALUES = [
    "", " ", "x", "x" * 70_000, "\u00b2", "\u0661", "-1", "0", "1_0", "99999999999", "9" * 5000,
    "9223372036854775808", "1.5", "nan", ",", "=", "a=b", "a,b", "(", "[", "\n",
    "host", "host:0", "host:99999", "[::1]:1", "::1", "[::1:1", "a" * 64 + ":1", "a..b:1",
    "/dev/null", "AAAAAAAAAAAAAAAAAAAAAA", "metadata.version=99999999999", "metadata.version=\u00b2",
    "1@h:1", "1@h:1:AAAAAAAAAAAAAAAAAAAABQ",
]  # fmt: skip
TOPIC = ("--topic", "t")
COMMANDS = [
    ("topics", "--describe"),
    ("topics", "--create", *TOPIC),
    ("topics", "--alter", *TOPIC, "--partitions", "2"),
    ("configs", "--describe", "--entity-type", "topics"),
    ("configs", "--alter", "--entity-type", "brokers", "--add-config", "log.retention.ms=1000"),
    ("leader-election", "--election-type", "preferred", *TOPIC, "--partition", "0"),
    ("reassign-partitions", "--execute", "--reassignment-json-file", "moves.json"),
    ("reassign-partitions", "--generate", "--topics-to-move-json-file", "topics.json",
     "--broker-list", "1"),
    ("features", "describe"),
    ("features", "upgrade", "--feature", "transaction.version=1"),
    ("features", "version-mapping"),
    ("features", "feature-dependencies", "--feature", "transaction.version=1"),
    ("metadata-quorum", "describe", "--status"),
    ("metadata-quorum", "remove-controller", "--controller-id", "1", "--controller-directory-id",
     "AAAAAAAAAAAAAAAAAAAABQ"),
    ("cluster", "list-endpoints"),
    ("cluster", "unregister", "--id", "1"),
    ("consumer-groups", "--describe", "--group", "g"),
    ("consumer-groups", "--reset-offsets", "--group", "g", "--to-offset", "1", "--all-topics"),
    ("groups", "--list"),
    ("transactions", "list"),
    ("transactions", "abort", *TOPIC, "--partition", "0", "--start-offset", "0"),
    ("transactions", "find-hanging", *TOPIC),
    ("storage", "format", "--config", "none", "--cluster-id", "c"),
    ("storage", "info", "--config", "none"),
    ("dump-log", "--files", "00000000000000000000.log"),
    ("metrics",),
]  # fmt: skip
OF_PYTHON = re.compile(r"Traceback|format requires|codec can't|invalid literal|could not convert")


@pytest.fixture(autouse=True)
def without_servers(monkeypatch, tmp_path):
    def refused(*_, **__):
        raise client_module.AdminError("no server is asked")

    monkeypatch.setattr(reach.socket, "create_connection", refused)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "client.properties").write_text("default.api.timeout.ms=1000\n")
    (tmp_path / "00000000000000000000.log").write_bytes(b"")
    rows = [{"topic": "t", "partition": 0, "replicas": [1]}]
    (tmp_path / "moves.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    (tmp_path / "topics.json").write_text(json.dumps({"version": 1, "topics": [{"topic": "t"}]}))


def options(parser):
    """The options with a value, first those of this parser, then those of its subcommands."""
    found = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found.update({(name, flag): at for (_, flag), at in options(command).items()})
        elif action.option_strings and action.nargs != 0:
            found["", action.option_strings[0]] = len(found)
    return found


def command_lines(tool, *words):
    """Yield command lines with each option of a command, without its value at the end."""
    parser = argparse.ArgumentParser()
    import_module(main_module.COMMANDS[tool][0]).add_arguments(parser)
    known = options(parser)
    action = words[0] if words and not words[0].startswith("-") else ""
    servers = {"--bootstrap-server": "127.0.0.1:1", "--command-config": "client.properties"}
    for command, option in [key for key in known if key[0] in ("", action)]:
        before, after = [], []
        for flag, value in servers.items():
            if option not in (flag, "--bootstrap-controller", "--config"):
                if ("", flag) in known:
                    before += [flag, value]
                elif (action, flag) in known:
                    after += [flag, value]
        if option in ("--bootstrap-controller", "--config") and ("", "--command-config") in known:
            before += ["--command-config", "client.properties"]
        rest = list(words[1:] if action else words)
        if option in rest:
            at = rest.index(option)
            del rest[at : at + 2]
        top = [*before, *([option] if command == "" else [])]
        yield top, [*([action] if action else []), *after, *rest], option, command


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_value_of_an_option_ends_a_tool_with_a_traceback(words, capsys, monkeypatch):
    tool = words[0]
    for top, rest, option, command in command_lines(*words):
        for value in VALUES:
            given = f"{option}={value}"
            line = [*top[:-1], given, *rest] if command == "" else [*top, *rest, given]
            monkeypatch.setattr("sys.argv", [tool, *line])
            try:
                status = run_tool(tool)
            except SystemExit as ended:
                status = ended.code
            said = "".join(capsys.readouterr())
            assert status in (0, 1, 2), line
            assert OF_PYTHON.search(said) is None, (line, said)
