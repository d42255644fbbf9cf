"""The list of all faults has what exists in each place, and no more."""

from collections import Counter
from itertools import chain

import pytest

from minikafka.cli import dev
from minikafka.faults.catalogue import FAMILIES
from minikafka.faults.vocabulary import KINDS
from minikafka.harness.plan import schedule
from minikafka.server import debug_hooks
from minikafka.server.fault_control import clock_of, links_of
from minikafka.sim.drive.incidents import Fault, OperatorAction
from minikafka.sim.scenario.scenario_runner import ScenarioRunner

PLACES = ("node", "dev", "verify", "simulator")
LINKS, CLOCK = ("cut", "slow_ms"), ("offset_ms", "rate")
HOOKS = (
    debug_hooks.JOURNAL, debug_hooks.SLOW_SYNC, debug_hooks.DISK_FULL, debug_hooks.WALL_OFFSET,
)  # fmt: skip
NO_FAULTS = {"heal", "status", "logs", "reset"}
"""Actions of `minikafka dev` that break nothing."""
EXISTING = {
    "node": {*KINDS, *LINKS, *CLOCK, *HOOKS},
    "dev": set(dev._HELP) - NO_FAULTS,
    "verify": set(schedule.KINDS),
    "simulator": {each.value for each in (*Fault, *OperatorAction)},
}


@pytest.mark.parametrize("place", PLACES)
def test_the_names_are_those_that_exist(place):
    listed = Counter(chain.from_iterable(getattr(family, place) for family in FAMILIES))
    assert set(listed) == EXISTING[place]
    # An action of dev may undo, or do, more than one fault.
    assert place == "dev" or max(listed.values()) == 1


def test_the_fields_of_commands_are_known():
    links_of({name: {} if name == "slow_ms" else [] for name in LINKS}, 1)
    clock_of(dict.fromkeys(CLOCK, 1))


def test_a_word_has_one_meaning():
    """A word that is used in two places is in one family, or is an action with two faults."""
    families = {}
    for family in FAMILIES:
        for word in set(chain.from_iterable(family[1:])):
            families.setdefault(word, []).append(family)
    for word, found in families.items():
        if len(found) > 1:
            assert all(word in family.dev for family in found), word


def test_scenarios_use_the_same_words():
    words = set(chain.from_iterable(chain.from_iterable(family[1:] for family in FAMILIES)))
    others = {"cluster", "produce", "read", "poll", "logs", "delete", "heal", "alter", "wait"}
    assert set(ScenarioRunner.CARRY_OUT) - others <= words
