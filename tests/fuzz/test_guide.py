"""Frames that reach new code are kept and changed; the choice is the same in each run."""

import gc
from random import Random

from minikafka.common.events import RequestFrame
from minikafka.common.ids import Uuid
from minikafka.messages.api_keys import ApiKey
from minikafka.metadata.topic_name import fault_in_topic_name
from minikafka.serving.registry import BROKER, CONTROLLER
from tests.fuzz.answers import decoded
from tests.fuzz.frames import SERVED, FrameMaker
from tests.fuzz.guide import Guide
from tests.fuzz.in_process import run

FRAMES = 60
TOO_LONG = 100_000
"""Bytes of a frame that may have too many elements to be read."""


def outcome_of(seed):
    guide = Guide()
    outcome = run(seed, FRAMES, first_pair=seed, guide=guide)
    assert not outcome.fault, outcome.fault
    kept = [str(each.frame) for each in guide.kept]
    return (outcome.recent, outcome.answered, outcome.closed), kept, guide.steps


def test_a_seed_names_one_guided_run():
    # A process keeps what it has encoded once: its first run reaches that code, no later one does.
    outcome_of(3)
    first = outcome_of(3)
    assert first == outcome_of(3)
    _, kept, steps = first
    assert len(kept) > FRAMES // 10
    assert steps > 1_000


def test_a_frame_is_kept_for_the_first_code_that_it_reaches():
    guide = Guide()
    maker = FrameMaker(Random(1), [])
    for _ in range(3):
        frame = maker.frame(ApiKey.API_VERSIONS, 0)
        guide.sent(BROKER, frame)
        request = RequestFrame(1, memoryview(frame.data)[4:])
        assert guide.step(lambda: fault_in_topic_name("a"), request) is None
    assert [each.frame.number for each in guide.kept] == [1]
    assert guide.choose(Random(1), BROKER).number == 1
    assert guide.choose(Random(1), CONTROLLER) is None


def test_code_that_the_garbage_collector_runs_is_not_credited_to_a_frame():
    """A generator's end is traced: other tests leave some in cycles."""
    guide = Guide()
    frame = FrameMaker(Random(1), []).frame(ApiKey.API_VERSIONS, 0)
    guide.sent(BROKER, frame)
    assert not guide.step(gc.isenabled, RequestFrame(1, memoryview(frame.data)[4:]))
    assert gc.isenabled()


def test_an_unreadable_envelope_keeps_no_frame():
    guide = Guide()
    frame = FrameMaker(Random(1), []).frame(ApiKey.ENVELOPE, 0)
    guide.sent(CONTROLLER, frame)
    request = RequestFrame(1, memoryview(frame.data)[4:-3])
    assert guide.step(lambda: fault_in_topic_name("a"), request) is None
    assert not guide.kept


def test_every_frame_can_be_changed():
    rng = Random(1)
    maker = FrameMaker(rng, [Uuid.of(1, 1)])
    same = 0
    for _, key, version in SERVED[::3]:
        kept = maker.frame(key, version)
        changed = maker.changed(kept)
        assert (changed.key, changed.version) == (key, version)
        assert changed.number > kept.number
        assert decoded(kept) is None or decoded(changed) is not None or len(changed.data) > TOO_LONG
        same += changed.data[12:] == kept.data[12:]
    assert same < len(SERVED) // 6
