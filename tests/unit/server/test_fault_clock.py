"""A clock with an offset and a rate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.clock import Now
from minikafka.server.fault_clock import FaultyClock

BEGIN = Now(1_000_000, 5_000_000)


class Real:
    def __init__(self):
        self.elapsed_ms = 0

    def __call__(self):
        return Now(BEGIN.monotonic_ms + self.elapsed_ms, BEGIN.wall_ms + self.elapsed_ms)


@pytest.fixture
def real():
    return Real()


def test_at_first_the_time_is_right(real):
    clock = FaultyClock(real)
    real.elapsed_ms = 12_345
    assert clock() == real()
    assert clock.delay_s(real().monotonic_ms + 500) == 0.5


def test_an_offset_is_of_the_wall_clock_only(real):
    clock = FaultyClock(real)
    clock.set(-3000, 1.0)
    assert clock() == Now(real().monotonic_ms, real().wall_ms - 3000)


def test_a_rate_is_of_both_clocks_and_of_waits(real):
    clock = FaultyClock(real)
    clock.set(0, 1.5)
    real.elapsed_ms = 10_000
    assert clock() == Now(BEGIN.monotonic_ms + 15_000, BEGIN.wall_ms + 15_000)
    assert clock.delay_s(BEGIN.monotonic_ms + 15_300) == pytest.approx(0.2)
    clock.set(0, 0.5)
    assert clock() == Now(BEGIN.monotonic_ms + 15_000, BEGIN.wall_ms + 15_000)
    real.elapsed_ms = 20_000
    assert clock() == Now(BEGIN.monotonic_ms + 20_000, BEGIN.wall_ms + 20_000)
    clock.set(0, 1.5)
    real.elapsed_ms = 30_000
    clock.set(0, 1.0)
    # The wall clock is set right; the monotonic one keeps what it has gained.
    assert clock() == Now(BEGIN.monotonic_ms + 35_000, BEGIN.wall_ms + 30_000)


@given(
    changes=st.lists(
        st.tuples(
            st.integers(0, 5000), st.integers(-9000, 9000), st.sampled_from([0.1, 0.9, 1, 1.1, 10])
        )
    )
)
def test_the_monotonic_clock_never_goes_back(changes):
    real = Real()
    clock = FaultyClock(real)
    before = clock().monotonic_ms
    for elapsed_ms, offset_ms, rate in changes:
        real.elapsed_ms += elapsed_ms
        now = clock()
        assert now.monotonic_ms >= before
        clock.set(offset_ms, rate)
        assert clock().monotonic_ms == now.monotonic_ms
        if rate == 1:
            assert clock().wall_ms == real().wall_ms + offset_ms
        before = now.monotonic_ms
