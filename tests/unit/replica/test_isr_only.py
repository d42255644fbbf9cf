"""E3: what a leader does depends on the ISR, and is the same whatever the ELR is."""

from dataclasses import replace

import pytest

from minikafka.common.errors import NotEnoughReplicasError
from tests.unit.replica.conftest import registration


@pytest.mark.parametrize("elr", [(), (2,), (3,), (2, 3)])
def test_a_leader_commits_refuses_and_proposes_by_the_isr_alone(world, elr):
    """E3, H1, H4: leader 1 with ISR=[1] and min ISR 2; ELR members count for nothing."""
    world.partition.apply(replace(registration((1,)), elr=elr, last_known_elr=(4,)))
    with pytest.raises(NotEnoughReplicasError):
        world.append(1, acks=-1)
    world.append(5, acks=1)
    world.fetch(2, 5)
    assert world.high_watermark == 0
    (proposal,) = world.proposals
    assert proposal.isr == (1, 2)
    world.partition.isr_committed(proposal, (1, 2), 1)
    assert world.high_watermark == 5
