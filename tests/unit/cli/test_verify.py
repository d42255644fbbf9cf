import dataclasses
import json
import shlex

import pytest

from minikafka.cli import verify
from minikafka.harness import preflight
from minikafka.harness.plan.injections import INJECTIONS
from minikafka.harness.plan.lenient import LENIENT
from minikafka.harness.plan.schedule import PlannedFault, Schedule
from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.plan.workload_options import WorkloadOptions


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--inject", "gremlins"], "invalid choice: 'gremlins'"),
        (["--seconds", "soon"], "invalid float value: 'soon'"),
        (["--no-such-option"], "unrecognized arguments"),
    ],
)
def test_a_usage_error_ends_with_status_3(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        verify.main(arguments)
    assert end.value.code == 3
    assert said in capsys.readouterr().err


def test_values_out_of_range_are_told_all_at_once_with_status_3(capsys, tmp_path):
    out = tmp_path / "out"
    arguments = ["--nodes", "0", "--rate", "0", "--config", "x", "--out", str(out)]
    assert verify.main(arguments) == 3
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert not out.exists()


def test_a_machine_without_java_is_told_so_before_anything_is_started(
    capsys, tmp_path, monkeypatch
):
    def check(_):
        raise HarnessError("Spark needs Java 17 or newer, and there is none.")

    monkeypatch.setattr(preflight, "check", check)
    out = tmp_path / "out"
    assert verify.main(["--out", str(out)]) == 2
    assert capsys.readouterr().err == (
        "minikafka verify: Spark needs Java 17 or newer, and there is none.\n"
    )
    assert not out.exists()


def test_the_help_names_every_exit_status(capsys):
    with pytest.raises(SystemExit) as end:
        verify.main(["--help"])
    assert end.value.code == 0
    assert "0 verified, 1 a promise was broken" in capsys.readouterr().out


def test_a_client_command_that_does_not_exist_is_told_before_anything_is_started(capsys, tmp_path):
    """Issue 51."""
    out = tmp_path / "out"
    arguments = ["--client-command", "./absent --fast", "--out", str(out)]
    assert verify.main(arguments) == 3
    assert capsys.readouterr().err == (
        "minikafka verify: --client-command './absent --fast': there is no program './absent', or it"
        " cannot be executed.\n"
    )
    assert not out.exists()


@pytest.fixture
def begun(monkeypatch):
    """The settings and schedules of runs that were begun, instead of running them."""
    found = []

    def run(settings, schedule, _):
        found.append((settings, schedule))
        return 1

    monkeypatch.setattr(preflight, "check", lambda _: "17")
    monkeypatch.setattr("minikafka.harness.run.verify", run)
    return found


@pytest.mark.parametrize(
    ("arguments", "seconds", "min_isr", "faults"),
    [
        ([], 30, 2, 1),
        (["--profile", "smoke"], 30, 2, 3),
        (["--profile", "smoke", "--seconds", "12", "--min-isr", "1"], 12, 1, 3),
        (["--profile", "soak", "--minutes", "2"], 120, 2, 7),
        (["--profile", "harsh"], 50, 2, 8),
        (["--profile", "unclean-demo"], 30, 1, 2),
    ],
)
def test_a_profile_says_how_long_and_draws_the_faults(begun, arguments, seconds, min_isr, faults):
    """S3: and the status is the verdict's."""
    assert verify.main([*arguments, "--seed", "1"]) == 1
    [(settings, schedule)] = begun
    assert (settings.seconds, settings.min_isr) == (seconds, min_isr)
    assert len(schedule.faults) == faults


def test_the_unclean_demo_lets_unclean_leaders_be(begun):
    verify.main(["--profile", "unclean-demo", "--config", "a=b"])
    assert begun[0][0].cluster_config == ("unclean.leader.election.enable=true", "a=b")


def test_what_is_written_can_be_chosen(begun):
    """S1."""
    chosen = (
        "--client kafka-python --client aiokafka --producers 3 --acks 1 --compression zstd"
        " --size-min 100 --size-max 1048576 --size-distribution log-uniform --key-skew 1.1"
        " --bytes 500000 --topics 2"
    )
    verify.main(shlex.split(chosen))
    [(settings, _)] = begun
    assert settings.topics == 2
    assert settings.workload == WorkloadOptions(
        clients=("kafka-python", "aiokafka", "kafka-python"),
        acks="1",
        idempotent=False,
        compression="zstd",
        size_min_bytes=100,
        size_max_bytes=1 << 20,
        size_distribution="log-uniform",
        key_skew=1.1,
        bytes_per_s=500_000,
    )
    verify.main(shlex.split(settings.replay_command())[2:])
    assert begun[1][0].workload == settings.workload


@pytest.mark.parametrize(
    ("words", "lenient"),
    [([], ()), (["--lenient"], LENIENT), (["--lenient", "whole,faults"], ("whole", "faults"))],
)
def test_rules_can_be_left_out_by_name_or_all_that_may_be(begun, words, lenient):
    verify.main(words)
    [(settings, _)] = begun
    assert settings.lenient == lenient
    verify.main(shlex.split(settings.replay_command())[2:])
    assert begun[1][0].lenient == lenient


def test_the_controllers_can_be_placed_otherwise(begun):
    verify.main(["--controllers", "separate", "--nodes", "4"])
    [(settings, _)] = begun
    assert settings.node_ids == [1, 2, 3, 4, 101, 102, 103]
    verify.main(shlex.split(settings.replay_command())[2:])
    assert begun[1][0].voters == [101, 102, 103]


def test_a_cluster_without_elr_and_fewer_records_can_be_asked_for(begun):
    verify.main(["--elr", "off", "--min-acknowledged", "7"])
    [(settings, _)] = begun
    assert (settings.elr, settings.min_acknowledged) == ("off", 7)


@pytest.mark.parametrize("injection", INJECTIONS)
def test_every_way_to_tamper_can_be_chosen(begun, injection):
    verify.main(["--inject", injection])
    assert begun[0][0].inject == injection


def test_a_schedule_is_replayed(begun, tmp_path):
    """S3."""
    verify.main(["--profile", "smoke", "--seed", "9"])
    [(_, drawn)] = begun
    drawn.write(tmp_path / "s.json")
    verify.main(["--schedule", str(tmp_path / "s.json")])
    assert begun[1][1] == drawn


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--schedule", "/nowhere"], "--schedule /nowhere: No such file or directory."),
        (["--profile", "soak"], "--profile soak needs --minutes."),
        (["--minutes", "3"], "--minutes can only be used with --profile soak."),
        (["--acks", "1", "--idempotence", "on"], "An idempotent producer needs acks=all"),
        (["--lenient", "faults,lost"], "--lenient lost: no such rule; the rules are "),
        (["--producers", "0"], "The number of producers is 0"),
        (["--size-min", "9", "--size-max", "8"], "--size-min is 9 and --size-max is 8"),
        (["--profile", "smoke", "--nodes", "0"], "--nodes is 0"),
    ],
)
def test_what_a_run_cannot_be_is_one_sentence_with_status_3(begun, capsys, arguments, said):
    assert verify.main(arguments) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"minikafka verify: {said}")
    assert len(error.splitlines()) == 1
    assert begun == []


