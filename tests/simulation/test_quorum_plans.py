"""Dense faults of the quorum: no promise is broken, and weakened rules are found in few seeds."""

import pytest

from minikafka.sim.drive.quorum_plan import draw_quorum_plan
from minikafka.sim.drive.simulation import Simulation
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS

DURATION_MS = 60_000
SEEDS = range(1, 17)
SOON = 8
FOUND_SOON = {
    "quorum: a vote is forgotten by a restart": "VotesAreDurable",
    "quorum: a vote ignores what the candidate's log lacks": "MetadataLogMatching",
    "quorum: a minority commits": "MajorityReachedHighWatermark",
    "quorum: a follower reports what it has not flushed": "MajorityReachedHighWatermark",
    "quorum: a vote is written after the answer": "VotesAreDurable",
    "quorum: elections without pre-votes": "EpochsHaveLeaders",
    "quorum: a controller that has resigned answers": "ActiveLeads",
    "quorum: voters hold from their commit on": "VotersOfTheLog",
    "quorum: voters that were truncated stay": "VotersOfTheLog",
}
BY_NAME = {mutation.name: mutation for mutation in MUTATIONS}


def outcome_of(seed):
    return Simulation(draw_quorum_plan(seed, DURATION_MS)).run()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quorum_keeps_its_promises(seed):
    assert outcome_of(seed).violation is None


@pytest.mark.parametrize("name", FOUND_SOON)
def test_a_weakened_rule_is_found_in_the_first_seeds(name):
    rules = []
    with applied(BY_NAME[name]):
        for seed in SEEDS[:SOON]:
            rules.append(outcome_of(seed).rule)
            if rules[-1] == FOUND_SOON[name]:
                return
    pytest.fail(f"found only {rules}")
