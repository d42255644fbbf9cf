"""Odd texts for the parsers of logins, certificates and principals.

    python -m tests.fuzz.texts [--inputs N] [--seed S] [--target NAME]

Each target gets N inputs (100,000): changes of texts that it accepts, and of inputs that reached
code which none before them had reached. A parser returns, or raises the error that it documents. No
input may take long: no loop over its bytes may contain another one. Exit status 1 if not: the input
is printed, and the command with its seed and target repeats it.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz.text_targets import TARGETS, Target

INPUTS = 100_000
_MAX_KEPT = 500
_RECENT = 20
_LONGEST = 4_096
_TRACED_ONE_IN = 25
_SLOW_S = 0.25
"""For 4 KiB: a hundred times what the slowest parser needs for an honest text."""
_CODE = "/minikafka/"


class Found(NamedTuple):
    """An input with which a parser did what it must not do."""

    target: str
    text: bytes
    what: str


class Outcome(NamedTuple):
    """How many inputs a target got, how many of them it accepted, and how many reached new code."""

    inputs: int
    accepted: int
    kept: int


class Steps:
    """The steps from line to line that were seen in minikafka."""

    def __init__(self):
        self.seen = set()
        self.news = 0

    def of(self, call):
        """Call a function; return what it returns."""
        sys.settrace(self._entered)
        try:
            return call()
        finally:
            sys.settrace(None)

    def _entered(self, frame, _event, _arg):
        if _CODE not in frame.f_code.co_filename:
            return None
        code, last = frame.f_code, 0

        def line(frame, event, _arg):
            nonlocal last
            if event == "line":
                step = (code, last, frame.f_lineno)
                if step not in self.seen:
                    self.seen.add(step)
                    self.news += 1
                last = frame.f_lineno
            return line

        return line


def changed(rng: random.Random, text: bytes, other: bytes, words: tuple[bytes, ...]) -> bytes:
    """Return a text with a few changes, in some cases with a part of another one."""
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(8):
            case 0:
                data[at : at + 1] = bytes((rng.randrange(256),))
            case 1:
                del data[at : at + rng.choice((1, 2, 8, 64))]
            case 2:
                data[at:at] = rng.choice(words)
            case 3:
                data[at:at] = data[: rng.randrange(len(data) + 1)]
            case 4:
                start = rng.randrange(len(other) + 1)
                data[at : at + rng.randrange(16)] = other[start : start + rng.randrange(64)]
            case 5:
                data[at:at] = bytes((rng.randrange(256),)) * rng.choice((1, 3, 255, 1_000))
            case 6 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case _:
                data[at : at + 1] = rng.choice(words)
    return bytes(data[:_LONGEST])


def fuzz(target: Target, inputs: int, seed: int) -> Outcome | Found:
    """Give inputs to a target."""
    rng = random.Random(f"{target.name} {seed}")
    kept, steps, accepted = list(target.accepted), Steps(), 0
    for text in target.accepted:
        problem = _problem(target, text, steps.of, must_accept=True)
        if problem:
            return Found(target.name, text, problem)
    for number in range(inputs):
        pool = kept[-_RECENT:] if rng.randrange(2) else kept
        text = changed(rng, rng.choice(pool), rng.choice(kept), target.words)
        is_traced = number % _TRACED_ONE_IN == 0
        before = steps.news
        problem = _problem(target, text, steps.of if is_traced else _plainly)
        if problem:
            return Found(target.name, text, problem)
        if steps.news > before:
            kept.append(text)
            if len(kept) > _MAX_KEPT:
                del kept[len(target.accepted)]
        accepted += target.was_accepted
    return Outcome(inputs, accepted, len(kept) - len(target.accepted))


def _plainly(call: Callable[[], None]) -> None:
    call()


def _problem(target, text, run, *, must_accept=False) -> str:
    """Give one input to a target; return what it must not have done, or nothing."""
    began_s = time.process_time()
    target.was_accepted = True
    try:
        run(lambda: target.parse(text))
    except target.errors as error:
        target.was_accepted = False
        if must_accept:
            return f"it refuses what it must accept: {error}"
        if not str(error):
            return "its error says nothing"
    except Exception as error:
        return repr(error)
    took_s = time.process_time() - began_s
    if took_s > _SLOW_S and run is not _plainly:
        # Perhaps only because its lines were followed.
        return _problem(target, text, _plainly)
    return f"it took {took_s:.2f} s" if took_s > _SLOW_S else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.texts")
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--target", choices=[each.name for each in TARGETS])
    options = parser.parse_args()
    status = 0
    for target in TARGETS:
        if options.target not in (None, target.name):
            continue
        began_s = time.perf_counter()
        outcome = fuzz(target, options.inputs, options.seed)
        took_s = time.perf_counter() - began_s
        if isinstance(outcome, Found):
            status = 1
            print(f"{target.name}: {outcome.what}\n  {outcome.text!r}")
            print(f"  python -m tests.fuzz.texts --target {target.name} --seed {options.seed}")
        else:
            print(
                f"{target.name}: {outcome.inputs} inputs in {took_s:.0f} s, {outcome.accepted} "
                f"accepted, {outcome.kept} reached new code"
            )
    return status


if __name__ == "__main__":
    sys.exit(main())
