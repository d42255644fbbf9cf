"""Issue 51: the anomalies of published reports, and what a run looks for."""

import pytest

from minikafka.harness.verdict.anomaly_names import (
    ANOMALIES,
    EVERY_RUN,
    OF_SPARK,
    OWN,
    PLAIN,
    READER,
    TRANSACTIONS,
    anomaly_table,
    sights,
)
from minikafka.harness.verdict.loop_checks import LOOP_KINDS
from minikafka.harness.verdict.verdict_file import KINDS, READER_KINDS
from tests.worlds import report_evidence


@pytest.fixture(scope="module")
def promises(tmp_path_factory):
    return report_evidence.broken(tmp_path_factory.mktemp("broken")).verdict["promises"]


def test_every_kind_of_broken_promise_has_a_name_in_reports(promises):
    named = {kind for anomaly in ANOMALIES.values() for kind in anomaly.kinds}
    assert named == promises.keys() == {*promises.keys(), *KINDS, *LOOP_KINDS}


def test_a_kind_needs_the_same_run_wherever_it_is_named():
    needs = {(kind, run) for it in ANOMALIES.values() for kind, run in it.kinds.items()}
    assert len(needs) == len(dict(needs))
    for kind, run in needs:
        assert (run == TRANSACTIONS) == (kind in LOOP_KINDS)
        assert run in (EVERY_RUN, OF_SPARK, OWN, PLAIN, READER, TRANSACTIONS)
    assert dict(needs)["poll_skip"] == READER
    assert all(dict(needs)[kind] == READER for kind in READER_KINDS)


def test_an_anomaly_says_what_was_judged_needed_and_seen(promises):
    counts = {kind: {"count": 0} for kind in promises}
    counts |= {"lost": {"count": 3}, "loop_lost": {"count": None}, "loop_torn": {"count": None}}
    counts |= {"isolation_difference": {"count": None}, "change_lost": {"count": None}}
    found = {it.name: it for it in sights(counts)}
    lost = found["lost write"]
    assert lost.judged == ("lost", "vanished", "data_loss_reported", "topic_gone")
    assert lost.needs == (OWN, TRANSACTIONS)
    assert lost.seen == {"lost": 3}
    torn = found["torn transaction"]
    assert torn.judged == ()
    assert torn.needs == (TRANSACTIONS, EVERY_RUN)
    assert found["aborted read"].needs == ()


def test_the_table_has_a_row_for_each(promises):
    head, rule, *rows = anomaly_table()
    assert len(rows) == len(ANOMALIES)
    assert all(row.count("|") == head.count("|") == rule.count("|") for row in rows)
    assert all(len(cell) <= 200 for row in rows for cell in row.split("|"))


def test_what_only_spark_shows_is_not_asked_of_every_run(promises):
    counts = {kind: {"count": 0} for kind in promises} | {"data_loss_reported": {"count": None}}
    assert {it.name: it for it in sights(counts)}["lost write"].needs == (OF_SPARK,)


def test_a_skipped_record_is_never_called_loss_by_auto_commit(promises):
    counts = {kind: {"count": 0} for kind in promises} | {"poll_skip": {"count": 2}}
    seen = {it.name: it.seen for it in sights(counts)}
    assert seen["skipped write"] == {"poll_skip": 2}
    assert seen["loss by auto-commit"] == {}
