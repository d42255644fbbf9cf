"""Dense faults of the quorum: no promise is broken, and weakened rules are found in few seeds."""

import pytest

from minikafka.sim.drive.quorum_plan import draw_quorum_plan
from minikafka.sim.drive.simulation import Simulation
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS

DURATION_MS = 60_000
SEEDS = range(1, 17)
SOON = 4
"""So many seeds may take part if the first one has changed."""
FOUND_SOON = {
    "quorum: a vote is forgotten by a restart": ("VotesAreDurable", 1),
    "quorum: a vote ignores what the candidate's log lacks": ("AnnouncedHighWatermark", 1),
    "quorum: a minority commits": ("MajorityReachedHighWatermark", 1),
    "quorum: a follower reports what it has not flushed": ("MajorityReachedHighWatermark", 1),
    "quorum: a vote is written after the answer": ("VotesAreDurable", 1),
    "quorum: elections without pre-votes": ("EpochsHaveLeaders", 1),
    "quorum: a controller that has resigned answers": ("ActiveLeads", 3),
    "quorum: a new leader announces its predecessor's high watermark": (
        "AnnouncedHighWatermark",
        7,
    ),
    "quorum: voters hold from their commit on": ("VotersOfTheLog", 5),
    "quorum: voters that were truncated stay": ("VotersOfTheLog", 34),
}
"""Each weakened rule, the promise that it breaks, and the first seed that shows it."""
BY_NAME = {mutation.name: mutation for mutation in MUTATIONS}


def outcome_of(seed):
    return Simulation(draw_quorum_plan(seed, DURATION_MS)).run()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quorum_keeps_its_promises(seed):
    assert outcome_of(seed).violation is None


@pytest.mark.parametrize("name", FOUND_SOON)
def test_a_weakened_rule_is_found_in_the_first_seeds(name):
    rule, first = FOUND_SOON[name]
    rules = []
    with applied(BY_NAME[name]):
        for seed in range(first, first + SOON):
            rules.append(outcome_of(seed).rule)
            if rules[-1] == rule:
                return
    pytest.fail(f"found only {rules}")
