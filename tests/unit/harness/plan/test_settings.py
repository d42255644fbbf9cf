import json
from pathlib import Path

import pytest

from minikafka.harness.plan.settings import HarnessError, RunFiles, RunSettings, SparkJob
from minikafka.harness.plan.workload_options import WorkloadOptions


def test_the_default_settings_can_start():
    assert RunSettings().problems() == []


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (RunSettings(nodes=0), "--nodes is 0"),
        (RunSettings(seconds=0.5), "--seconds is 0.5"),
        (RunSettings(rate=0), "--rate is 0"),
        (RunSettings(partitions=1001), "--partitions is 1001"),
        (RunSettings(min_isr=0), "--min-isr is 0"),
        (RunSettings(base_port=70_000), "--base-port is 70000"),
        (RunSettings(bootstrap_servers="h:1", kill_command="true {node}"), "needs --start-command"),
        (RunSettings(restart_command="true {node}"), "--restart-command can only be used with"),
        (RunSettings(cluster_config=("novalue",)), "'novalue'"),
        (
            RunSettings(nodes=1),
            "--min-isr is 2, but with --nodes 1 the replication factor is only 1.",
        ),
        (RunSettings(kafka_tools=Path("t"), bootstrap_servers="h:1"), "--kafka-tools"),
        (RunSettings(profile="smoke", schedule=Path("s")), "give one of the two"),
        (RunSettings(cluster_config=("=x",)), "'=x'"),
        (RunSettings(inject="poll-skip", reader="none"), "--inject poll-skip needs a reader"),
        (RunSettings(topics=0), "--topics is 0"),
        (RunSettings(min_acknowledged=0), "--min-acknowledged is 0"),
        (RunSettings(profile="harsh", nodes=4), "harsh needs --nodes 3 and --min-isr 2"),
        (RunSettings(profile="harsh", min_isr=1), "harsh needs --nodes 3 and --min-isr 2"),
        (
            RunSettings(profile="harsh", bootstrap_servers="h:1"),
            "cannot be used with --bootstrap-server",
        ),
        (RunSettings(elr="off", bootstrap_servers="h:1"), "--elr off cannot be used with"),
        (RunSettings(topic="t", topics=2), "--topic names one topic"),
        (RunSettings(topic="a b"), "'a b' is not a valid topic name"),
        (RunSettings(workload=WorkloadOptions(clients=("curl",))), "Unknown client 'curl'"),
    ],
)
def test_a_value_out_of_range_is_named(settings, named):
    [problem] = settings.problems()
    assert named in problem


def test_a_topic_has_at_most_three_replicas_and_at_most_one_a_node():
    assert RunSettings(nodes=1).replication_factor == 1
    assert RunSettings(nodes=5).replication_factor == 3


def test_the_replay_command_repeats_the_options_chosen_and_no_others():
    settings = RunSettings(
        seed=0,
        seconds=12.5,
        out=Path("elsewhere"),
        cluster_config=("a.b=1", "c=x y"),
        inject="loss",
        schedule=Path("s.json"),
        bootstrap_servers="127.0.0.1:1",
    )
    assert settings.replay_command() == (
        "minikafka verify --seconds 12.5 --seed 0 --bootstrap-server 127.0.0.1:1"
        " --config a.b=1 --config 'c=x y' --inject loss --schedule s.json"
    )


def test_settings_and_jobs_are_plain_json():
    assert json.loads(json.dumps(RunSettings().as_json()))["rate"] == RunSettings().rate
    job = SparkJob(root="r", master="local[1]", seed=3, inject="corrupt")
    assert SparkJob(**json.loads(job.to_json())) == job


def test_a_folder_with_another_run_is_refused(tmp_path):
    files = RunFiles(tmp_path / "run")
    files.prepare()
    with pytest.raises(HarnessError, match="holds another run"):
        RunFiles(tmp_path / "run").prepare()


def test_of_two_runs_at_once_only_one_gets_the_folder(tmp_path, monkeypatch):
    """Both have seen an empty folder before either has made its files."""
    RunFiles(tmp_path).prepare()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "exists", lambda _: False)
        with pytest.raises(HarnessError, match="holds another run"):
            RunFiles(tmp_path).prepare()


def test_a_folder_that_cannot_be_made_is_refused_with_the_reason(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(HarnessError, match="cannot write to"):
        RunFiles(tmp_path / "file" / "run").prepare()


def test_the_replay_command_has_the_workload_options():
    options = WorkloadOptions(acks="1", idempotent=False, key_skew=1.5)
    settings = RunSettings(topics=2, workload=options, jars=Path("j"))
    assert settings.replay_command() == (
        "minikafka verify --seed 0 --topics 2 --jars j --acks 1 --key-skew 1.5"
    )
    assert settings.as_json()["workload"]["acks"] == "1"
    assert settings.as_json()["jars"] == "j"


def test_the_replay_command_has_the_rules_left_out():
    settings = RunSettings(elr="off", lenient=("faults", "whole"), min_acknowledged=5)
    assert settings.replay_command() == (
        "minikafka verify --seed 0 --elr off --min-acknowledged 5 --lenient faults,whole"
    )
    assert settings.as_json()["lenient"] == ["faults", "whole"]


def test_topics_have_names_of_the_runs_own_unless_one_is_named():
    assert RunSettings(seed=7).topic_names("ab") == ["verify-7-ab"]
    assert RunSettings(seed=7, topics=2).topic_names("ab") == ["verify-7-ab-0", "verify-7-ab-1"]
    assert RunSettings(topic="mine").topic_names("ab") == ["mine"]


def test_a_topic_for_large_records_takes_them():
    assert RunSettings().topic_config() == {}
    large = RunSettings(workload=WorkloadOptions(size_max_bytes=1 << 20))
    assert int(large.topic_config()["max.message.bytes"]) > 1 << 20


def test_the_checkpoint_of_another_run_is_refused(tmp_path):
    (tmp_path / "run" / "checkpoint").mkdir(parents=True)
    with pytest.raises(HarnessError, match="remove it, or choose an empty folder with --out"):
        RunFiles(tmp_path / "run").prepare()


@pytest.mark.parametrize(
    ("chosen", "voters"),
    [
        ({}, [1, 2, 3]),
        ({"nodes": 5}, [1, 2, 3]),
        ({"nodes": 2}, [101]),
        ({"profile": "harsh"}, [101, 102, 103]),
        ({"profile": "unclean-demo", "min_isr": 1}, [101, 102, 103]),
        ({"kafka_tools": Path("tools")}, [101]),
        ({"controllers": "separate", "nodes": 1, "min_isr": 1}, [101, 102, 103]),
        ({"controllers": "one", "profile": "harsh"}, [101]),
    ],
)
def test_the_place_of_the_voters(chosen, voters):
    settings = RunSettings(**chosen)
    assert settings.voters == voters
    assert settings.problems() == []
    others = [node for node in voters if node not in settings.brokers]
    assert settings.node_ids == [*settings.brokers, *others]


def test_the_nodes_of_another_cluster_are_unknown():
    assert RunSettings(bootstrap_servers="h:1").node_ids is None


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"controllers": "combined", "nodes": 2}, "needs --nodes 3 or more"),
        ({"controllers": "combined", "profile": "harsh"}, "takes two of three brokers away"),
        ({"controllers": "separate", "kafka_tools": Path("tools")}, "starts one controller"),
        ({"controllers": "one", "bootstrap_servers": "h:1"}, "cannot be used with"),
    ],
)
def test_voters_that_a_run_cannot_have(chosen, said):
    [problem] = RunSettings(**chosen).problems()
    assert said in problem
