import json

import pytest

from minikafka.harness.verdict import verdict_file
from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.verdict_file import SCHEMA, decide
from tests.mutation import applied, mutation
from tests.worlds.verdict_evidence import ACKED, PRODUCER, RUN, SENT, UNKNOWN, judged


def evidence(answer=None, **changes):
    values = {"run": RUN, "settings": {}, "versions": {}, "judged": answer or judged()}
    return Evidence(**{**values, "producers": [PRODUCER], "claimed_acknowledged": ACKED, **changes})


def test_a_run_in_which_nothing_is_broken_or_missing_is_verified():
    verdict = decide(evidence())
    assert (verdict["outcome"], verdict["exit_status"]) == ("verified", 0)
    assert verdict["schema"] == SCHEMA
    assert verdict["counts"]["unknown"] == UNKNOWN
    assert verdict["counts"]["sent"] == SENT
    assert verdict["reasons"] == []
    assert verdict["injected"] is None


@pytest.mark.parametrize("weak", [{"acks": "1"}, {"idempotent": False}])
def test_a_guarantee_that_was_not_requested_is_not_called_verified(weak):
    """With acks=1 an acknowledged record may be gone: then it was not read exactly once."""
    answer = judged()
    answer["counts"] |= {"unpromised_absent": 7, "repeated": 2}
    [producer] = evidence().producers
    strong = {**producer, "acks": "all", "idempotent": True}
    said = decide(evidence(answer, producers=[{**strong, **weak}]))["sentence"]
    assert said == (
        "Verified: no promise about 9,920 acknowledged records was broken. Without a promise:"
        " 7 missing from the log, 2 repeated in the log."
    )
    assert "exactly once" in decide(evidence(producers=[strong]))["sentence"]


def test_one_lost_record_breaks_the_promise_and_is_named():
    verdict = decide(evidence(judged([("lost", "p1#7")])))
    assert (verdict["outcome"], verdict["exit_status"]) == ("broken", 1)
    assert verdict["sentence"] == "Broken: 1 lost (first p1#7)."


def test_a_high_watermark_that_went_back_breaks_the_promise():
    rows = [{"before": 5, "after": 4}, {"before": 9, "after": 1}]
    verdict = decide(evidence(regressions=rows))
    assert verdict["exit_status"] == 1
    found = verdict["promises"]["high_watermark_regression"]
    assert (found["count"], found["first"], found["worst"]) == (2, rows, rows[::-1])


def test_lost_data_that_spark_reported_breaks_the_promise():
    answer = judged(data_loss=["KAFKA_DATA_LOSS x"], stream_is_complete=False)
    verdict = decide(evidence(answer))
    assert verdict["exit_status"] == 1
    assert verdict["promises"]["data_loss_reported"]["first"] == [{"message": "KAFKA_DATA_LOSS x"}]
    assert any("did not read to the end" in reason for reason in verdict["reasons"])


def test_replicas_that_differ_break_the_promise():
    """S2: no client could have seen it."""
    row = {"message": "t-0: nodes 1 and 2 differ", "offset": 8}
    replicas = {"compared": True, "differing": 1, "differences": [row]}
    verdict = decide(evidence(replicas=replicas))
    assert verdict["exit_status"] == 1
    assert verdict["sentence"] == "Broken: 1 replicas differ."
    assert verdict["promises"]["replicas_differ"]["first"] == [row]
    assert verdict["replicas"] == replicas


def test_replicas_that_were_not_compared_are_not_called_equal():
    replicas = {"compared": False, "why_not": "Not ours.", "differences": []}
    verdict = decide(evidence(replicas=replicas))
    assert verdict["exit_status"] == 0
    assert verdict["promises"]["replicas_differ"]["count"] is None


def test_records_repeated_at_a_rebalance_break_no_promise():
    answer = judged(group_is_complete=True, group_repeated=1)
    verdict = decide(evidence(judged=answer, group={"protocol": "cooperative", "polled": 12}))
    assert verdict["exit_status"] == 0
    assert verdict["group"] == {"protocol": "cooperative", "polled": 12, "repeated": 1}


