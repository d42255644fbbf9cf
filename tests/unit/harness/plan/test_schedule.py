"""S3: a schedule is written, edited and read again; an impossible one is refused."""

import json

import pytest

from minikafka.harness.plan.schedule import KINDS, PlannedFault, Schedule, leader_of, read_schedule
from minikafka.harness.plan.settings import HarnessError

FAULTS = (
    PlannedFault(kind="kill", at_s=1.5, duration_s=2.0, targets=("leader of 0", 3)),
    PlannedFault(
        kind="slow-node", at_s=4, duration_s=1, targets=("brokers",), parameters={"ms": 7}
    ),
    PlannedFault(kind="elect", at_s=6, parameters={"type": "unclean"}),
)


def problems(**fault):
    schedule = Schedule(faults=(PlannedFault(**{"at_s": 1, **fault}),))
    return schedule.problems(seconds=30, nodes=[1, 2, 3, 101], partitions=4)


def test_a_written_schedule_is_read_back(tmp_path):
    path = tmp_path / "schedule.json"
    schedule = Schedule(faults=FAULTS, seed=9, seconds=30.0)
    schedule.write(path)
    assert read_schedule(path) == schedule
    assert schedule.problems(seconds=30, nodes=[1, 2, 3], partitions=1) == []


def test_faults_are_sorted_by_time_and_may_leave_out_defaults(tmp_path):
    path = tmp_path / "edited.json"
    rows = [{"kind": "elr-off", "at_s": 9}, {"kind": "loss", "at_s": 2, "targets": [1]}]
    path.write_text(json.dumps({"schema": "minikafka.schedule/1", "faults": rows}))
    first, second = read_schedule(path).faults
    assert (first.kind, second.kind) == ("loss", "elr-off")
    assert first.parameter("percent") == 10


def test_a_fault_has_a_description():
    assert str(FAULTS[0]) == "kill leader of 0, 3"
    assert str(FAULTS[1]) == "slow-node ms=7 brokers"
    assert FAULTS[0].heal_at_s == 3.5


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"kind": "explode"}, "unknown kind of fault; expected one of kill, restart,"),
        ({"kind": "kill", "targets": (4,)}, "there is no node 4; the nodes are 1, 2, 3, 101."),
        ({"kind": "kill", "targets": (1,), "at_s": 31}, "at_s is 31, but the run writes for 30 s"),
        ({"kind": "kill", "targets": (1,), "at_s": -1}, "at_s is -1"),
        ({"kind": "kill", "targets": (1,), "duration_s": 99}, "duration_s is 99"),
        ({"kind": "kill"}, "the number of targets is 0, expected 1 to 99."),
        ({"kind": "cut", "targets": (1,)}, "the number of targets is 1, expected 2."),
        ({"kind": "elect", "targets": (1,)}, "the number of targets is 1, expected none."),
        ({"kind": "kill", "targets": ("follower",)}, "'follower' is not a role"),
        ({"kind": "kill", "targets": (True,)}, "neither a node nor a role"),
        ({"kind": "kill", "targets": ("clients",)}, "clients cannot be a target"),
        ({"kind": "full-disk", "targets": ("controller",)}, "only brokers can be targets"),
        ({"kind": "kill", "targets": ("leader of 4",)}, "the last partition is 3"),
        ({"kind": "kill", "targets": (1,), "parameters": {"ms": 1}}, "unknown parameter 'ms'"),
        ({"kind": "slow-node", "targets": (1,), "parameters": {"ms": 0}}, "must be 1 to 10000"),
        (
            {"kind": "slow-node", "targets": (1,), "parameters": {"ms": "x"}},
            "must be a whole number",
        ),
        ({"kind": "slow-node", "targets": (1,), "parameters": {"ms": True}}, "a whole number"),
        (
            {"kind": "cut", "targets": (1, 2), "parameters": {"one_way": 1}},
            "must be true or false",
        ),
        ({"kind": "elect", "parameters": {"type": "any"}}, "one of preferred, unclean"),
    ],
)
def test_an_impossible_schedule_is_refused_in_one_sentence(fault, sentence):
    [problem] = problems(**fault)
    assert problem.startswith(f"schedule, fault 1 ({fault['kind']}): ")
    assert sentence in problem


def test_nodes_of_an_unknown_cluster_are_not_judged():
    schedule = Schedule(faults=(PlannedFault(kind="kill", at_s=1, targets=(77,)),))
    assert schedule.problems(seconds=30, nodes=None, partitions=1) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not valid JSON"),
        ("[]", "its schema is not 'minikafka.schedule/1'"),
        ('{"schema": "other"}', "its schema is not"),
        ('{"schema": "minikafka.schedule/1"}', "has no list of faults"),
        ('{"schema": "minikafka.schedule/1", "faults": [7]}', "fault 1:"),
        (
            '{"schema": "minikafka.schedule/1", "faults": [{"kind": "kill"}]}',
            "kind and at_s are required",
        ),
        (
            '{"schema": "minikafka.schedule/1", "faults": [{"kind": "kill", "at_s": "soon"}]}',
            "fault 1: could not convert",
        ),
        (
            (
                '{"schema": "minikafka.schedule/1", "faults":'
                ' [{"kind": "kill", "at_s": 1, "targets": "controller"}]}'
            ),
            "fault 1: targets must be a list, not 'controller'",
        ),
        (
            '{"schema": "minikafka.schedule/1", "faults": [{"kind": "kill", "at_s": 1, "at": 2}]}',
            "unknown field at",
        ),
        ('{"schema": "minikafka.schedule/1", "faults": [], "seed": "x"}', "must be numbers"),
    ],
)
def test_a_file_that_is_no_schedule_is_refused(tmp_path, content, sentence):
    path = tmp_path / "s.json"
    path.write_text(content)
    with pytest.raises(HarnessError, match=sentence):
        read_schedule(path)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(HarnessError, match="No such file"):
        read_schedule(tmp_path / "gone")


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_is_a_value_of_its_parameter(kind):
    for parameter in KINDS[kind].parameters.values():
        assert parameter.problem(parameter.default) == ""


def test_only_a_role_is_a_leader():
    assert [leader_of(x) for x in ("leader of 12", "leader of x", 3)] == [12, None, None]
