"""Runs the seeds of CI: nothing may be broken, and enough must have been covered.

    python -m tests.simulation.floors [--jobs N] [--table] [--json FILE]

Exit status 1 where a seed breaks a rule, or where a count is below its floor; each is named. A
floor says what the seeds are for: rules that must have been evaluated, events that must have
happened, faults that must have had an effect. `--table` prints all counts beside their floors;
`--json` writes what the seeds came to for `tests.summary`.
"""

import argparse
import json
import logging
import multiprocessing
import os
import sys
from pathlib import Path

from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Fault
from minikafka.sim.drive.simulation import Simulation

SEEDS = range(1, 161)
DURATION_MS = 20_000

EVENTS = {
    "brokers fenced before their sessions ended": 100,
    "changes of the transaction protocol": 20,
    "clients that died in a transaction": 30,
    "consumers sent to a follower": 1_500,
    "elections": 500,
    "elections from the ELR": 20,
    "elections of coordinators": 60,
    "feature changes": 15,
    "leaders moved from a failed directory": 8,
    "lives of consumer group members": 100,
    "log start offset moves": 50,
    "members thrown out of the ELR": 100,
    "offset commits across a failover": 50,
    "plain records before transactional ones": 300,
    "producers fenced": 250,
    "reassignments completed": 20,
    "rebalances": 100,
    "replica moves completed": 50,
    "replica moves continued after a crash": 8,
    "replica moves interrupted by a crash": 10,
    "runs that end with fewer brokers": 20,
    "transactions aborted": 500,
    "transactions committed": 1_500,
    "transactions fenced by the group": 10,
    "transactions with offsets": 500,
    "truncations": 50,
    "truncations of coordinators": 10,
    "truncations while a flush runs": 10,
    "unclean recoveries": 20,
}
RULES = {
    "AbortedIndex": 4_000,
    "AbortedNeverRead by readers": 5_000,
    "ActiveLeads": 100_000,
    "C2": 500,
    "C3, E7": 200,
    "CommittedAnswers": 50,
    "DecisionFirst": 15_000,
    "DecisionIsFinal": 5_000,
    "DecisionsAreKept": 60,
    "E1, E2": 3_000,
    "EndTxnCommit, AbortedNeverRead, TransactionIsWhole": 2_500,
    "EpochBump": 10_000,
    "FencedCommit": 60,
    "FencedEpoch": 10_000,
    "FormerLeader": 20,
    "FutureLog": 3_000,
    "G0, G1a, G1b, G1c": 2_000,
    "H1, H2, H3": 30_000,
    "H1, H2, H3 by the leader's own view": 30_000,
    "H7": 30_000,
    "L1, L2: no member waits": 1_000,
    "L1, L3, L4, L6": 50,
    "L2": 20,
    "L8": 1_000,
    "LeaderCandidateCompleteness": 5_000,
    "LeaderCompleteness": 1_000,
    "LogMatching": 90_000,
    "MajorityReachedHighWatermark": 5_000,
    "MarkersFirst": 10_000,
    "MetadataLogMatching": 20_000,
    "MinIsrRecoveryQuorum": 2_000,
    "NoHangingTransaction": 35,
    "OffsetsWithOutputs": 1_200,
    "OneLog": 500,
    "OneVoterAtATime": 20,
    "PartitionFirst": 15_000,
    "ProducerIdsOnce": 400,
    "ReplicationQuorumSuperset": 50_000,
    "SilentGroup": 10,
    "SingleVotePerEpoch": 50_000,
    "SoleOwner": 3_000,
    "StableOffset": 50_000,
    "SwappedLog": 50,
    "U4": 500,
    "U5": 20,
    "U6": 20,
    "U8": 500,
    "VotersOfTheLog": 3_000,
    "VotesAreDurable": 200,
    "WeakIsr": 100_000,
    "append order": 10_000,
    "epochs": 3_000,
    "flushed": 5_000,
    "lost, duplicate: beside transactions": 2_000,
    "only operators help": 5,
    "retention": 50,
    "the ISR is kept": 500,
}
FAULTS = {fault.value: 5 for fault in Fault} | {
    "clog": 1,
    "crash-after-log-info": 1,
    "crash-in-move": 3,
    "crash-in-step": 20,
    "cut": 2,
    "data-rot": 14,
    "error-once": 6,
    "isolate": 30,
    "kill": 50,
    "lost-write": 8,
    "misdirected-write": 4,
    "no-space-once": 3,
    "power-cut": 20,
    "power-cut-in-stop": 20,
}


def below_floors(coverage):
    """Return a line for each count that is below its floor."""
    return [
        f"{kind} {name!r}: {counts[name]}, at least {floor} are wanted"
        for kind, counts, floors in _kinds(coverage)
        for name, floor in floors.items()
        if counts[name] < floor
    ]


def table(coverage):
    """The counts beside their floors as lines."""
    lines = []
    for kind, counts, floors in _kinds(coverage):
        names = sorted({*counts, *floors})
        lines += [
            f"{kind:6} {name:45} {counts[name]:>9,} {floors.get(name, 0):>9,}" for name in names
        ]
    lines += [f"excuse {name:45} {count:>9,}" for name, count in sorted(coverage.excuses.items())]
    return lines


def _kinds(coverage):
    yield "event", coverage.events, EVENTS
    yield "rule", coverage.rules, RULES
    yield "fault", coverage.faults, FAULTS


def count():
    """How many floors there are."""
    return len(EVENTS) + len(RULES) + len(FAULTS)


def _run(seed):
    return Simulation(draw(seed, DURATION_MS)).run()


def outcomes(jobs):
    """Yield the outcome of each seed."""
    with multiprocessing.get_context("fork").Pool(
        jobs, initializer=logging.disable, initargs=(logging.CRITICAL,)
    ) as pool:
        yield from pool.imap_unordered(_run, SEEDS)


def main():
    """Run all seeds; report broken rules, and counts below their floors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    seeds, total, problems, acknowledged = 0, Coverage(), [], 0
    for outcome in outcomes(args.jobs):
        seeds += 1
        total.add(outcome.coverage)
        acknowledged += outcome.acknowledged
        if outcome.violation is not None:
            problems.append(f"seed {outcome.seed}: {outcome.violation}\n{outcome.traceback}")
        if not outcome.acknowledged:
            problems.append(f"seed {outcome.seed}: nothing was acknowledged")
    missed = below_floors(total)
    problems += missed
    if args.json is not None:
        came_to = {
            "seeds": seeds,
            "records acknowledged": acknowledged,
            "checks": total.checks,
            "faults with an effect": sum(total.faults.values()),
            "floors reached": count() - len(missed),
            "problems": len(problems),
        }
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(came_to) + "\n", encoding="utf-8")
    for line in (*(table(total) if args.table else ()), *problems):
        print(line)
    print(
        f"{len(SEEDS)} seeds, {acknowledged:,} records acknowledged, {total.checks:,} checks, "
        f"{sum(total.faults.values()):,} faults with an effect: {len(problems)} problems"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
