import pytest

from minikafka.harness.page import chart, time_axis
from minikafka.harness.page.state_spans import SPANS_MAX
from tests.worlds import report_evidence

FAULT = {"kind": "kill", "node": 2, "done_at_ms": 3_000, "healed_at_ms": 5_000, "problem": ""}
RUN = {"started_at_ms": 0, "ended_at_ms": 60_000, "writing_from_ms": 1_000, "topic": "t"}


def built(events=(), faults=(), anomalies=(), settings=None):
    verdict = {"run": RUN, "faults": list(faults), "settings": settings or {"min_isr": 2}}
    return chart.build(verdict, list(events), [], anomalies)


def lanes(*args, **kwargs):
    return {lane["id"]: lane for lane in built(*args, **kwargs)["lanes"]}


def partition(at_ms, number, leader, isr, **more):
    event = {"at_ms": at_ms, "event": "partition", "partition": number, "leader": leader}
    return {**event, "isr": isr, **more}


def progress(at_ms, rows):
    return {"at_ms": at_ms, "event": "progress", "progress": {"numInputRows": rows, "sources": []}}


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    run = report_evidence.broken(tmp_path_factory.mktemp("broken"))
    marks = [{"kind": "lost", "at_ms": report_evidence.ms(3.1), "count": 4}]
    return chart.build(run.verdict, run.events, run.tables, marks)


def test_a_run_has_a_lane_for_every_known_series(broken):
    """S5: acknowledgements, leader changes, ISR, ELR, HWM and faults on one time axis."""
    assert [lane["id"] for lane in broken["lanes"]] == [
        *("faults", "anomalies", "acks", "errors", "latency", "windows"),
        *("leader", "isr", "elr", "transactions", "coordinators", "hwm", "progress"),
    ]
    assert broken["last"] == 20 - 0.5 or broken["last"] == 19.5


def test_unknown_values_have_no_lane():
    assert list(lanes()) == ["faults"]
    assert list(lanes([partition(500, 0, 1, [1])])) == ["faults", "leader", "isr"]


def test_an_elr_that_was_always_empty_is_labelled_so(broken):
    drawn = lanes([partition(2_000, 0, 1, [1], elr=[], last_known_elr=[])])
    assert drawn["elr"]["spans"] == []
    assert (drawn["elr"]["note"], drawn["elr"]["rows"]) == ("none", [])
    [elr] = [lane for lane in broken["lanes"] if lane["id"] == "elr"]
    assert elr["note"] == "polled twice a second: up to some seconds late"
    assert {span["l"] for span in elr["spans"]} == {"1"}


def test_leaders_and_isr_come_from_the_metadata_log_where_it_was_read():
    """The watcher saw changes two seconds late, and a leader that was dead."""
    polled = [partition(0, 0, 1, [1, 2]), partition(5_000, 0, 2, [2])]
    changes = [
        {**event, "event": "partition_changed"}
        for event in (partition(0, 0, 1, [1, 2]), partition(3_000, 0, 2, [2]))
    ]
    drawn = lanes([*polled, *changes])
    for name, begin in (("leader", "2"), ("isr", "2")):
        assert drawn[name]["note"] == "from the metadata log"
        assert [span["b"] for span in drawn[name]["spans"]][:1] == [2.0]
        assert drawn[name]["spans"][1]["l"] == begin
    drawn = lanes(polled)
    assert drawn["leader"]["note"] == "polled twice a second: up to some seconds late"
    assert drawn["leader"]["spans"][0]["b"] == 4.0


def test_overlapping_faults_have_separate_rows_and_faults_not_done_shade_nothing():
    later = {**FAULT, "node": 3, "done_at_ms": 4_000, "healed_at_ms": 0}
    refused = {**FAULT, "done_at_ms": 0, "problem": "not done: x", "at_s": 1.0, "heal_at_s": 2.0}
    drawn = built([partition(9_000, 0, 1, [1])], [FAULT, later, refused])
    marks = drawn["faults"]
    assert [(mark["a"], mark["b"], mark["l"], mark["done"]) for mark in marks] == [
        (2.0, 4.0, "kill 2", True),
        (3.0, 8.0, "kill 3", True),
        (1.0, 2.0, "kill 2: not done", False),
    ]
    assert len({mark["r"] for mark in marks[:2]}) == 2
    assert drawn["lanes"][0]["spans"] == marks