def test_the_reason_for_sparks_missing_answer_is_stated_once():
    verdict = decide(evidence(judged=None, obstacles=["No way."]))
    assert verdict["sentence"] == "Undecided: No way."
    assert "high_watermark_regression" in verdict["promises"]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("B", "topic t had the id A, but the topic with that name now has the id B"),
        ("", "A, but no longer exists"),
    ],
)
def test_a_topic_that_is_gone_is_a_broken_promise(after, said):
    run = {**RUN, "topic_id_at_end": after}
    verdict = decide(evidence(run=run, topic_asked=True))
    assert (verdict["exit_status"], verdict["sentence"]) == (1, "Broken: 1 topic gone.")
    [row] = verdict["promises"]["topic_gone"]["first"]
    assert said in row["message"]


def test_of_several_topics_those_that_are_gone_are_named():
    run = {"topic": "t,u", "topic_id": "A,B", "topic_id_at_end": "A,C"}
    rows = decide(evidence(run=run, topic_asked=True))["promises"]["topic_gone"]["first"]
    assert [row["topic"] for row in rows] == ["u"]


def test_a_topic_is_not_called_gone_unless_the_cluster_was_asked():
    """Where the run ended before, the id of the end is empty too."""
    verdict = decide(evidence(run={**RUN, "topic_id_at_end": ""}, obstacles=["Given up."]))
    assert verdict["exit_status"] == 2
    assert verdict["promises"]["topic_gone"]["count"] is None


def test_topics_whose_first_ids_are_unknown_are_not_judged():
    """Their creation was not confirmed in time."""
    run = {"topic": "t,u", "topic_id": "", "topic_id_at_end": "A,C"}
    verdict = decide(evidence(run=run, topic_asked=True))
    assert verdict["promises"]["topic_gone"]["count"] is None


def test_without_an_answer_the_ledgers_still_count():
    counts = decide(evidence(judged=None))["counts"]
    assert (counts["sent"], counts["acknowledged"], counts["unknown"]) == (SENT, ACKED, UNKNOWN)
    assert counts["read_afresh"] == 0


def test_without_an_answer_no_kind_is_called_clean():
    promises = decide(evidence(judged=None))["promises"]
    assert set(promises) > set(verdict_file.KINDS)
    assert {promises[kind]["count"] for kind in verdict_file.KINDS} == {None}
    assert promises["data_loss_reported"]["count"] is None
    assert promises["high_watermark_regression"]["count"] == 0


def test_injections_that_were_found_are_broken_and_marked():
    answer = judged([("lost", "p1#7")], injected=["p1#7"], injected_found=True)
    verdict = decide(evidence(answer, inject="loss"))
    assert verdict["exit_status"] == 1
    assert verdict["injected"] == {"kind": "loss", "records": ["p1#7"], "found": True}
    assert verdict["sentence"] == (
        "Broken: 1 lost (first p1#7). The harness itself injected the loss into its observations."
    )


def test_an_injection_that_was_not_found_means_that_the_harness_is_broken():
    verdict = decide(evidence(judged(injected=["p1#7"]), inject="loss"))
    assert verdict["exit_status"] == 2
    assert "the harness is broken" in verdict["sentence"]


def test_a_promise_that_was_truly_broken_is_not_hidden_by_an_injection_that_was_not_found():
    verdict = decide(evidence(judged([("lost", "p1#8")], injected=["p1#7"]), inject="loss"))
    assert verdict["exit_status"] == 1
    assert "injected" not in verdict["sentence"]
    assert "the harness is broken" in verdict["reasons"][0]


def test_the_file_is_written_in_one_step(tmp_path):
    verdict = decide(evidence())
    verdict_file.write(verdict, tmp_path / "verdict.json")
    assert json.loads((tmp_path / "verdict.json").read_text()) == verdict
    assert [path.name for path in tmp_path.iterdir()] == ["verdict.json"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("old != new", "new and old != new"),
        ("old != new", "not new"),
        ("not evidence.topic_asked", "True"),
    ],
)
def test_a_verdict_that_overlooks_a_topic_that_is_gone_is_noticed(old, new):
    with applied(mutation("blind", ("harness.verdict.verdict_file", "_gone", old, new))):
        outcomes = [
            verdict_file.decide(evidence(run={**RUN, "topic_id_at_end": after}, topic_asked=True))
            for after in ("", "B")
        ]
    assert any(verdict["exit_status"] != 1 for verdict in outcomes)
