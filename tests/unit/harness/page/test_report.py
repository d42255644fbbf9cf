import json
import re
from pathlib import Path

import pytest

from minikafka.harness.page import report, time_axis
from tests.worlds import report_evidence
from tests.worlds.report_evidence import NASTY

HERE = Path(report.__file__).parent


def rendered(run, **more):
    verdict = run.verdict | more
    return report.render(verdict, run.events, run.tables, run.folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return report_evidence.broken(tmp_path_factory.mktemp("broken"))


@pytest.fixture(scope="module")
def page(run):
    return rendered(run)


def test_the_verdict_is_on_top_and_the_record_is_named(page):
    """S5."""
    [sentence] = re.findall(r'<h1 id="sentence">(.*)</h1>', page)
    assert sentence.startswith("Broken: 240 lost (first p1#180), 3 high watermark regression")
    assert page.index('id="sentence"') < page.index("What happened")
    assert "<td>p1#180</td><td>0</td><td>60</td>" in page


def test_anomalies_have_the_log_lines_around_them(page):
    [after] = re.findall(r'<section id="anomaly-lost">.*?</section>', page, flags=re.DOTALL)
    assert "Log lines within 2 s of" in after
    assert "cluster/node-2/node.log" in after
    assert "tick 7" in after
    assert "tick 15" not in after


def test_faults_are_listed_with_their_actions_or_the_reason_for_none(page):
    [faults] = re.findall(r'<section id="faults">.*?</section>', page, flags=re.DOTALL)
    assert "SIGKILL to node 1" in faults
    assert "not done: mounting is not permitted here" in faults


def test_windows_latency_producers_notes_settings_and_the_command_are_on_the_page(page):
    for text in (
        *("Windows: times in which records were sent", "2,049.00", "confluent-kafka (p1)", "p99.9"),
        *("Something &lt;odd&gt; happened.", "a=b", "minikafka verify --seed 7", "b2FEllTJQXu"),
    ):
        assert text in page


def test_every_lane_has_its_numbers_as_tables(page):
    tables = page[page.index("The lanes as tables") : page.index("</details>")]
    for caption in (
        *("Acknowledgements, 1/s", "Errors, 1/s", "Latency, ms", "Windows of unavailability"),
        *("Each change of leader, ISR and ELR", "last known ELR", "Transactions"),
        "Transaction coordinator",
    ):
        assert caption in tables


def test_nothing_is_loaded_from_anywhere(page):
    assert "<script src" not in page
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    links = re.findall(r'\b(?:src|href)\s*=\s*"([^"]*)"', markup)
    assert all(link == "data:," or link.startswith("#") for link in links)
    assert not re.search(r"@import|url\(", markup)


def test_the_page_of_an_hour_is_not_too_large(tmp_path):
    run = report_evidence.large(tmp_path, 3_600, 100)
    assert len(rendered(run)) < 6_000_000


def test_text_from_outside_stays_text(run):
    page = rendered(run, notes=[NASTY], sentence=NASTY, reasons=[NASTY], more=[{"x": NASTY}])
    assert "alert(1)</script>" not in page


def test_marks_name_injections_and_the_interrupt(run):
    injected = {"kind": "loss", "records": ["p1#42"], "found": True}
    about = {**run.verdict["run"], "interrupted": True}
    verdict = {**run.verdict, "injected": injected, "run": about}
    page = report.render(verdict, run.events, run.tables)
    assert "injected by the harness into its observations: loss p1#42" in page
    assert "interrupted: the verdict covers the run until then" in page
    missed = {**verdict, "injected": {**injected, "records": [], "found": False}}
    page = report.render(missed, run.events, run.tables)
    assert "injected by the harness, but not found: loss" in page


def test_additions_of_a_later_verdict_are_shown_and_missing_parts_are_left_out(run):
    more = {
        "probes": [{"partition": 1, "differing_batches": 3}],
        "reader": {"isolation": "read_committed"},
        "flag": True,
        "nothing": None,
        "windows": {},
        "latency_ms": {},
        "producers": [],
    }
    page = rendered(run, **more)
    assert '<th scope="col">differing batches</th>' in page
    assert "<td>isolation</td><td>read_committed</td>" in page
    assert '<section id="more-flag"><h2>flag</h2><p>yes</p></section>' in page
    assert 'id="more-nothing"' not in page
    assert 'id="producers"' not in page


def test_nodes_that_ended_and_rules_left_out_are_shown(page):
    """And what a log says stays text."""
    assert "Node 3 exited unexpectedly: signal 9" in page
    assert "Node 2 logged a traceback: KeyError: " in page
    assert "rules not required (--lenient): faults" in page
    assert "left out: Fault " in page
    assert "its last words &lt;/script&gt;" in page
    assert "<td>from elr</td><td>1</td>" in page
    assert 'id="more-' not in page


def test_readers_and_replicas_are_shown_where_they_were_checked(run):
    assert 'id="readers"' not in rendered(run, elections={}, replicas={}, loops={})
    shown = rendered(run, isolation={"read_committed": 7}, replicas={"batches": 12}, group={})
    readers = shown[shown.index('id="readers"') :]
    assert "<td>read committed</td><td>7</td>" in readers
    assert "<td>batches</td><td>12</td>" in readers
    assert "consumer group" not in readers


def test_a_run_without_data_still_has_a_page(run):
    page = report.render({**run.verdict, "promises": {}, "faults": []}, [], [])
    assert "There were no faults." in page
    [model] = re.findall(r'<script type="application/json" id="model">(.*?)</script>', page)
    assert [lane["id"] for lane in json.loads(model)["lanes"]] == ["faults"]


def test_every_colour_has_a_value_for_light_and_for_dark():
    light, dark = (HERE / "report.css").read_text().split("@media (prefers-color-scheme: dark)")
    for name in time_axis.COLORS:
        for sheet in (light, dark):
            assert re.search(rf"--{name}: #[0-9a-f]{{6}};", sheet), name


def test_anomalies_of_reports_are_listed_with_what_was_looked_for_and_seen(run):
    """Issue 51."""
    page = rendered(run)
    named = page.partition('id="named"')[2].partition("</section>")[0]
    row = named.partition("lost write")[2].partition("</tr>")[0]
    assert f"lost {run.verdict['promises']['lost']['count']:,}" in row
    quiet = named.partition("loss by auto-commit")[2].partition("</tr>")[0]
    assert "none" in quiet
    assert "`" not in named