def test_many_faults_share_few_rows_without_words():
    many = [{**FAULT, "done_at_ms": 1_000 * n, "healed_at_ms": 1_000 * n + 500} for n in range(99)]
    [lane] = built(faults=many)["lanes"]
    assert len(lane["rows"]) == 1
    assert not lane["beside"]


def test_broken_promises_are_counted_where_they_happened():
    marks = [{"kind": "lost", "at_ms": at_ms, "count": 2} for at_ms in (2_000, 2_040, 3_000)]
    lane = lanes(anomalies=[*marks, {"kind": "two_contents", "at_ms": 2_000}])["anomalies"]
    assert lane["rows"] == ["lost", "2 contents"]
    found = [(span["r"], span["a"], span["l"]) for span in lane["spans"]]
    assert found == [(0, 1.0, "4"), (0, 2.0, "2"), (1, 1.0, "1")]


def test_windows_of_unavailability_are_in_the_row_of_their_partition(broken):
    [lane] = [lane for lane in broken["lanes"] if lane["id"] == "windows"]
    assert lane["rows"] == ["0", "1", "2"]
    assert [span["r"] for span in lane["spans"]] == [0, 1, 2]
    for span in lane["spans"]:
        assert 5 <= span["a"] < 5.1
        assert 7 <= span["b"] < 7.1


def test_rows_without_anything_are_left_out_where_there_are_many():
    events = [partition(2_000, number, 1, [1], elr=[]) for number in range(40)]
    events += [partition(3_000, 33, 1, [1], elr=[2]), partition(9_000, 0, 1, [1], elr=[])]
    drawn = lanes(events)
    assert len(drawn["leader"]["rows"]) == 40
    assert drawn["elr"]["rows"] == ["33"]
    assert [(span["r"], span["l"]) for span in drawn["elr"]["spans"]] == [(0, "2")]


def test_a_high_watermark_that_went_back_is_marked_and_never_thinned_out(tmp_path):
    run = report_evidence.large(tmp_path, 1_800, 60)
    back = {str(number): 5 for number in range(60)}
    at_ms = report_evidence.ms(901.25)
    events = [*run.events, {"at_ms": at_ms, "event": "high_watermarks", "ends": back}]
    verdict = {**run.verdict, "run": {**run.verdict["run"], "topic": "verify"}}
    drawn = {lane["id"]: lane for lane in chart.build(verdict, events, [])["lanes"]}["hwm"]
    assert drawn["points"][0]["t"] == 901.25
    index = drawn["t"].index(901.25)
    assert drawn["series"][3]["v"][index] == 5
    assert drawn["series"][3]["v"][index - 1] > 30_000
    assert len(drawn["t"]) < 700


def test_acknowledged_and_read_records_add_up_over_producers_and_batches():
    def produced(at_ms, pid, acked):
        return {"at_ms": at_ms, "event": "produced", "pid": pid, "acked": acked}

    events = [progress(4_000, 5), produced(2_000, 1, 10), produced(3_000, 2, 1)]
    lane = lanes([*events, progress(5_000, 6)])["progress"]
    assert lane["t"] == [1.0, 2.0, 3.0, 4.0]
    assert [one["v"] for one in lane["series"]] == [[10, 11, 11, 11], [0, 0, 5, 11]]


def test_an_hour_of_a_hundred_partitions_stays_small(tmp_path):
    """The page of a soak opens: its data are bounded, whatever was observed."""
    run = report_evidence.large(tmp_path, 3_600, 100)
    drawn = chart.build(run.verdict, run.events, run.tables)
    for lane in drawn["lanes"]:
        assert len(lane.get("spans", [])) <= SPANS_MAX
        assert sum(len(one["v"]) for one in lane.get("series", [])) <= 35_000
        assert lane["height"] <= 440


def test_every_colour_of_a_lane_is_one_of_the_style_sheet(broken):
    used = {entry["color"] for lane in broken["lanes"] for entry in lane["legend"]}
    used |= {span["c"] for lane in broken["lanes"] for span in lane.get("spans", [])}
    used |= {one["color"] for lane in broken["lanes"] for one in lane.get("series", [])}
    assert used <= set(time_axis.COLORS)
