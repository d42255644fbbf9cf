import json
import re

import pytest

from minikafka.harness import report
from minikafka.harness.verdict_file import Evidence, decide

NASTY = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def page():
    run = {
        "id": "x",
        "seed": 3,
        "started_at_ms": 1_000,
        "ended_at_ms": 9_000,
        "interrupted": True,
        "replay": f"minikafka verify {NASTY}",
        "topic": "t",
        "cluster": "some cluster",
        "topic_id": "A",
        "topic_id_at_end": "A",
    }
    fault = {"kind": "kill", "node": 2, "done_at_ms": 0, "healed_at_ms": 0, "problem": "not done"}
    row = {"record": "p1#42", "partition": 5, "offset": 77, "severity": 1, "detail": NASTY}
    lost = {"meaning": "gone", "count": 1, "first": [row], "worst": [row]}
    judged = {
        "promises": {"lost": lost},
        "counts": dict.fromkeys(
            (
                "acknowledged",
                "failed",
                "unknown_found",
                "unknown_absent",
                "read_by_stream",
                "read_afresh",
            ),
            1,
        ),
        "data_loss": [],
        "stream_is_complete": True,
        "stream_problem": "",
        "injected": ["p1#42"],
        "injected_found": True,
    }
    producer = {"producer": 1, "client": "c", "sent": 4, "acked": 1, "failed": 1, "unknown": 2}
    evidence = Evidence(
        producers=[producer],
        run=run,
        settings={"rate": 5},
        versions={"java": "17"},
        judged=judged,
        faults=[fault],
        unavailability={"0": {"longest_ms": 4_321, "began_at_ms": 2_000}},
        notes=["something <odd>"],
        inject="loss",
    )
    event = {"at_ms": 2_000, "event": "partition", "partition": 0, "leader": 1, "isr": [1]}
    return report.render(decide(evidence), [event], [])


def test_the_verdict_is_on_top_and_the_record_is_named(page):
    """S5."""
    [sentence] = re.findall(r'<h1 id="sentence">(.*)</h1>', page)
    assert sentence.startswith("Broken: 1 lost (first p1#42).")
    assert page.index("p1#42") < page.index("What happened")
    assert "<td>p1#42</td><td>5</td><td>77</td>" in page


def test_marks_faults_and_figures_are_on_the_page(page):
    for text in ("interrupted", "injected by the harness", "not done", "4,321 ms", "some cluster"):
        assert text in page


def test_nothing_is_loaded_from_anywhere(page):
    assert "<script src" not in page
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(src|href)\s*=|@import|url\(", markup)
    assert len(page) < 1_000_000


def test_text_from_outside_stays_text(page):
    assert "alert(1)</script>" not in page
    assert "something &lt;odd&gt;" in page


def test_the_chart_specification_is_whole_json(page):
    [spec] = re.findall(r'<script type="application/json" id="spec">(.*?)</script>', page)
    assert len(json.loads(spec)["vconcat"]) == 6