def test_a_schedule_that_the_run_cannot_have_is_told_with_status_3(begun, capsys, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(
        '{"schema": "minikafka.schedule/1", "faults": [{"kind": "melt", "at_s": 1},'
        ' {"kind": "kill", "at_s": 2, "targets": [8]}]}'
    )
    assert verify.main(["--schedule", str(path)]) == 3
    first, second = capsys.readouterr().err.splitlines()
    assert "fault 1 (melt): unknown kind of fault" in first
    assert "fault 2 (kill): there is no node 8; the nodes are 1, 2, 3." in second
    assert begun == []


def test_the_elr_demo_is_the_command_of_that_name(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("minikafka.cli.demo_elr.run", lambda args: asked.append(vars(args)) or 0)
    assert verify.main(["--profile", "elr-demo", "--out", str(tmp_path)]) == 0
    assert asked == [{"base_port": 0, "dir": tmp_path}]


def test_an_empty_client_command_is_named(capsys):
    assert verify.main(["--client-command", ""]) == 3
    told = "minikafka verify: --client-command is empty: give a command.\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize(
    ("arguments", "clients", "commands"),
    [
        (["--client-command", "true"], (), ("true",)),
        (["--client", "aiokafka", "--client-command", "true"], ("aiokafka",), ("true",)),
        (["--client-command", "true x", "--client-command", "true"], (), ("true x", "true")),
        (
            ["--client", "aiokafka", "--client-command", "true", "--producers", "3"],
            ("aiokafka", "aiokafka"),
            ("true",),
        ),
    ],
)
def test_commands_replace_the_default_clients(arguments, clients, commands, begun):
    """Issue 51."""
    assert verify.main(arguments) == 1
    [(settings, _)] = begun
    assert settings.workload.clients == clients
    assert settings.workload.client_commands == commands


@pytest.fixture
def earlier(tmp_path, begun):
    """Write a folder of an earlier run with these options; return its settings and schedule too."""

    def write(*arguments):
        assert verify.main([*arguments, "--seed", "77", "--out", str(tmp_path / "first")]) == 1
        [(settings, schedule)] = begun
        begun.clear()
        folder = tmp_path / "run"
        folder.mkdir()
        run = {"replay": settings.replay_command()}
        content = {"schema": "minikafka.verdict/1", "run": run}
        (folder / "verdict.json").write_text(json.dumps(content))
        schedule.write(folder / "schedule.json")
        return folder, settings, schedule

    return write


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--profile", "smoke", "--seconds", "30", "--client", "aiokafka", "--config", "a=b"),
        ("--profile", "harsh", "--seconds", "30"),
        ("--client-command", "true x", "--acks", "1", "--rate", "7"),
        ("--profile", "soak", "--minutes", "2", "--lenient"),
    ],
)
def test_a_run_is_repeated_with_its_options_seed_and_faults(arguments, earlier, begun):
    """Issue 51."""
    folder, settings, schedule = earlier(*arguments)
    assert verify.main(["--replay", str(folder)]) == 1
    [(again, planned)] = begun
    assert dataclasses.replace(again, out=settings.out) == settings
    assert again.out != settings.out
    assert planned == schedule


