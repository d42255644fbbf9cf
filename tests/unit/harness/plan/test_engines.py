import pytest

from minikafka.harness.plan import engines
from minikafka.harness.plan.draw import draw_schedule, planned
from minikafka.harness.plan.schedule import OF_STREAM, PlannedFault, Schedule
from minikafka.harness.plan.settings import RunSettings


@pytest.mark.parametrize(
    ("option", "installed", "engine"),
    [
        ("auto", True, "spark"),
        ("auto", False, "local"),
        ("local", True, "local"),
        ("spark", False, "spark"),
    ],
)
def test_spark_is_the_default_where_it_is_installed(option, installed, engine):
    assert engines.choose(option, lambda _: object() if installed else None) == engine


@pytest.mark.parametrize("changes", [{"master": "spark://h:1"}, {"jars": "x"}])
def test_options_of_spark_are_refused_with_the_local_engine(changes):
    [option] = changes
    [said] = RunSettings(engine="local", **changes).problems()
    assert said == f"--{option} is Spark's: it cannot be used with --engine local."
    assert RunSettings(**changes).problems() == []


def test_the_command_that_repeats_a_run_names_its_engine():
    assert "--engine local" in RunSettings(engine="local").replay_command()
    assert "--engine" not in RunSettings().replay_command()


def test_faults_of_sparks_stream_are_not_drawn_for_the_local_engine():
    def kinds(engine):
        settings = RunSettings(profile="soak", seconds=900.0, seed=1, engine=engine)
        return [fault.kind for fault in draw_schedule(settings).faults]

    drawn = kinds("spark")
    assert set(OF_STREAM) <= set(drawn)
    assert kinds("local") == [kind for kind in drawn if kind not in OF_STREAM]


@pytest.mark.parametrize("kind", OF_STREAM)
def test_a_schedule_with_such_a_fault_is_refused(tmp_path, kind):
    fault = PlannedFault(kind=kind, at_s=1.0, duration_s=1.0, targets=())
    plan = tmp_path / "schedule.json"
    Schedule(faults=(fault,), seed=3, seconds=5.0).write(plan)
    _, found = planned(RunSettings(schedule=plan, seconds=5.0), [1, 2, 3])
    assert found == []
    _, found = planned(RunSettings(schedule=plan, seconds=5.0, engine="local"), [1, 2, 3])
    assert found == [
        f"fault '{kind}' needs --engine spark: the local engine has no query with a checkpoint."
    ]
