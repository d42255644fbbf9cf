import json
import re
from dataclasses import replace

import pytest

from minikafka.harness.page import sim_page, time_axis
from minikafka.harness.page.sim_page import ARROWS_MAX, SimulatedRun, axis, render

NASTY = "</script><script>alert(1)</script>"


def message(sent_us, arrived_us, source="n1", target="n2", *, is_request=True):
    return {
        "sent_us": sent_us,
        "arrived_us": arrived_us,
        "source": source,
        "target": target,
        "what": "Fetch",
        "is_request": is_request,
    }


RUN = SimulatedRun(
    title="minikafka sim, seed 7",
    violation="H1: t-0: the high watermark moves",
    command="minikafka sim --seed 7",
    simulated_s=10.0,
    figures={"steps": 1234},
    settings="brokers 2",
    transcript=[
        "    0.000000  n1       starts",
        "    0.050000  n1       serves clients",
        "    0.060000  n2       starts",
        "    0.070000  n2       serves clients",
        "    0.080000  t-0      leader 2 epoch 0 ISR [2, 1] ELR []",
        "    4.000000  n2       loses power, and bits are flipped",
        "    4.000100  network  something else",
        "    4.500000  t-0      leader -1 epoch 1 ISR [] ELR [1, 2] last known ELR [3]",
        "    6.000000  t-0      leader 1 epoch 2 ISR [1] last known ELR [2] RECOVERING",
        "    7.000000  n2       starts",
        f"   10.000000  checker  {NASTY}",
    ],
    planned=[
        {"at_s": 4.0, "for_s": 3.0, "what": "power 2"},
        {"at_s": 4.1, "for_s": 0.0, "what": "elect-now"},
        {"at_s": 12.0, "for_s": 1.0, "what": "kill 1"},
    ],
    messages=[
        message(9_000_000, 9_000_400),
        message(9_000_500, 9_001_000, "n2", "n1", is_request=False),
        message(9_500_000, None, "p0", "n2"),
    ],
    ends=[
        {"at_us": 1_000_000, "partition": "t-0", "leader": 2, "offset": 5},
        {"at_us": 6_000_000, "partition": "t-0", "leader": 1, "offset": 3},
    ],
    min_isr=2,
)


@pytest.fixture(scope="module")
def lanes():
    return {lane["id"]: lane for lane in axis(RUN)["lanes"]}


def said(lane):
    return [(s["r"], s["a"], s["b"], s["c"], s["l"]) for s in lane["spans"]]


def test_hosts_are_lines_that_end_where_a_host_does(lanes):
    hosts = lanes["hosts"]
    assert hosts["rows"] == ["n1", "n2", "p0"]
    last = axis(RUN)["last"]
    assert said(hosts) == [
        (0, 0.0, 0.05, "isr-min", "starts"),
        (0, 0.05, last, "isr-full", "serves clients"),
        (1, 0.06, 0.07, "isr-min", "starts"),
        (1, 0.07, 4.0, "isr-full", "serves clients"),
        (1, 7.0, last, "isr-min", "starts"),
    ]


def test_messages_are_arrows_between_hosts_with_lost_ones_marked(lanes):
    arrows = [(m["r"], m["r2"], m["a"], m["b"], m["q"]) for m in lanes["hosts"]["messages"]]
    assert arrows == [
        (0, 1, 9.0, 9.0004, True),
        (1, 0, 9.0005, 9.001, False),
        (2, 1, 9.5, None, True),
    ]


def test_leader_isr_and_elr_are_read_from_the_transcript(lanes):
    assert [label for *_, label in said(lanes["leader"])] == ["2", "none", "1"]
    assert [(c, label) for *_, c, label in said(lanes["isr"])] == [
        ("isr-full", "1 2"),
        ("isr-empty", "none"),
        ("isr-under", "1"),
    ]
    assert [(a, b, label) for _, a, b, _, label in said(lanes["elr"])] == [
        (4.5, 6.0, "1 2"),
        (6.0, axis(RUN)["last"], "last known 2"),
    ]


def test_the_high_watermark_is_a_staircase_that_may_go_down(lanes):
    [series] = lanes["hwm"]["series"]
    assert (lanes["hwm"]["t"], series["v"]) == ([1.0, 6.0], [5, 3])


