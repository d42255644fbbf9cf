"""Faults that clients once could use, put back one by one: the fuzzer must find each.

    python -m tests.fuzz.planted [--starts A,B,C] [--frames F] [--jobs J] [--write FILE] [WORD …]

Sends frames from each starting seed until a property does not hold, at most F of them: once drawn
afresh, once guided by the code that they reach. `--write` puts the table between the two marks in a Markdown file. Exit status 1 where a fault is not found.
"""

import argparse
import logging
import multiprocessing
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.fuzz.guide import Guide
from tests.fuzz.in_process import run
from tests.mutation import applied, mutation, write_between

BEGIN, END = "<!-- planted -->\n", "<!-- end of planted -->\n"
FRAMES_PER_SEED = 400
MAX_FRAMES = 8_000


_KEYS_OF_WAITS = (
    "node.purgatory", "Purgatory.park", "tuple(dict.fromkeys(keys))", "tuple(keys)",
)  # fmt: skip
_EVERY_RECORD = (
    "records.validation", "validate_batch", "if origin is _CLIENT:", "if False:",
)  # fmt: skip

FAULTS = (
    mutation(
        "Produce: checksums are not checked",
        ("records.validation", "validate_batch",
         "if header.crc != crc32c(records[ATTRIBUTES_OFFSET:]):", "if False:"),
    ),
    mutation("Produce: records are not checked, garbage has a valid checksum", _EVERY_RECORD),
    mutation(
        "Produce: 2^31 - 1 records are claimed",
        ("records.validation", "validate_batch", "if origin is _CLIENT:",
         "if origin is _CLIENT and header.record_count < 1 << 30:"),
    ),
    mutation(
        "Produce: timestamps beyond 2^63 - 1",
        ("records.validation", "_plain_header", "base_timestamp + last != max_timestamp",
         "base_timestamp + last < 0"),
        ("records.validation", "_plain_header",
         "max_timestamp - now_ms > policy.timestamp_after_max_ms",
         "False"),
    ),
    mutation(
        "Produce: a bomb of empty record headers is opened in its step",
        ("records.validation", "_open_section", "if budget.units is None:", "if True:"),
        ("records.validation", "_summarize", "header.record_count, budget)",
         "header.record_count, UNBOUNDED)"),
    ),
    mutation(
        "Produce: a refusal names every record",
        ("records.validation", "_check_bounds",
         "if len(keyless) + len(untimely) == MAX_RECORD_ERRORS:", "if False:"),
    ),
    mutation(
        "Produce: a partition that is named twice",
        ("apis.produce", "_without_repeats",
         "if len(topics) == 1 and len(topics[0].partition_data) == 1:", "if True:"),
        _KEYS_OF_WAITS,
    ),
    mutation(
        "Fetch: a partition that is named twice",
        ("apis.fetch", "_fetch_read", "dict(named_partitions(request)).items()",
         "named_partitions(request)"),
        _KEYS_OF_WAITS,
    ),
    mutation(
        "FetchSnapshot: a snapshot that is not there",
        ("apis.fetch_snapshot", "fetch_snapshot", 'unaligned_records=b"",', ""),
    ),
    mutation(
        "Metadata v10, v11: an unknown topic id",
        ("apis.metadata", "metadata", "if ctx.version < _BY_ID_FROM and", "if False and"),
    ),
    mutation(
        "DescribeQuorum v0, v1: directory ids",
        ("apis.describe_quorum", "_describe", "ctx.version >= _DIRECTORIES_FROM", "True"),
    ),
    mutation(
        "Metadata: a topic that is named many times",
        ("apis.metadata", "_describe", "for topic in asked.values()",
         "for topic in request.topics or ()"),
    ),
    mutation(
        "array elements are not counted before they are built",
        ("rpc.envelope", "decode_header", "if len(frame) > most_elements:", "if False:"),
    ),
    mutation(
        "a request waits on when its connection is closed",
        ("node.dispatcher", "Dispatcher.closed", "slot.running.abandon()", "pass"),
    ),
)  # fmt: skip


class Verdict(NamedTuple):
    """The check that found a fault, and after how many frames; `where` is "" if none did.

    `seconds` is processor time.
    """

    name: str
    where: str
    frames: int
    seconds: float
    guided: bool = False


def judge(fault, start, most_frames=MAX_FRAMES, *, guided=False):
    """Put a fault back and send frames until a property does not hold."""
    begun_s = time.process_time()
    guide = Guide() if guided else None
    frames = 0
    seed = start
    with applied(fault):
        while frames < most_frames:
            outcome = run(
                seed, FRAMES_PER_SEED, first_pair=seed * FRAMES_PER_SEED // 2, sample=1,
                guide=guide,
            )  # fmt: skip
            frames += outcome.frames
            seed += 1
            if outcome.fault:
                break
    where = outcome.where if outcome.fault else ""
    return Verdict(fault.name, where, frames, time.process_time() - begun_s, guided)


def table(verdicts):
    """The verdicts as a Markdown table, a line a fault: medians over all starts, found or not."""
    by_name = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.name, ([], []))[verdict.guided].append(verdict)
    lines = [
        "| fault | found | frames | seconds | guided: found | frames | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, both in by_name.items():
        cells = [cell for verdicts_of_one in both for cell in _cells(verdicts_of_one)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cells(verdicts):
    if not verdicts:
        return ("", "", "")
    hits = sum(bool(each.where) for each in verdicts)
    frames = median(each.frames for each in verdicts)
    seconds = median(each.seconds for each in verdicts)
    return f"{hits} of {len(verdicts)}", f"{frames:,.0f}", f"{seconds:.1f}"


def _one(task):
    index, start, most_frames, guided = task
    log = logging.getLogger("minikafka")
    log.addHandler(logging.NullHandler())
    return judge(FAULTS[index], start, most_frames, guided=guided)


def main():
    """Put back all faults, or those whose name has one of the words."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.planted")
    parser.add_argument("--starts", default="1,10001,20001,30001,40001")
    parser.add_argument("--frames", type=int, default=MAX_FRAMES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    tasks = [
        (index, int(start), options.frames, guided)
        for index, fault in enumerate(FAULTS)
        if not options.words or any(word in fault.name for word in options.words)
        for start in options.starts.split(",")
        for guided in (False, True)
    ]
    verdicts = []
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        for verdict in pool.imap(_one, tasks):
            verdicts.append(verdict)
            print(
                f"{verdict.name}{', guided' * verdict.guided}: {verdict.where or 'NOT FOUND'} "
                f"({verdict.frames} frames, {verdict.seconds:.1f} s)",
                flush=True,
            )
    if options.write is not None:
        write_between(options.write, BEGIN, END, table(verdicts))
    missed = [verdict.name for verdict in verdicts if not verdict.where]
    print(f"{len(missed)} not found: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
