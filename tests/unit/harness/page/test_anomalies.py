import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minikafka.harness.page.anomalies import SHOWN_MAX, collect, detail_text, election_text
from tests.worlds import report_evidence
from tests.worlds.report_evidence import ms


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return report_evidence.broken(tmp_path_factory.mktemp("broken"))


@pytest.fixture(scope="module")
def lost_count(run):
    return run.verdict["promises"]["lost"]["count"]


def test_every_finding_is_on_the_axis_and_a_bounded_number_in_the_table(run, lost_count):
    found = collect(run.verdict, run.tables, run.folder / "findings.parquet")
    marks = [mark for mark in found.marks if mark["kind"] == "lost"]
    assert sum(mark["count"] for mark in marks) == lost_count > SHOWN_MAX
    assert all(ms(3) <= mark["at_ms"] <= ms(5.1) for mark in marks)
    shown = found.shown["lost"]
    assert len(shown) == SHOWN_MAX
    assert shown[0].record == "p1#180"
    assert len({row.record for row in shown}) == SHOWN_MAX


def test_a_record_has_the_time_of_its_acknowledgement_and_of_the_election_beside_it(run):
    [first, *_] = collect(run.verdict, run.tables).shown["lost"]
    ledger = run.tables[0]
    assert first.times_ms == (int(ledger.ack_us[180]) // 1000, ms(7))
    assert first.said.endswith("then an unclean election from 1 to 2")


def test_without_findings_the_records_of_the_verdict_are_shown(run, tmp_path):
    (tmp_path / "other").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other" / "a.parquet")
    for folder in (None, tmp_path / "nowhere", tmp_path / "other"):
        found = collect(run.verdict, run.tables, folder)
        assert len(found.shown["lost"]) == 10
        assert sum(mark["count"] for mark in found.marks if mark["kind"] == "lost") == 10


def test_a_high_watermark_that_went_back_has_no_record_but_two_times(run):
    shown = collect(run.verdict, run.tables).shown["high_watermark_regression"]
    assert len(shown) == 3
    assert shown[0].record == ""
    assert shown[0].times_ms[0] > shown[0].times_ms[1]
    assert shown[0].said == "the watcher saw 180, then 119"


def test_a_record_in_no_ledger_has_no_time(run):
    row = {"record": "p9#7", "partition": 1, "offset": 2, "severity": 1, "detail": "x"}
    kind = {"meaning": "m", "count": 1, "first": [row], "worst": [row]}
    found = collect({**run.verdict, "promises": {"phantom": kind}}, run.tables)
    assert [row.times_ms for row in found.shown["phantom"]] == [()]
    assert found.marks == []


def test_an_anomaly_without_a_record_shows_its_message(run):
    row = {"message": "3 other bytes", "topic": "t", "partition": 2, "nodes": [1, 3], "offset": 9}
    kind = {"meaning": "m", "count": 1, "first": [row], "worst": [row]}
    found = collect({**run.verdict, "promises": {"replicas_differ": kind}}, run.tables)
    [shown] = found.shown["replicas_differ"]
    assert (shown.said, shown.partition, shown.offset) == ("3 other bytes", 2, 9)


def test_findings_without_a_record_stand_in_the_table_and_where_they_have_a_time(tmp_path):
    columns = {"kind": ["poll_skip"] * 2, "pid": [None, 1], "seq": [None, 7], "partition": [0, 0]}
    more = {
        "offset": [3, 4],
        "detail": [None, "{}"],
        "election": [None] * 2,
        "at_us": [5_000, None],
    }
    (tmp_path / "f").mkdir()
    pq.write_table(pa.table({**columns, **more}), tmp_path / "f" / "a.parquet")
    kind = {"meaning": "m", "count": 2, "first": [], "worst": []}
    found = collect({"promises": {"poll_skip": kind}}, [], tmp_path / "f")
    assert [row.record for row in found.shown["poll_skip"]] == ["p1#7", ""]
    assert found.marks == [{"kind": "poll_skip", "at_ms": 0, "count": 1}]


def test_a_verified_run_has_no_anomalies(tmp_path):
    run = report_evidence.verified(tmp_path)
    found = collect(run.verdict, run.tables, run.folder / "findings.parquet")
    assert (found.shown, found.marks) == ({}, [])


def test_details_are_put_into_words():
    place = '{"count":2,"first":{"partition":1,"offset":5},"last":{"partition":2,"offset":6}}'
    changed = (
        '{"status":"acked","sent_crc":255,"ack_place":{"partition":1,"offset":5},'
        '"seen_crc":{"count":2,"first":16,"last":17},'
        f'"stream_place":{{"count":0}},"reread_place":{place}}}'
    )
    assert detail_text(changed) == (
        "acknowledged at 1/5, never read by the stream, twice read by the second read at 1/5 and 2/6,"
        " CRC sent 000000ff, seen 00000010"
    )
    assert detail_text('{"highest":12}') == "highest 12"
    assert detail_text('{"a":{"pid":1},"b":{"pid":2}}') == "a.pid 1, b.pid 2"
    assert detail_text("plain") == "plain"
    assert detail_text("[1]") == "[1]"


def test_elections_are_put_into_words():
    election = {"before": 1, "leader": 3}
    assert election_text({**election, "unclean": True}) == "then an unclean election from 1 to 3"
    assert election_text({**election, "unclean": False}) == "then a clean election from 1 to 3"
    assert election_text(election) == "then an election from 1 to 3"


def test_a_changed_record_names_the_parts_that_differ():
    place = {"count": 1, "first": {"partition": 0, "offset": 3}, "last": {}}
    detail = {
        "status": "acked", "sent_crc": 1, "seen_crc": {"count": 1, "first": 1, "last": 1},
        "sent_size": 9, "size_first": 9, "size_last": 9,
        "sent_ms": 5, "timestamp_ms_first": 5, "timestamp_ms_last": 7,
        "ack_place": place["first"], "stream_place": place, "reread_place": place,
    }  # fmt: skip
    assert detail_text(json.dumps(detail)).endswith(", timestamp_ms sent 5, seen 7")
    unknown = {key: value for key, value in detail.items() if key != "sent_ms"}
    assert "timestamp" not in detail_text(json.dumps(unknown))
