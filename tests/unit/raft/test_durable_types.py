"""What must be on the disk before a message leaves has a type that only its writer makes."""

import ast
from pathlib import Path

import pytest

import minikafka
from minikafka.common.faults import InvariantViolation
from minikafka.raft.election_state import ElectionState
from tests.worlds.voter_world import VoterWorld

ROOT = Path(minikafka.__file__).parent
MAKERS = {"DurableEnd": "raft/flusher.py", "DurableElection": "raft/election_state.py"}


def callers(name):
    """The modules that make a value of this type."""
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == name
            ):
                found.add(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_only_the_module_that_writes_makes_one(name):
    assert callers(name) == {MAKERS[name]}


def test_an_epoch_that_was_not_written_reaches_no_message():
    world = VoterWorld.started().elect()
    quorum = world.raft.quorum
    assert quorum.durable.epoch == quorum.epoch
    quorum._election = ElectionState(quorum.epoch + 1)
    with pytest.raises(InvariantViolation, match="is not on the disk"):
        _ = quorum.durable
