"""The command line tools against a running cluster, as programs of their own."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from minikafka.testing.base_ports import claim_ports, free_base_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(cluster):
    """Runs a program of `bin/`; returns status and standard output."""

    def run(name, *words):
        done = subprocess.run(
            [sys.executable, ROOT / "bin" / name, "--bootstrap-server",
             cluster.bootstrap_servers, *words],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout

    return run


def topic_lines(tool, topic, *words):
    """The described partitions of a topic, as fields by name."""
    status, out = tool("kafka-topics.py", "--describe", "--topic", topic, *words)
    assert status == 0
    fields = [dict(part.split(": ", 1) for part in line.split("\t") if part.strip())
              for line in out.splitlines()]  # fmt: skip
    return fields[0], fields[1:]


def test_a_topic_is_made_described_changed_and_deleted(tool):
    create = ("--create", "--topic", "life", "--partitions", "3", "--replication-factor", "3")
    assert tool("kafka-topics.py", *create) == (0, "Created topic life.\n")
    head, partitions = topic_lines(tool, "life")
    assert (head["PartitionCount"], head["ReplicationFactor"]) == ("3", "3")
    assert [it["Partition"] for it in partitions] == ["0", "1", "2"]
    for it in partitions:
        assert sorted(it["Replicas"].split(",")) == ["1", "2", "3"]
        assert it["Leader"] in it["Isr"].split(",")
        assert (it["Elr"], it["LastKnownElr"]) == ("", "")
    assert tool("kafka-topics.py", "--alter", "--topic", "life", "--partitions", "5") == (0, "")
    _, partitions = topic_lines(tool, "life", "--partition-size-limit-per-response", "2")
    assert [it["Partition"] for it in partitions] == ["0", "1", "2", "3", "4"]
    assert tool("kafka-topics.py", "--delete", "--topic", "life") == (0, "")
    status, out = tool("kafka-topics.py", "--describe", "--topic", "life")
    assert (status, out) == (
        1,
        "Error while executing topic command : Topic 'life' does not exist as expected\n",
    )


def test_replicas_are_where_the_assignment_puts_them(tool):
    words = ("--create", "--topic", "placed", "--replica-assignment", "2:1,3:2")
    assert tool("kafka-topics.py", *words)[0] == 0
    _, partitions = topic_lines(tool, "placed")
    assert [it["Replicas"] for it in partitions] == ["2,1", "3,2"]
    assert [it["Leader"] for it in partitions] == ["2", "3"]


def test_a_second_topic_of_the_same_name_is_refused(tool):
    assert tool("kafka-topics.py", "--create", "--topic", "twice")[0] == 0
    status, out = tool("kafka-topics.py", "--create", "--topic", "twice")
    assert status == 1
    assert out.startswith("Error while executing topic command : ")
    assert tool("kafka-topics.py", "--create", "--topic", "twice", "--if-not-exists") == (0, "")


def test_a_refused_creation_leaves_no_topic(tool):
    too_many = ("--create", "--topic", "refused", "--replication-factor", "4")
    unknown = ("--create", "--topic", "refused", "--config", "no.such.key=1")
    for words in (too_many, unknown):
        assert tool("kafka-topics.py", *words)[0] == 1
    assert "refused" not in tool("kafka-topics.py", "--list")[1].splitlines()


def test_a_topic_without_replicas_to_lose_is_at_its_minimum(tool):
    words = ("--create", "--topic", "tight", "--replication-factor", "3")
    assert tool("kafka-topics.py", *words, "--config", "min.insync.replicas=3")[0] == 0
    describe = ("--describe", "--topic", "tight")
    _, at_minimum = tool("kafka-topics.py", *describe, "--at-min-isr-partitions")
    assert at_minimum.startswith("\tTopic: tight\tPartition: 0\t")
    assert tool("kafka-topics.py", *describe, "--under-min-isr-partitions") == (0, "")
    assert tool("kafka-topics.py", *describe, "--unavailable-partitions") == (0, "")
    assert tool("kafka-topics.py", *describe, "--under-replicated-partitions") == (0, "")


def test_a_topics_configuration_is_set_shown_and_removed(tool):
    assert tool("kafka-topics.py", "--create", "--topic", "tuned")[0] == 0
    of_topic = ("--entity-type", "topics", "--entity-name", "tuned")
    change = ("--alter", *of_topic, "--add-config")
    done = (0, "Completed updating config for topic tuned.\n")
    values = "retention.ms=100000,cleanup.policy=[compact,delete]"
    assert tool("kafka-configs.py", *change, values) == done
    status, out = tool("kafka-configs.py", "--describe", *of_topic)
    first, *rest = out.splitlines()
    assert (status, first) == (0, "Dynamic configs for topic tuned are:")
    assert [line.split()[0] for line in rest] == [
        "cleanup.policy=compact,delete",
        "retention.ms=100000",
    ]
    head, _ = topic_lines(tool, "tuned")
    assert "retention.ms=100000" in head["Configs"]
    remove = ("--alter", *of_topic, "--delete-config", "retention.ms,cleanup.policy")
    assert tool("kafka-configs.py", *remove) == done
    assert tool("kafka-configs.py", "--describe", *of_topic)[1] == first + "\n"
    assert tool("kafka-configs.py", *change, "retention.ms=never")[0] == 1


def test_a_brokers_configuration_is_its_own(tool):
    change = ("--alter", "--broker", "2", "--add-config", "log.cleaner.threads=2")
    assert tool("kafka-configs.py", *change) == (0, "Completed updating config for broker 2.\n")
    _, out = tool("kafka-configs.py", "--describe", "--entity-type", "brokers")
    lines = out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        *(f"Dynamic configs for broker {broker} are:" for broker in (1, 2, 3)),
        "Default configs for brokers in the cluster are:",
    ]
    after = lines[lines.index("Dynamic configs for broker 2 are:") + 1]
    assert after.startswith("  log.cleaner.threads=2 sensitive=false synonyms={DYNAMIC_BROKER_")
    _, everything = tool("kafka-configs.py", "--describe", "--broker", "2", "--all")
    assert "\n  node.id=2 " in everything


def test_bench_measures_a_running_cluster(cluster, tmp_path):
    report = tmp_path / "bench.json"
    loads = (
        "raw-produce-100b", "raw-fetch-1m", "produce-1k", "consume-1k", "consume-100b-100p",
        "latency",
    )  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "minikafka", "bench", "--bootstrap-server",
         cluster.bootstrap_servers, "--loads", ",".join(loads), "--rounds", "1",
         "--seconds", "0.2", "--max-mb", "5", "--warm-mb", "1", "--warm-up", "0",
         "--scratch", tmp_path, "--json", report],
        check=True, timeout=120, cwd=ROOT,
    )  # fmt: skip
    content = json.loads(report.read_text())
    assert sorted(it["load"] for it in content["loads"]) == sorted(loads)
    assert content["conditions"]["replication_factor"] == 3
    for it in content["loads"]:
        assert it["median"] > 0
        assert it["rounds"][0]["broker_cpu_s"] is not None
    assert len(content["processes"]["A"]["pids"]) == 3


def test_bench_compares_with_another_version(request, tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    (before / "minikafka").symlink_to(ROOT / "minikafka")
    report = tmp_path / "bench.json"
    claim = claim_ports(1)
    request.addfinalizer(claim.close)
    command = [sys.executable, "-m", "minikafka", "bench", "--start-nodes", "1",
               "--base-port", str(claim.base_port), "--before", before, "--loads", "latency",
               "--rounds", "1", "--seconds", "0.2", "--warm-mb", "1", "--warm-up", "0",
               "--json", report]  # fmt: skip
    subprocess.run(command, check=True, timeout=120, cwd=ROOT)
    content = json.loads(report.read_text())
    assert {it["target"] for it in content["loads"]} == {"minikafka", "before"}
    # What runs is the package of that folder.
    (before / "minikafka").unlink()
    (before / "minikafka").mkdir()
    (before / "minikafka" / "__init__.py").write_text("raise SystemExit('this one')")
    failed = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert "this one" in failed.stderr
    assert f"`minikafka dev` of {before} was not ready in time" in failed.stderr


def test_bench_stops_the_cluster_that_it_started_on_a_signal(tmp_path):
    command = [sys.executable, "-u", "-m", "minikafka", "bench", "--start-nodes", "1",
               "--base-port", str(free_base_port(1)), "--scratch", tmp_path]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as bench:
        line = bench.stdout.readline()
        pid = int(line.split("processes ")[1])
        assert Path(f"/proc/{pid}").exists()
        bench.send_signal(signal.SIGTERM)
        bench.stdout.read()
        assert bench.wait(60) == 1
    assert not Path(f"/proc/{pid}").exists()
    assert list(tmp_path.iterdir()) == []


def test_elr_is_switched_off_and_on(tool):
    """E12."""
    elr = "eligible.leader.replicas.version"
    all_levels = "".join(
        f"{name} can be upgraded to {level}.\n"
        for name, level in (
            (elr, 1), ("group.version", 1), ("kraft.version", 1), ("metadata.version", 30),
            ("transaction.version", 2),
        )
    )  # fmt: skip
    for words, said in (
        (("downgrade", "--feature", f"{elr}=0", "--dry-run"), f"{elr} can be downgraded to 0.\n"),
        (("downgrade", "--feature", f"{elr}=0"), f"{elr} was downgraded to 0.\n"),
        (("upgrade", "--release-version", "4.3-IV0", "--dry-run"), all_levels),
        (("upgrade", "--feature", f"{elr}=1"), f"{elr} was upgraded to 1.\n"),
    ):
        assert tool("kafka-features.py", *words) == (0, said)
    status, out = tool("kafka-features.py", "upgrade", "--feature", f"{elr}=5")
    assert (status, out[: len(elr) + 18]) == (1, f"Could not upgrade {elr}")
    assert elr in tool("kafka-features.py", "describe")[1]


def test_the_quorum_is_described(tool):
    out = tool("kafka-metadata-quorum.py", "describe", "--status")[1]
    leader = int(re.search(r"LeaderId: +([123])\n", out)[1])
    rows = tool("kafka-metadata-quorum.py", "describe", "--replication", "--human-readable")[1]
    found = [[cell.strip() for cell in row.split("\t")] for row in rows.splitlines()]
    assert found[0][6] == "Status"
    assert {int(row[0]): row[6] for row in found[1:]} == {
        node: "Leader" if node == leader else "Follower" for node in (1, 2, 3)
    }
