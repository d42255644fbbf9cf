"""S3: the seed decides the schedule."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.harness.draw import draw_schedule, planned
from minikafka.harness.schedule import KINDS, PlannedFault, Schedule
from minikafka.harness.settings import RunSettings

PROFILES = ("", "smoke", "standard", "soak", "unclean-demo")


@settings(max_examples=60)
@given(
    st.sampled_from(PROFILES),
    st.integers(),
    st.floats(min_value=5, max_value=2_000),
    st.integers(3, 9),
)
def test_the_seed_repeats_the_schedule_and_a_run_can_have_it(profile, seed, seconds, nodes):
    chosen = RunSettings(profile=profile, seed=seed, seconds=seconds, nodes=nodes)
    schedule, problems = planned(chosen)
    assert problems == []
    assert schedule == draw_schedule(chosen)
    ends = [fault.heal_at_s for fault in schedule.faults]
    assert ends
    assert max(ends) <= seconds


@settings(max_examples=30)
@given(st.sampled_from(("smoke", "standard")), st.integers())
def test_drawn_faults_do_not_overlap(profile, seed):
    faults = draw_schedule(RunSettings(profile=profile, seed=seed, seconds=300)).faults
    for before, after in pairwise(faults):
        assert before.heal_at_s < after.at_s


def test_by_default_the_leader_of_partition_0_is_killed_about_the_middle():
    [fault] = draw_schedule(RunSettings(seed=7)).faults
    assert (fault.kind, fault.targets) == ("kill", ("leader of 0",))
    assert 0.35 * 30 <= fault.at_s <= fault.heal_at_s <= 0.81 * 30


def test_other_seeds_draw_others():
    drawn = [draw_schedule(RunSettings(profile="smoke", seed=seed)) for seed in range(20)]
    kinds = {fault.kind for schedule in drawn for fault in schedule.faults}
    assert len(kinds) > 8
    assert len({schedule.faults[0].at_s for schedule in drawn}) > 10


def test_a_smoke_run_has_several_faults_and_begins_with_a_killed_leader():
    faults = draw_schedule(RunSettings(profile="smoke", seed=3)).faults
    assert len(faults) == 3
    assert (faults[0].kind, faults[0].targets) == ("kill", ("leader of 0",))


def test_a_long_run_has_every_kind():
    faults = draw_schedule(RunSettings(profile="soak", seed=1, seconds=600)).faults
    assert {fault.kind for fault in faults} == set(KINDS)


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_small_cluster_gets_what_it_can_have(nodes):
    chosen = RunSettings(profile="standard", nodes=nodes, min_isr=1, seconds=300)
    schedule, problems = planned(chosen)
    assert problems == []
    assert len(schedule.faults) > 5


def test_a_schedule_of_a_file_is_taken_as_it_is(tmp_path):
    path = tmp_path / "s.json"
    draw_schedule(RunSettings(profile="smoke", seed=5)).write(path)
    schedule, problems = planned(RunSettings(schedule=path, seed=6))
    assert (schedule.seed, problems) == (5, [])
    _, problems = planned(RunSettings(schedule=path, seconds=1.5))
    assert "the run writes for 1.5 s" in problems[0]


def test_a_schedule_for_our_own_cluster_fits_an_apache_kafka_too(tmp_path):
    path = tmp_path / "s.json"
    fault = PlannedFault(kind="partition", at_s=1, duration_s=2, targets=(1, 101))
    Schedule(faults=(fault,), seed=0, seconds=30).write(path)
    for tools in (None, tmp_path):
        assert planned(RunSettings(schedule=path, kafka_tools=tools))[1] == []
