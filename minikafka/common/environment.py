"""What every state machine of a node is given: time, timers, effects, entropy, wake-ups."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from random import Random

from minikafka.common.clock import Clock
from minikafka.common.effects import Effect, Flush, SyncTarget
from minikafka.common.faults import StorageFault
from minikafka.common.timers import Timer, Timers

FlushCallback = Callable[[StorageFault | None], None]


@dataclass(slots=True)
class Environment:
    """The surroundings of state machines inside one node.

    `effects` collects what the running step wants done. `notified` collects keys whose parked
    handlers are to be looked at again before the step ends.
    """

    rng: Random
    clock: Clock = field(default_factory=Clock)
    timers: Timers = field(default_factory=Timers)
    effects: list[Effect] = field(default_factory=list)
    notified: list[Hashable] = field(default_factory=list)
    _flushes: dict[int, FlushCallback] = field(default_factory=dict)
    _flush_count: int = 0

    def after(self, delay_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back once, `delay_ms` from now."""
        return self.timers.at(self.clock.monotonic_ms + delay_ms, callback)

    def notify(self, key: Hashable) -> None:
        """Something that waiters for `key` may be waiting for has changed."""
        self.notified.append(key)

    def flush(self, targets: Sequence[SyncTarget], on_done: FlushCallback) -> None:
        """Make `targets` durable away from this step; call back with a fault, or None."""
        self._flush_count += 1
        self._flushes[self._flush_count] = on_done
        self.effects.append(Flush(self._flush_count, targets))

    def flush_done(self, token: int, fault: StorageFault | None) -> None:
        """The shell is done with a flush."""
        self._flushes.pop(token)(fault)
