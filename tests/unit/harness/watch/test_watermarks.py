import json

from minikafka.harness.watch.watermarks import WatermarkSample, offsets_of, regressions, samples


def sample(at_ms, witness="watcher", **ends):
    return WatermarkSample(
        at_ms=at_ms, witness=witness, ends={int(k[1:]): v for k, v in ends.items()}
    )


def test_watermarks_that_stand_or_rise_are_fine():
    assert regressions([sample(1, p0=5), sample(2, p0=5), sample(3, p0=9, p1=1)]) == []


def test_a_step_back_is_found_with_both_values_and_times():
    [found] = regressions([sample(1, p0=5, p1=7), sample(2, p0=6, p1=4), sample(3, p0=6, p1=4)])
    assert found.as_json() == {
        "witness": "watcher",
        "partition": 1,
        "before": 7,
        "after": 4,
        "before_at_ms": 1,
        "after_at_ms": 2,
    }


def test_a_partition_that_was_not_answered_for_a_while_is_still_remembered():
    assert len(regressions([sample(1, p0=5), sample(2, p1=1), sample(3, p0=4)])) == 1


def test_two_witnesses_are_not_compared_with_each_other():
    assert regressions([sample(1, "spark", p0=9), sample(2, "watcher", p0=5)]) == []


def progress(at_ms, latest):
    return {
        "at_ms": at_ms,
        "event": "progress",
        "progress": {"sources": [{"latestOffset": latest}]},
    }


def test_samples_come_from_the_watcher_and_from_spark_in_order():
    events = [
        {"at_ms": 1, "event": "high_watermarks", "ends": {"0": 3}},
        {"at_ms": 2, "event": "phase", "name": "x"},
        progress(3, {"t": {"0": 2}}),
        progress(4, None),
        progress(5, {"other": {"0": 1}}),
    ]
    assert samples(events, "t") == [sample(1, p0=3), sample(3, "spark", p0=2)]


def test_offsets_are_understood_as_text_and_as_an_object():
    for value in ({"t": {"1": 4}}, json.dumps({"t": {"1": 4}})):
        assert offsets_of({"sources": [{"endOffset": value}]}, "endOffset", "t") == {1: 4}
