"""The high watermark as arithmetic (H1, H2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.replica.high_watermark import next_high_watermark
from minikafka.replica.replica_state import ReplicaState

LEADER = 0
ENDS = st.integers(-1, 20)


@st.composite
def situations(draw):
    end = draw(st.integers(0, 20))
    ends = draw(st.dictionaries(st.integers(1, 4), ENDS, max_size=4))
    ids = sorted(ends)
    maximal = [LEADER, *draw(st.lists(st.sampled_from(ids), unique=True))] if ids else [LEADER]
    outside = [broker for broker in ids if broker not in maximal]
    joining = draw(st.lists(st.sampled_from(outside), unique=True)) if outside else []
    return {
        "leader_end_offset": end,
        "followers": {broker: ReplicaState(broker, at) for broker, at in ends.items()},
        "maximal_isr": maximal,
        "joining": joining,
        "isr_size": draw(st.integers(1, 5)),
        "min_isr": draw(st.integers(1, 5)),
        "current": draw(st.integers(0, end)),
    }


@given(situations())
def test_it_never_goes_back(case):
    assert next_high_watermark(**case) >= case["current"]


@given(situations())
def test_it_stays_while_the_isr_is_under_its_minimum(case):
    """H1."""
    if case["isr_size"] < case["min_isr"]:
        assert next_high_watermark(**case) == case["current"]


@given(situations())
def test_it_moves_only_below_what_the_whole_maximal_isr_holds(case):
    """H2."""
    reached = next_high_watermark(**case)
    if reached > case["current"]:
        assert reached <= case["leader_end_offset"]
        for broker in (*case["maximal_isr"], *case["joining"]):
            if broker != LEADER:
                assert case["followers"][broker].log_end_offset >= reached


@given(situations())
def test_it_moves_as_far_as_it_may(case):
    reached = next_high_watermark(**case)
    if case["isr_size"] >= case["min_isr"]:
        held = [
            case["followers"][broker].log_end_offset
            for broker in (*case["maximal_isr"], *case["joining"])
            if broker != LEADER
        ]
        assert reached == max(case["current"], min([case["leader_end_offset"], *held]))


@pytest.mark.parametrize(("isr_size", "expected"), [(1, 2), (2, 5), (3, 5)])
def test_minimum_itself_is_enough(isr_size, expected):
    followers = {1: ReplicaState(1, 5)}
    reached = next_high_watermark(
        leader_end_offset=9, followers=followers, maximal_isr=(LEADER, 1), joining=(),
        isr_size=isr_size, min_isr=2, current=2,
    )  # fmt: skip
    assert reached == expected
