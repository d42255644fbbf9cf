"""Our tools for groups on our broker say what Apache Kafka's tools say of Apache Kafka.

The broker lives in a simulated world. See record_group_tool_cases.py for where the lines come from.
"""

import argparse
import contextlib
import io
import json
import os
from importlib import import_module
from pathlib import Path

import pytest

from minikafka.admin.client import AdminClient
from minikafka.cli import _options, consumer_groups
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from tests.conformance.group_tool_cases import CONFIG, PLAY, TOPICS, Output, set_up
from tests.worlds.sim_world import create_topic, started_cluster

DATA = json.loads((Path(__file__).parent / "data" / "group_tool_cases.json").read_text())


class SimAdmin(AdminClient):
    """An AdminClient on the simulated network."""

    def __init__(self, cluster):
        super().__init__("n1:9092", client_id="app", timeout_s=30.0)
        self._client = cluster.client("app")

    def ask(self, request):
        return self._client.ask(request, object)

    def ask_broker(self, broker_id, request):
        return self.ask(request)

    def close(self):
        self._client.close()


def run(case):
    Path("file.csv").write_text(case.file)
    module = import_module(f"minikafka.cli.{case.tool.replace('-', '_')}")
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            words = ["--bootstrap-server", "n1:9092", *case.words.split()]
            status = module.run(parser.parse_args(words))
        except SystemExit as ended:
            status = ended.code
    return Output.of(case, status, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The output of every case, in their order."""
    cluster = started_cluster(1, given=CONFIG)
    ids = {topic: create_topic(cluster, topic, count) for topic, count in TOPICS.items()}
    client = cluster.client("app")
    while client.ask(FindCoordinatorRequest("old", 0), object, version=3).error_code:
        pass
    set_up(lambda request, version: client.ask(request, object, version=version), ids)
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("files"))
    with pytest.MonkeyPatch.context() as patch:
        for module in (_options, consumer_groups):
            patch.setattr(module, "connect", lambda *_, **__: SimAdmin(cluster))
        yield [run(case) for case in PLAY]
    os.chdir(before)


def test_every_case_is_recorded():
    assert [(it["tool"], it["words"]) for it in DATA] == [(it.tool, it.words) for it in PLAY]


@pytest.mark.parametrize("index", range(len(PLAY)), ids=[f"{it.tool} {it.words}" for it in PLAY])
def test_output_is_apache_kafkas(played, index):
    recorded = {name: DATA[index][name] for name in ("status", "out", "err")}
    found = played[index]
    assert found._asdict() == recorded
