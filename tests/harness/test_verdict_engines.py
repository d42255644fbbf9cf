"""The same verdict by both engines, on forty runs that were tampered with."""

import json

import pytest

from minikafka.harness.local.engine import LocalEngine
from tests.worlds.tampered_runs import CASES, UNTOUCHED, judge_case


@pytest.mark.parametrize("case", [*UNTOUCHED, *CASES], ids=lambda case: case.name)
def test_both_engines_find_the_same(engine, tmp_path, case):
    for name in ("spark", "local"):
        (tmp_path / name).mkdir()
    on_spark, found_on_spark = judge_case(engine, tmp_path / "spark", case)
    with LocalEngine(tmp_path / "scratch") as local:
        answer, found = judge_case(local, tmp_path / "local", case)
    assert found == found_on_spark
    assert json.loads(json.dumps(answer)) == json.loads(json.dumps(on_spark))
