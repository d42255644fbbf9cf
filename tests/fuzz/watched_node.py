"""A node whose steps are counted: what each one asks for, and what it computes."""

import cProfile

from minikafka.common import events
from minikafka.common.effects import Reply
from minikafka.common.file_slice import FileSlice

MAX_EFFECTS = 2_000
MAX_ANSWER_BYTES = 32 << 20
MAX_CALLS = 100_000
"""Calls of Python and C functions in one step: some 30 ms."""
MAX_CALLS_PER_PARTITION = 100
"""What a step may call more for each metadata record that it writes or replays, and each partition.

One request makes up to 10,000 partitions, in one batch: it is carried out as a whole or not at all.
A follower's first fetch names all that it copies.
"""

_SIMULATOR = "/minikafka/sim/"


class StepTooLargeError(AssertionError):
    """A step asked for or computed more than a step may."""


class WatchedNode:
    """Stands in for a node of the simulator. Each `sample`-th request has its calls counted.

    A `guide` sees what code each request reaches.
    """

    def __init__(self, node, sample, guide=None):
        self.node = node
        self.sample = sample
        self.guide = guide
        self.event = None
        self.requests = 0
        self.most_calls = 0
        self.most_calls_event = None

    def __getattr__(self, name):
        return getattr(self.node, name)

    def start(self, now):
        return self.node.start(now)

    def step(self, event, now):
        self.event = event
        is_request = type(event) is events.RequestFrame
        if is_request:
            # The simulator overwrites the frame after its step.
            self.event = event._replace(frame=bytes(event.frame))
            self.requests += 1
        if self.sample and (not is_request or self.requests % self.sample == 0):
            profile = cProfile.Profile()
            before = self._metadata_records()
            profile.enable()
            try:
                effects = self._step(event, now, is_request)
            finally:
                profile.disable()
            self._count(profile, self._metadata_records() - before)
        else:
            effects = self._step(event, now, is_request)
        self._bound(effects)
        return effects

    def _step(self, event, now, is_request):
        if self.guide is None or not is_request:
            return self.node.step(event, now)
        return self.guide.step(lambda: self.node.step(event, now), self.event)

    def _metadata_records(self):
        return self.node.raft.log.end_offset + self.node.loader.image.offset

    def _count(self, profile, records):
        calls = sum(_calls(entry) for entry in profile.getstats())
        if calls > self.most_calls:
            self.most_calls, self.most_calls_event = calls, self.event
        if calls <= MAX_CALLS:
            return
        topics = self.node.loader.image.topics.values()
        partitions = sum(len(topic.partitions) for topic in topics)
        most = MAX_CALLS + MAX_CALLS_PER_PARTITION * (max(records, 0) + partitions)
        if calls > most:
            raise StepTooLargeError(f"{calls} calls in one step, at most {most} expected")

    def _bound(self, effects):
        if len(effects) > MAX_EFFECTS:
            raise StepTooLargeError(f"{len(effects)} effects in one step")
        size = sum(
            len(part)
            for effect in effects
            if type(effect) is Reply
            for part in effect.parts
            if not isinstance(part, FileSlice)
        )
        if size > MAX_ANSWER_BYTES:
            raise StepTooLargeError(f"an answer of {size} bytes in one step")


def _calls(entry):
    """Calls of one function, and those of C functions that it made; none of the simulator's."""
    if type(entry.code) is str or _SIMULATOR in entry.code.co_filename:
        return 0
    in_c = (each.callcount for each in entry.calls or () if type(each.code) is str)
    return entry.callcount + sum(in_c)
