"""The story of a run that breaks a rule: each part is there, in its order."""

import re
from functools import cache

from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.explain.story import Story
from minikafka.sim.world.sim_cluster import CONTROLLER_ID
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS

(MUTANT,) = [each for each in MUTATIONS if each.name.startswith("H4: acknowledged before")]
SLOW_MS, KILL_MS = 4_000, 5_000


def plan(leader):
    """Messages of the leader are slow; it appends records that no follower has yet, and is killed.

    The other values do not matter.
    """
    return Plan.of(
        seed=1, brokers=4, replication_factor=3, min_isr=2, partitions=1,
        separate_controller=True, elr=True, recovery_manager=False, strategy="Balanced",
        roll_ms=1 << 40, producers=1, idempotent=False, flush_messages=False, duration_ms=14_000,
        pace_ms=40,
        incidents=(
            Incident(at_ms=3_000, what=Fault.CLOCK, node=CONTROLLER_ID),
            *[
                Incident(at_ms=SLOW_MS, what=Fault.SLOW, node=leader, other=other, for_ms=7_000)
                for other in range(1, 5)
                if other != leader
            ],
            Incident(at_ms=KILL_MS, what=Fault.KILL, node=leader, for_ms=6_000),
            Incident(at_ms=13_000, what=Fault.PAUSE, node=leader % 4 + 1, for_ms=200),
        ),
    )  # fmt: skip


def run(it):
    story = Story()
    simulation = Simulation(it, story.add_line)
    story.follow(simulation)
    return simulation.run(), story


@cache
def broken():
    """The plan whose leader is the one that is killed, its outcome and its story."""
    with applied(MUTANT):
        for leader in range(1, 5):
            outcome, story = run(plan(leader))
            if outcome.violation is not None:
                return plan(leader), leader, outcome, story
    raise AssertionError("nothing is broken")


def position(lines, pattern, after=0):
    for at, line in enumerate(lines[after:], after):
        if re.search(pattern, line):
            return at
    raise AssertionError(f"no line {pattern!r} in:\n" + "\n".join(lines))


def test_the_story_has_its_parts_in_their_order():
    """H4: acknowledged by the leader alone, and gone with it."""
    _, leader, outcome, story = broken()
    lines = story.lines
    led = position(lines, rf"  t-0: n{leader} leads epoch 0 \(in sync n\d, n\d, n\d\)$")
    held = position(lines, rf"n{leader} acknowledges offsets 0 to \d+ of t-0 with acks=all", led)
    assert re.search(r" until \d\.\d{3} s; held by n\d, n\d, n\d$", lines[held])
    slow = position(lines, rf"the link between n{leader} and n\d is slow, for 7 s$", held)
    killed = position(lines, rf"5\.000 s  n{leader} is killed$", slow)
    alone = position(lines, rf"n{leader} acknowledges .*; held by n{leader}$", slow)
    assert alone < killed
    other = position(lines, r"t-0: n\d leads epoch 1, ", killed)
    back = position(lines, rf"n{leader} has \d+ records of t-0 and has lost none$", other)
    cut = position(lines, rf"n{leader} truncates its log of t-0 from \d+ to \d+ records$", back)
    end = position(lines, r"^At \d+\.\d{3} s a rule is broken: lost: t-0 ", cut)
    assert outcome.violation in lines[end]
    assert (
        lines[end + 1] == "The rule: a record that was acknowledged with acks=all stays readable."
    )
    assert lines[end + 2].startswith("t-0 then: n")
    roles = position(lines, r"^  n\d leads in epoch \d: \d+ records, high watermark \d+$", end)
    why = position(
        lines,
        rf"acknowledged at .* by n{leader} in epoch 0 and held by n{leader}: held now by no node$",
        roles,
    )
    assert re.search(rf"^    n{leader} truncated its log at ", lines[why + 1])


def test_recording_a_story_does_not_change_the_run():
    it, _, outcome, _ = broken()
    with applied(MUTANT):
        assert Simulation(it).run().digest == outcome.digest


def test_a_run_without_a_violation_has_no_end():
    it, leader, _, _ = broken()
    outcome, story = run(it)
    assert outcome.violation is None
    assert any(line.endswith(f"n{leader} is killed") for line in story.lines)
    assert not any("a rule is broken" in line for line in story.lines)


def test_the_broker_that_acknowledged_is_named_if_another_leads_already():
    """A leader that hears nothing of the controller goes on acknowledging with acks=1."""
    told = []
    for seed in range(1, 12):
        it = plan(1).changed(
            seed=seed, producers=3, session_ms=1_500,
            incidents=tuple(
                Incident(at_ms=4_000, what=Fault.CUT_CONTROLLER, node=node, for_ms=8_000)
                for node in (1, 2)
            ),
        )  # fmt: skip
        _, story = run(it)
        leader = None
        for line in story.lines:
            if changed := re.search(r"t-0: n(\d) leads epoch [1-9]", line):
                leader = changed[1]
            acknowledged = re.search(r" n(\d) acknowledges .* acks=1", line)
            if acknowledged and leader not in (None, acknowledged[1]):
                told.append(line)
        if told:
            break
    assert told


def test_a_loss_found_at_the_end_happened_when_the_last_holder_was_lost():
    moment_ms = broken()[3].moment_us / 1_000
    assert SLOW_MS < moment_ms < KILL_MS + 10
