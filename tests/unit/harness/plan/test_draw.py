"""S3: the seed decides the schedule."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.harness.plan.draw import draw_schedule
from minikafka.harness.plan.draw import planned as planned_for
from minikafka.harness.plan.schedule import (
    CONTROLLER,
    DEPOSING,
    EXCLUSIVE,
    KINDS,
    STANDBY,
    PlannedFault,
    Schedule,
)
from minikafka.harness.plan.settings import RunSettings

PROFILES = ("", "smoke", "standard", "soak", "unclean-demo")
"""Those that any cluster of three brokers and more can have."""


def planned(chosen):
    return planned_for(chosen, chosen.node_ids)


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
def test_a_small_cluster_gets_only_possible_faults(nodes):
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
    fault = PlannedFault(kind="cut", at_s=1, duration_s=2, targets=(1, 101))
    Schedule(faults=(fault,), seed=0, seconds=30).write(path)
    for tools, controllers in ((None, "separate"), (None, "one"), (tmp_path, "")):
        chosen = RunSettings(schedule=path, kafka_tools=tools, controllers=controllers)
        assert planned(chosen)[1] == []
    [problem] = planned(RunSettings(schedule=path))[1]
    assert "there is no node 101; the nodes are 1, 2, 3." in problem


HARSH = [draw_schedule(RunSettings(profile="harsh", seed=seed, seconds=50)) for seed in range(60)]


@pytest.mark.parametrize("schedule", HARSH)
def test_the_last_member_of_the_isr_loses_power_while_the_others_are_away(schedule):
    """E13: and the one that left last returns first, with its data."""
    first, second, last = schedule.faults[:3]
    assert last.kind == "power-cut"
    assert {*first.targets, *second.targets, *last.targets} == {1, 2, 3}
    assert first.at_s < second.at_s - 3.5
    assert second.at_s < last.at_s - 3.5
    assert last.at_s < first.heal_at_s
    assert last.at_s < second.heal_at_s < last.heal_at_s
    assert second.kind in ("pause", "isolate", "restart")


@pytest.mark.parametrize("schedule", HARSH)
def test_harsh_faults_overlap_in_three_groups_with_time_to_settle_between(schedule):
    groups = [[fault for fault in schedule.faults if low <= fault.at_s < high]
              for low, high in ((0, 22), (22, 36), (36, 50))]  # fmt: skip
    assert sum(map(len, groups)) == len(schedule.faults)
    for group in groups:
        for fault in group[1:]:
            assert any(it is not fault and it.at_s <= fault.at_s < it.heal_at_s for it in group)
    ends = [max(fault.heal_at_s for fault in group) for group in groups]
    assert ends[0] + 5 < groups[1][0].at_s
    assert ends[1] + 4 < groups[2][0].at_s
    assert ends[2] + 4 < 50


def test_in_a_harsh_run_one_broker_loses_its_data_and_no_more():
    """H7: with min ISR 2 nothing is promised for two."""
    for schedule in HARSH:
        cut = [fault for fault in schedule.faults if fault.kind in ("power-cut", "wipe")]
        assert len([fault for fault in cut if fault.targets[0] in (1, 2, 3)]) == 1


@pytest.mark.parametrize("schedule", HARSH)
def test_in_a_harsh_run_a_controller_fails_before_a_leader(schedule):
    [at] = [index for index, fault in enumerate(schedule.faults) if fault.targets == (CONTROLLER,)]
    controller, leader = schedule.faults[at : at + 2]
    assert controller.kind in DEPOSING
    assert leader.kind in ("kill", "pause")
    assert controller.at_s < leader.at_s < controller.heal_at_s


def test_in_a_harsh_run_the_controllers_are_no_brokers():
    """Two of three brokers leave; the quorum must go on, so that the ISR can shrink."""
    assert RunSettings(profile="harsh").voters == [101, 102, 103]


STANDARD = [
    draw_schedule(RunSettings(profile="standard", seed=seed, seconds=300)) for seed in range(20)
]


@pytest.mark.parametrize("schedule", STANDARD)
def test_every_fourth_fault_of_a_standard_run_is_one_of_a_controller(schedule):
    fourth = schedule.faults[3::4]
    assert len(fourth) >= 3
    assert {fault.targets for fault in fourth} <= {(CONTROLLER,), (STANDBY,)}
    assert len({fault.kind for fault in fourth}) == len(fourth)


def test_standard_seeds_have_all_faults_of_controllers():
    drawn = {
        (fault.kind, fault.targets)
        for schedule in STANDARD
        for fault in schedule.faults
        if fault.kind in DEPOSING and fault.targets[0] in (CONTROLLER, STANDBY)
    }
    kinds = ("kill", "pause", "isolate", "power-cut", "wipe", "old-voter")
    assert drawn >= {(kind, (CONTROLLER,)) for kind in kinds}
    assert drawn >= {("wipe", (STANDBY,)), ("old-voter", (STANDBY,))}


def test_what_a_voter_lost_has_time_to_be_copied_again():
    for schedule in STANDARD:
        for before, after in pairwise(schedule.faults):
            if before.kind in EXCLUSIVE:
                assert after.at_s - before.at_s > 20


@pytest.mark.parametrize("controllers", ["one", "separate"])
def test_a_network_partition_between_a_broker_and_the_controller_is_drawn(controllers):
    chosen = RunSettings(profile="soak", seed=2, seconds=900, controllers=controllers)
    pairs = [it.targets for it in draw_schedule(chosen).faults if it.kind == "cut"]
    assert any(isinstance(pair[0], int) and pair[1] == CONTROLLER for pair in pairs)


def test_harsh_seeds_compose_different_faults():
    def kinds(schedule):
        return tuple(fault.kind for fault in schedule.faults)

    assert len({kinds(schedule) for schedule in HARSH}) > 40
    pairs = {kinds(schedule)[3:] for schedule in HARSH}
    for kind in ("cut", "slow-disk", "loss", "slow-node", "isolate", "elect", "kill", "pause"):
        assert any(kind in pair for pair in pairs), kind


@pytest.mark.parametrize("profile", ["harsh", "standard"])
def test_elr_on_and_off_have_the_same_schedule_but_for_what_switches_it_off(profile):
    on, off = (
        draw_schedule(RunSettings(profile=profile, seed=5, seconds=600, elr=elr)).faults
        for elr in ("on", "off")
    )
    assert off == tuple(fault for fault in on if fault.kind != "elr-off")
    assert (len(off) < len(on)) == (profile == "standard")
