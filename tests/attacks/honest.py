"""A well-behaved idempotent producer in a process beside the attack; it times its records."""

import multiprocessing
import time

from confluent_kafka import Producer

from tests.attacks.peer import PATIENCE_S

TOPIC = "honest"
_EVERY_S = 0.01
_SPAWN = multiprocessing.get_context("spawn")


class HonestProducer:
    """Writes a record every 10 ms, each acknowledged by all in-sync replicas."""

    def __init__(self, servers, size):
        self._here, there = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_run, args=(servers, size, there))
        self._process.start()
        there.close()
        self._here.recv()

    def end(self):
        """Stop; return (when it was sent, seconds until it was acknowledged), and errors."""
        self._here.send(None)
        found = self._here.recv()
        self._process.join()
        return found

    def close(self):
        """End the process in any state."""
        if self._process.is_alive():
            self._process.terminate()
        self._process.join()


def _run(servers, size, pipe):
    producer = Producer(
        {
            "bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 0,
            "log_level": 0, "message.timeout.ms": PATIENCE_S * 1000, "retry.backoff.ms": 10,
        }
    )  # fmt: skip
    times, errors = [], []

    def send(value):
        begun_s = time.monotonic()

        def delivered(error, _):
            if error is None:
                times.append((begun_s, time.monotonic() - begun_s))
            else:
                errors.append(str(error))

        producer.produce(TOPIC, value, on_delivery=delivered)

    value = bytes(size)
    for _ in range(100):
        send(value)
        producer.flush(PATIENCE_S)
    times.clear()
    pipe.send(None)
    next_s = time.monotonic()
    # Ends when its parent says so, or is gone.
    while not pipe.poll(0):
        send(value)
        next_s = max(next_s + _EVERY_S, time.monotonic() - 1)
        while (left_s := next_s - time.monotonic()) > 0:
            producer.poll(left_s)
    # The wake of the shortest attack has a record, too.
    send(value)
    producer.flush(PATIENCE_S)
    pipe.send((times, errors))