def test_faults_are_at_their_times_and_those_after_the_end_are_left_out():
    marks = axis(RUN)["faults"]
    assert [(m["a"], m["b"], m["l"], m["r"]) for m in marks] == [
        (4.0, 7.0, "power 2", 0),
        (4.1, 4.1, "elect-now", 1),
    ]


def test_a_broken_run_opens_before_the_violation_which_every_lane_marks():
    built = axis(RUN)
    begin, end = built["view"]
    assert begin == 9.0
    assert 10.0 < end < built["last"]
    for lane in time_axis.model(built)["lanes"]:
        marks = json.dumps(lane["spec"]["marks"])
        assert "scale('x', 10.0)" in marks


def test_a_run_without_a_violation_is_shown_as_a_whole():
    built = axis(replace(RUN, violation=""))
    assert "view" not in built
    assert "broken_at" not in built
    assert "No promise was broken." in render(replace(RUN, violation=""))


def test_only_the_last_messages_are_drawn_and_the_ends_of_a_long_run_are_thinned():
    many = [message(n * 1000, n * 1000 + 300) for n in range(3_000)]
    ends = [{"at_us": n, "partition": f"t-{n % 3}", "leader": 1, "offset": n} for n in range(9_000)]
    drawn = {lane["id"]: lane for lane in axis(replace(RUN, messages=many, ends=ends))["lanes"]}
    assert len(drawn["hosts"]["messages"]) == ARROWS_MAX
    assert drawn["hosts"]["messages"][-1]["a"] == 2.999
    assert len(drawn["hwm"]["t"]) < 500


def test_the_page_has_the_violation_the_command_and_the_story():
    page = render(RUN)
    [sentence] = re.findall(r'<h1 id="sentence">(.*)</h1>', page)
    assert sentence == "H1: t-0: the high watermark moves"
    assert "<code>minikafka sim --seed 7</code>" in page
    assert ">loses power, and bits are flipped</td>" in page
    assert "alert(1)</script>" not in page


def test_a_run_without_a_story_has_a_page():
    nothing = replace(RUN, transcript=[], planned=[], messages=[], ends=[])
    assert "Hosts and messages" in render(nothing)
    assert sim_page.axis(nothing)["lanes"][1]["rows"] == []


def test_messages_are_drawn_around_the_time_of_the_violation():
    """Also where that was found long afterwards."""
    messages = [message(at * 1_000, at * 1_000 + 100) for at in range(10_000)]
    built = axis(replace(RUN, messages=messages, broken_s=4.0))
    (hosts,) = [lane for lane in built["lanes"] if lane["id"] == "hosts"]
    times = [each["a"] for each in hosts["messages"]]
    assert len(times) == ARROWS_MAX
    assert times[0] == pytest.approx(3.8, abs=0.01)
    assert times[-1] == pytest.approx(4.2, abs=0.01)
    assert hosts["unit"] == f"{ARROWS_MAX} messages, {times[0]:.3f} s to {times[-1]:.3f} s"
    assert built["broken_at"] == 4.0
    begin, end = built["view"]
    assert begin == times[0]
    assert times[-1] < end < 4.3


@pytest.mark.parametrize(("broken_s", "first"), [(0.05, 0.0), (9.99, 9.6)])
def test_near_the_ends_of_a_run_no_fewer_messages_are_drawn(broken_s, first):
    messages = [message(at * 1_000, at * 1_000 + 100) for at in range(10_000)]
    built = axis(replace(RUN, messages=messages, broken_s=broken_s))
    (hosts,) = [lane for lane in built["lanes"] if lane["id"] == "hosts"]
    assert len(hosts["messages"]) == ARROWS_MAX
    assert hosts["messages"][0]["a"] == pytest.approx(first, abs=0.01)


def test_the_story_of_a_broken_run_comes_first():
    page = render(replace(RUN, story=["  4.000 s  n2 loses power", f"At 10 s {NASTY}"]))
    assert page.index('id="story"') < page.index('id="repeat"')
    assert "n2 loses power" in page
    assert NASTY not in page
    assert 'id="story"' not in render(RUN)
