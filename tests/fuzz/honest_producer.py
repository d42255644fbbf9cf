"""An idempotent producer in a separate process, so that the load of odd clients does not slow it.

It writes numbers to one topic, one in 10 ms, and reports each acknowledgement with its latency.
"""

import math
import multiprocessing
import signal
import time

from confluent_kafka import Producer

TOPIC = "kept"
PATIENCE_S = 60
_EVERY_S = 0.01
_REPORT_EVERY_S = 0.5
_UNTIL_FIRST_S = 30


class Latencies:
    """Milliseconds from a send to its acknowledgement; `longest_gap_s` had none."""

    def __init__(self):
        self.values = []
        self.longest_gap_s = 0.0

    def add(self, values, gap_s):
        self.values += values
        self.longest_gap_s = max(self.longest_gap_s, gap_s)

    def percentile(self, share):
        """The latency that so many in 100 do not exceed."""
        ordered = sorted(self.values)
        return ordered[max(math.ceil(len(ordered) * share / 100) - 1, 0)] if ordered else math.nan

    def __str__(self):
        return (
            f"p50 {self.percentile(50):.0f} ms, p99 {self.percentile(99):.0f} ms, "
            f"{self.longest_gap_s:.1f} s at most without an acknowledgement"
        )


class HonestProducer:
    """The parent's side: `acknowledged` and `failed` have numbers, `latencies` those of all."""

    def __init__(self, servers):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_produce, args=(servers, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.acknowledged = []
        self.failed = []
        self.latencies = Latencies()
        self.recent = Latencies()

    def wait_until_first(self):
        """Return when the first record is acknowledged: only then do latencies mean something."""
        end_s = time.monotonic() + _UNTIL_FIRST_S
        while not self.acknowledged and time.monotonic() < end_s:
            if self._pipe.poll(1):
                self._take(*self._pipe.recv())
        self.latencies, self.recent = Latencies(), Latencies()

    def read(self):
        """Take the reports that came."""
        while self._pipe.poll():
            self._take(*self._pipe.recv())

    def taken_recently(self):
        """The latencies since the last call."""
        recent, self.recent = self.recent, Latencies()
        return recent

    def end(self):
        """Stop; returns when each record has its answer."""
        try:
            self._pipe.send("end")
            while True:
                self._take(*self._pipe.recv())
        except (EOFError, ConnectionError):
            self._process.join()

    def _take(self, acknowledged, failed, latencies_ms, gap_s):
        self.acknowledged += acknowledged
        self.failed += failed
        self.latencies.add(latencies_ms, gap_s)
        self.recent.add(latencies_ms, gap_s)


class _Report:
    """What happened since the last report."""

    def __init__(self):
        self.last_s = time.monotonic()
        self.clear()

    def clear(self):
        self.acknowledged, self.failed, self.latencies_ms, self.gap_s = [], [], [], 0.0

    def delivered(self, error, number, sent_s):
        now_s = time.monotonic()
        if error:
            self.failed.append(number)
            return
        self.acknowledged.append(number)
        self.latencies_ms.append((now_s - sent_s) * 1000)
        self.gap_s = max(self.gap_s, now_s - self.last_s)
        self.last_s = now_s

    def send(self, pipe):
        gap_s = max(self.gap_s, time.monotonic() - self.last_s)
        pipe.send((self.acknowledged, self.failed, self.latencies_ms, gap_s))
        self.clear()


def _produce(servers, pipe):
    # A terminal's interrupt goes to the whole group; the parent ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "enable.idempotence": True,
            "linger.ms": 0,
            "log_level": 0,
            "message.timeout.ms": PATIENCE_S * 1000,
        }
    )
    report = _Report()
    number = 0
    reported_s = next_s = time.monotonic()
    try:
        while not pipe.poll():
            now_s = time.monotonic()
            if now_s >= next_s:
                next_s = max(next_s + _EVERY_S, now_s)
                producer.produce(
                    TOPIC,
                    b"%d" % number,
                    on_delivery=lambda error, _, n=number, s=now_s: report.delivered(error, n, s),
                )
                number += 1
            producer.poll(max(next_s - time.monotonic(), 0))
            if now_s - reported_s >= _REPORT_EVERY_S:
                report.send(pipe)
                reported_s = now_s
        pipe.recv()
        producer.flush(PATIENCE_S)
        report.send(pipe)
    except (EOFError, ConnectionError):
        # The parent is gone.
        return
