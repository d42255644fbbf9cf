"""Odd frames for three real nodes; `python -m tests.fuzz --processes` sends more of them."""

from tests.fuzz.processes import attack

FRAMES = 1_000


def test_nodes_outlive_odd_frames_and_an_honest_producer_loses_nothing():
    counts = attack(seed=1, frames=FRAMES, connections=16)
    assert counts["answered"] > FRAMES // 2
    assert counts["failed records"] == 0