def test_a_replay_logs_in_as_the_run_did(earlier, begun, tmp_path, monkeypatch):
    """The properties stay in their file: neither settings nor verdict have them."""
    monkeypatch.setenv("MINIKAFKA_VERIFY_COMMAND_CONFIG", "")  # put back at the end
    file = tmp_path / "client.properties"
    file.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config="
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="a"'
        ' password="hidden";\n'
    )
    options = ("--bootstrap-server", "h:1", "--command-config", str(file))
    folder, settings, _ = earlier(*options, "--lenient", "faults")
    assert verify.main(["--replay", str(folder)]) == 1
    [(again, _)] = begun
    assert again.command_config == settings.command_config == file
    assert "hidden" not in (folder / "verdict.json").read_text()


def test_a_replay_takes_the_faults_from_the_folder(earlier, begun, tmp_path):
    """They may have been edited, and the file that the run named may be gone."""
    file = tmp_path / "mine.json"
    Schedule(faults=(PlannedFault(kind="kill", at_s=1, targets=(1,)),)).write(file)
    folder, _, _ = earlier("--schedule", str(file))
    file.unlink()
    faults = (PlannedFault(kind="pause", at_s=2, targets=(3,)),)
    Schedule(faults=faults).write(folder / "schedule.json")
    assert verify.main(["--replay", str(folder)]) == 1
    [(settings, planned)] = begun
    assert planned.faults == faults
    assert settings.schedule == folder / "schedule.json"


@pytest.mark.parametrize(
    ("arguments", "expected", "is_same"),
    [
        (["--rate", "9"], {"rate": 9}, True),
        (["--seed", "5"], {"seed": 5, "seconds": 12.0}, False),
        (["--seconds", "14"], {"seconds": 14.0, "seed": 77}, False),
        (["--profile", "standard", "--seconds", "40"], {"profile": "standard"}, False),
    ],
)
def test_other_options_overrule_those_of_the_run(arguments, expected, is_same, earlier, begun):
    folder, _, schedule = earlier("--seconds", "12", "--client", "aiokafka", "--config", "a=b")
    assert verify.main(["--replay", str(folder), *arguments]) == 1
    [(settings, planned)] = begun
    for name, value in expected.items():
        assert getattr(settings, name) == value
    assert settings.workload.clients == ("aiokafka",)
    assert (planned.faults == schedule.faults) == is_same


def test_clients_of_the_run_are_replaced_as_a_whole(earlier, begun):
    folder, _, _ = earlier("--client", "aiokafka", "--client-command", "true", "--config", "a=b")
    replay = ["--replay", str(folder)]
    assert verify.main([*replay, "--client-command", "true y", "--config", "c=d"]) == 1
    [(settings, _)] = begun
    assert (settings.workload.clients, settings.workload.client_commands) == ((), ("true y",))
    assert settings.cluster_config == ("c=d",)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "the folder has no verdict.json of a run: No such file or directory."),
        ({"verdict.json": "{"}, "verdict.json is not valid JSON: "),
        ({"verdict.json": "[]"}, "verdict.json is not the verdict of a run."),
        ({"verdict.json": '{"schema": "x"}'}, "verdict.json is not the verdict of a run."),
        (
            {"verdict.json": '{"schema": "minikafka.verdict/1", "run": {}}'},
            "verdict.json has no command that repeats the run.",
        ),
        (
            {"verdict.json": '{"schema": "minikafka.verdict/1", "run": {"replay": "a b"}}'},
            "the folder has no schedule.json of a run.",
        ),
    ],
)
def test_a_folder_without_a_run_cannot_be_repeated(files, problem, tmp_path, capsys, begun):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert verify.main(["--replay", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith(f"minikafka verify: --replay {tmp_path}: {problem}")
    assert begun == []
