"""Every injection is found in whole runs, by the engine that needs neither Spark nor Java."""

import pytest

from minikafka.harness.plan.injections import EXPECTED_KIND
from tests.worlds.tampered_runs import CASES, UNTOUCHED, judge_case


@pytest.mark.parametrize("case", UNTOUCHED, ids=lambda case: case.name)
def test_a_run_that_was_not_tampered_with_keeps_every_promise(engine, tmp_path, case):
    answer, found = judge_case(engine, tmp_path, case)
    assert found == []
    assert answer["regressions"] == []
    assert answer["counts"]["acknowledged"] > 200
    assert answer["counts"]["read_by_stream"] == answer["counts"]["read_afresh"]
    assert (answer["isolation"]["only_uncommitted_aborted"] > 0) == case.transactions
    assert (answer["promises"]["poll_skip"]["count"] is None) == (not case.group)


def test_there_are_forty_cases_with_every_injection():
    assert len(CASES) == 40
    assert {case.injection for case in CASES} == set(EXPECTED_KIND)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_injected_is_found(engine, tmp_path, case):
    answer, found = judge_case(engine, tmp_path, case)
    assert answer["injected_found"]
    kind = EXPECTED_KIND[case.injection]
    if kind == "high_watermark_regression":
        assert (len(answer["regressions"]), found) == (1, [])
    else:
        assert answer["promises"][kind]["count"] == sum(row["kind"] == kind for row in found) > 0
