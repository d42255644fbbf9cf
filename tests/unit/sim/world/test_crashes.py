"""A planned crash comes at the operation that was drawn, once."""

import pytest

from minikafka.sim.world.crashes import Crash, CrashWithinStep, PlannedCrashes


def test_a_crash_comes_after_its_operations():
    crashes = PlannedCrashes()
    crashes.process_starts(Crash(2, power=True, share=0.5))
    crashes.before_operation()
    crashes.before_operation()
    with pytest.raises(CrashWithinStep) as caught:
        crashes.before_operation()
    assert caught.value.share == 0.5


def test_a_crash_in_closing_waits_until_the_logs_are_closed():
    crashes = PlannedCrashes()
    crashes.process_starts(None)
    crashes.in_closing = Crash(1, power=True)
    for _ in range(5):
        crashes.before_operation()
    crashes.begins_to_close()
    crashes.before_operation()
    assert crashes.closing_operations == 1
    with pytest.raises(CrashWithinStep):
        crashes.before_operation()


def test_the_next_process_does_not_crash():
    crashes = PlannedCrashes()
    crashes.process_starts(Crash(0, power=False))
    crashes.process_ended()
    crashes.process_starts(None)
    crashes.before_operation()
    assert not crashes.is_closing
