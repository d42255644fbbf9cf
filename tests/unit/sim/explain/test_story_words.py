"""The text of a story about rules and changes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from minikafka.common.ids import Uuid
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.sim.explain.story_words import RULES, change, meaning, names, offsets

ROOT = Path(__file__).parents[4]
BASE = PartitionRegistration(
    replicas=(1, 2, 3),
    directories=(Uuid.of(0, 1),) * 3,
    isr=(1, 2, 3),
    leader=1,
    leader_epoch=4,
    partition_epoch=7,
)


@pytest.mark.parametrize(
    ("former", "changes", "words"),
    [
        ({}, {"isr": (1, 2)}, "n3 leaves the ISR (in sync n1, n2)"),
        (
            {"isr": (1,), "elr": (2,)},
            {"isr": (1, 3), "elr": ()},
            "n3 joins the ISR, n2 leaves the ELR (in sync n1, n3)",
        ),
        (
            {},
            {"leader": 2, "leader_epoch": 5, "isr": (2,), "elr": (1,)},
            "n2 leads epoch 5, n1, n3 leave the ISR, n1 joins the ELR (in sync n2; eligible n1)",
        ),
        (
            {"leader": NO_LEADER, "isr": (), "elr": (1, 2)},
            {"leader": 2, "leader_epoch": 5, "isr": (2,), "elr": (1,), "last_known_elr": (3,)},
            (
                "n2 leads epoch 5, elected from the ELR, n2 joins the ISR, n2 leaves the ELR "
                "(in sync n2; eligible n1; last known eligible n3)"
            ),
        ),
        (
            {"leader": NO_LEADER, "isr": (), "elr": (1,)},
            {"leader": 3, "leader_epoch": 5, "isr": (3,), "elr": ()},
            (
                "n3 leads epoch 5, from outside ISR and ELR, n3 joins the ISR, n1 leaves the "
                "ELR (in sync n3)"
            ),
        ),
        (
            {},
            {"leader": NO_LEADER, "isr": (), "elr": (1,)},
            (
                "no leader, n1, n2, n3 leave the ISR, n1 joins the ELR (in sync "
                "no node; eligible n1)"
            ),
        ),
        ({}, {"replicas": (1, 2, 3, 4)}, "its replicas are n1, n2, n3, n4 (in sync n1, n2, n3)"),
        ({}, {"partition_epoch": 8}, ""),
    ],
)
def test_a_change_names_the_brokers_that_moved_and_the_new_state(former, changes, words):
    before = replace(BASE, **former)
    assert change(before, replace(before, **changes)) == words


def test_the_first_state_names_the_leader():
    assert change(None, BASE) == "n1 leads epoch 4 (in sync n1, n2, n3)"


def test_every_rule_that_checkers_name_has_words():
    named = set()
    for path in sorted((ROOT / "minikafka" / "sim" / "checks").glob("*.py")):
        named |= set(
            re.findall(
                r'(?<!excuses\[)f"([A-Za-z][A-Za-z0-9 ]*): ', path.read_text(encoding="utf-8")
            )
        )
    assert {"H1", "E7", "LogMatching", "append order"} <= named
    assert named <= set(RULES)
    assert meaning("H7: t-0: it goes back") == RULES["H7"]
    assert meaning("something else") == ""


def test_names_and_offsets():
    assert names((3, 1)) == "n1, n3"
    assert names(()) == "no node"
    assert (offsets(3, 3), offsets(3, 5)) == ("offset 3", "offsets 3 to 5")
