import json

import pytest

from minikafka.harness.page import chart
from minikafka.harness.page.lane_specs import specification
from tests.worlds import report_evidence


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    run = report_evidence.broken(tmp_path_factory.mktemp("broken"))
    marks = [{"kind": "lost", "at_ms": report_evidence.ms(3), "count": 1}]
    built = chart.build(run.verdict, run.events, run.tables, marks)
    return {
        lane["id"]: specification(lane, built["last"], has_labels=lane["id"] == "faults")
        for lane in built["lanes"]
    }


def scale(spec, name):
    [found] = [one for one in spec["scales"] if one["name"] == name]
    return found


def sources(spec):
    return [mark["from"].get("data") for mark in spec["marks"] if "from" in mark]


def test_every_lane_takes_its_part_of_the_axis_from_outside(specs):
    for spec in specs.values():
        assert scale(spec, "x")["domain"] == {"signal": "domain"}
        assert {signal["name"] for signal in spec["signals"]} == {
            *("domain", "step", "theme", "pointer")
        }
        assert spec["padding"]["left"] == specs["acks"]["padding"]["left"]


def test_faults_are_marked_across_every_lane_but_their_own(specs):
    """S5."""
    for name, spec in specs.items():
        assert sources(spec).count("faults") == (0 if name == "faults" else 3)


def test_no_colour_is_written_into_a_specification(specs):
    """Each comes from the theme, so that it follows the colour scheme."""
    assert "#" not in json.dumps(specs)


def test_latency_is_on_a_logarithmic_scale_that_holds_all_of_it(specs):
    y = scale(specs["latency"], "y")
    assert y["type"] == "log"
    assert y["domain"][0] <= 3.0
    assert y["domain"][1] >= 2_000
    [axis] = [axis for axis in specs["latency"]["axes"] if axis["scale"] == "y"]
    assert axis["values"] == [10, 100, 1_000]


def test_stacked_lanes_have_room_for_the_sum(specs):
    assert scale(specs["acks"], "y")["domain"][1] > 100
    assert scale(specs["errors"], "y")["domain"][1] >= 150


def test_a_lane_without_any_value_still_has_an_axis():
    one = {"name": "median", "color": "ink", "v": [None, None]}
    lane = {"id": "latency", "kind": "series", "shape": "line", "scale": "log", "height": 80}
    spec = specification({**lane, "t": [0, 1], "step": 1, "series": [one]}, 2, has_labels=True)
    low, high = scale(spec, "y")["domain"]
    assert 0 < low < high


def test_rows_too_thin_for_words_have_none(specs):
    def texts(spec):
        return sum(mark["type"] == "text" for mark in spec["marks"])

    lane = {"id": "leader", "kind": "spans", "height": 400}
    thin = {**lane, "rows": [str(number) for number in range(100)], "spans": []}
    assert texts(specification(thin, 10, has_labels=False)) == 0
    assert texts(specs["leader"]) == 1
    assert specification({**thin, "rows": []}, 10, has_labels=False)["marks"]
    [names] = specification(thin, 10, has_labels=False)["marks"][2]["data"]
    assert len(names["values"]) < 40
