"""Tables of legal transitions."""

from enum import Enum, auto

import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.common.state_table import StateTable
from minikafka.coordinator.shard import SHARD_STATES, ShardState
from minikafka.group.group import GROUP_STATES, GroupState
from minikafka.raft.roles import RAFT_ROLES, RaftRole
from minikafka.replica.broker_lifecycle import BROKER_STATES, BrokerState


class Light(Enum):
    RED = auto()
    GREEN = auto()


LIGHTS = StateTable("light", {Light.RED: (Light.GREEN,), Light.GREEN: ()})


def test_a_transition_of_the_table_is_accepted():
    LIGHTS.require(Light.RED, Light.GREEN)


@pytest.mark.parametrize("after", list(Light))
def test_any_other_transition_is_refused_with_the_name_of_the_machine(after):
    with pytest.raises(InvariantViolation, match=f"^light 7: GREEN -> {after.name} is not legal$"):
        LIGHTS.require(Light.GREEN, after, 7)


@pytest.mark.parametrize(
    ("table", "states"),
    [
        (GROUP_STATES, GroupState),
        (SHARD_STATES, ShardState),
        (RAFT_ROLES, RaftRole),
        (BROKER_STATES, BrokerState),
    ],
)
def test_every_state_has_a_row_and_some_transition_is_refused(table, states):
    refused = 0
    for before in states:
        for after in states:
            try:
                table.require(before, after)
            except InvariantViolation:
                refused += 1
    assert 0 < refused < len(states) ** 2
