from itertools import pairwise

from minikafka.harness.page import state_spans
from minikafka.harness.page.axis import Axis
from minikafka.harness.page.state_spans import coarsened, packed, spans


def look(at_ms, number, leader, isr, **more):
    event = {"at_ms": at_ms, "event": "partition", "partition": number, "leader": leader}
    return {**event, "isr": isr, **more}


AXIS = Axis(1_000, 9_000)


def drawn(events, say):
    rows = state_spans.partitions(events)
    return [(s["r"], s["a"], s["b"], s["c"], s["l"]) for s in spans(events, AXIS, rows, say)]


def test_spans_end_where_the_next_begins_and_start_with_the_run():
    events = [
        look(500, 0, 1, [1, 2]),
        look(4_000, 0, None, []),
        look(5_000, 0, None, [1]),
        look(6_000, 0, 2, [2]),
        look(20_000, 0, 1, [1]),
    ]
    assert drawn(events, state_spans.leader) == [
        (0, 0.0, 3.0, "node-0", "1"),
        (0, 3.0, 5.0, "leader-none", "none"),
        (0, 5.0, 8.0, "node-1", "2"),
    ]


def test_rows_are_the_partitions_that_were_seen():
    events = [look(2_000, 7, 1, [1]), look(2_000, 3, 2, [1])]
    assert state_spans.partitions(events) == [3, 7]
    assert [row for row, *_ in drawn(events, state_spans.leader)] == [1, 0]


def test_an_isr_is_coloured_by_how_far_it_is_from_its_minimum():
    """S5."""
    say = state_spans.isr_by(2, 4)
    sets = ([1, 2, 3, 4], [1, 2, 3], [1, 2], [1], [])
    names = [say(look(0, 0, 1, isr))[0] for isr in sets]
    assert names == ["isr-full", "isr-fewer", "isr-min", "isr-under", "isr-empty"]
    assert state_spans.isr_by(3, 3)(look(0, 0, 1, [1, 2, 3])) == ("isr-full", "1 2 3")


def test_an_elr_is_drawn_while_it_has_members_or_a_last_leader():
    """S5."""
    events = [
        look(1_000, 0, 1, [1], elr=[2, 3], last_known_elr=[]),
        look(2_000, 0, 1, [1], elr=[], last_known_elr=[]),
        look(3_000, 0, None, [], elr=[], last_known_elr=[1]),
        look(4_000, 0, 1, [1]),
    ]
    assert drawn(events, state_spans.elr) == [
        (0, 0.0, 1.0, "elr-some", "2 3"),
        (0, 2.0, 3.0, "elr-known", "last known 1"),
    ]


def test_too_many_spans_are_merged_and_still_cover_the_time():
    found = [
        {"r": 0, "a": n / 10, "b": (n + 1) / 10, "c": "node-0", "l": str(n)} for n in range(1_000)
    ]
    kept, is_coarse = coarsened(found, 0.01, 100)
    assert is_coarse
    assert len(kept) <= 100
    assert kept[0]["a"] == 0
    assert kept[-1]["b"] == 100
    assert {one["c"] for one in kept} == {"mixed"}
    assert all(one["b"] == other["a"] for one, other in pairwise(kept))
    assert coarsened(found, 0.01, 1_000) == (found, False)


def test_a_long_span_between_short_ones_is_unchanged():
    def span(a, b, label):
        return {"r": 0, "a": a, "b": b, "c": "node-0", "l": label}

    found = [span(0, 1, "1"), span(1, 2, "2"), span(2, 50, "3"), span(50, 51, "4")]
    kept, is_coarse = coarsened(found, 5, 3)
    assert is_coarse
    assert [(one["a"], one["b"], one["l"]) for one in kept] == [
        (0, 2, "changing"),
        (2, 50, "3"),
        (50, 51, "4"),
    ]


def test_packed_spans_name_each_colour_and_label_once():
    one = {"r": 0, "a": 0, "b": 1, "c": "node-0", "l": "1"}
    assert packed([one, {**one, "r": 1}, {**one, "l": "2"}]) == {
        "r": [0, 1, 0],
        "a": [0, 0, 0],
        "b": [1, 1, 1],
        "k": [0, 0, 1],
        "kinds": [["node-0", "1"], ["node-0", "2"]],
    }


def test_colours_of_nodes_repeat():
    assert state_spans.node_color(1) == "node-0"
    assert state_spans.node_color(10) == "node-0"
