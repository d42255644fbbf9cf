"""Our tools on our brokers say what Apache Kafka's tools say of Apache Kafka (A3, A4, A6, D2, D4).

The brokers live in a simulated world. See record_operator_cases.py for where the lines come from.
"""

import argparse
import contextlib
import io
import json
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from minikafka.admin.client import AdminClient
from minikafka.commands import connection
from tests.conformance.operator_cases import CONFIG, PLAY, TOPICS, Case, Output, Step, text_of
from tests.worlds.sim_world import create_topic, started_cluster

DATA = json.loads((Path(__file__).parent / "data" / "operator_cases.json").read_text())
CASES = [item for item in PLAY if isinstance(item, Case)]
SERVER = "n1:9092"

# Apache Kafka names what its JSON library expected.
OWN_WORDS = ("Expected ", "No such field ")


class SimAdmin(AdminClient):
    """An AdminClient on the simulated network."""

    def __init__(self, cluster):
        super().__init__(SERVER, client_id="tool", timeout_s=30.0)
        self._client = cluster.client("tool")

    def ask(self, request):
        return self._client.ask(request, object)

    def close(self):
        self._client.close()


def knows(cluster, node_id, step):
    """True if a node's metadata has the state that the step leads to."""
    image = cluster.nodes[node_id].node.loader.image
    return all(sorted(image.partition(*at).isr) == isr for at, isr in step.isr.items()) and all(
        image.partition(*at).leader == leader for at, leader in step.leader.items()
    )


def take(cluster, step):
    if step.action:
        getattr(cluster.nodes[step.node], step.action)()
    for node_id in cluster.broker_ids:
        if cluster.nodes[node_id].alive:
            cluster.world.run_until(
                partial(knows, cluster, node_id, step), 60_000, f"{node_id} knows of {step}"
            )


def run(case, cluster, folder):
    (folder / "file.json").write_text(text_of(case))
    words = [str(folder / "file.json") if x == "FILE" else x for x in case.words.split()]
    module = import_module(f"minikafka.cli.{case.tool.replace('-', '_')}")
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = module.run(parser.parse_args(["--bootstrap-server", SERVER, *words]))
        except SystemExit as ended:
            status = ended.code
    return Output.of(status, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The output of every case, by its name."""
    folder = tmp_path_factory.mktemp("files")
    cluster = started_cluster(3, separate_controller=True, given=CONFIG)
    for name, (replicas, config) in TOPICS.items():
        create_topic(cluster, name, replicas=replicas, config=config)
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "AdminClient", lambda *_args, **_named: SimAdmin(cluster))
        for item in PLAY:
            if isinstance(item, Step):
                take(cluster, item)
            else:
                found[item.name] = run(item, cluster, folder)
    return found


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_output_is_that_of_kafkas_tool(case, played):
    """A3, A4, A6, D2, D4: status, every line of standard output, the first of standard error."""
    recorded = Output(**DATA[case.name])
    ours = played[case.name]
    assert (ours.status, ours.out) == (recorded.status, recorded.out)
    assert bool(ours.err) == bool(recorded.err)
    if recorded.err.startswith(OWN_WORDS):
        return
    # Where options clash ours goes on and says which.
    assert ours.err[: len(recorded.err)] == recorded.err


def test_every_recorded_case_is_compared():
    assert list(DATA) == [case.name for case in CASES]
