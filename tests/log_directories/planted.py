"""Faults that the room of log directories had or could have, put back one by one.

    python -m tests.log_directories.planted [--first N] [--count N]

Prints the first seed that finds each fault. Exit status 1 where one is not found.
"""

import argparse
import sys
import time

from tests.log_directories.run import first_finding
from tests.mutation import applied, mutation

_FUTURES, _DIRECTORY = "log.directories.future_logs", "log.directories.log_directory"
_LOADING, _SETTLING = "log.directories.directory_loading", "log.directories.settling"

FAULTS = (
    mutation(
        "a move does not make the identity of the current log durable first",
        (_FUTURES, "FutureLogs.create", "current.local.sync_identity()", "pass"),
    ),
    mutation(
        "checkpoints name the former log after a swap",
        (_FUTURES, "FutureLogs.swap", "source.retire(at, self.rng, now)",
         "source._outdated.clear() or source.retire(at, self.rng, now)"),
    ),
    mutation(
        "a swap leaves no mark",
        (_FUTURES, "FutureLogs.swap", "source.disk.open(mark, create=True).close()", "pass"),
        (_FUTURES, "FutureLogs.swap", "source.disk.remove(mark)", "pass"),
    ),
    mutation(
        "a start uses a log that a move has superseded",
        (_SETTLING, "settle_swap", "return FormerLog.STAYS if has_copy else FormerLog.SUPERSEDED",
         "return FormerLog.STAYS"),
    ),
    mutation(
        "a start does not make the names of retired logs durable",
        ("log.directories.log_folders", "list_durably", 'disk.sync_dir("")', "pass"),
    ),
    mutation(
        "a log is created before the new name of its predecessor is durable",
        (_DIRECTORY, "LogDirectory.sync_retired", "self.sync_names()", "pass"),
    ),
    mutation(
        "a missing log is not remembered",
        (_LOADING, "_find_lost", "home.folders.enter(at, FolderState.LOST).lost = named[at]", "pass"),
    ),
    mutation(
        "a log whose directory is known as lost is taken for an empty one",
        (_SETTLING, "_is_gone", "elif replica.directory_id != DIRECTORY_LOST and (",
         "elif replica.directory_id == DIRECTORY_LOST or ("),
    ),
    mutation(
        "a log whose directory is not in log.dirs is taken for an empty one",
        (_SETTLING, "_is_gone", "ZERO_UUID in known", "True"),
    ),
    mutation(
        "an older log is used while a directory is offline",
        (_SETTLING, "_may_be_older", "len(online) == len(places)", "True"),
    ),
    mutation(
        "the empty folder that a power loss leaves is taken for an operator's consent",
        ("log.directories.log_manager", "LogManager.load", "remove_empty_folders(self.directories, fail)", "pass"),
    ),
    mutation(
        "the empty folder of a deleted topic is left",
        ("replica.removed_logs", "_remove_empty", "home.remove_empty(at)", "pass"),
    ),
    mutation(
        "a superseded log of a deleted topic is left",
        (_SETTLING, "_settle_loaded",
         "return FolderState.SUPERSEDED if may_belong else FolderState.RETIRING",
         "return FolderState.SUPERSEDED"),
    ),
    mutation(
        "a log begins where the lost one did that it replaces",
        (_DIRECTORY, "LogDirectory.clear_offsets_of_lost",
         "self._outdated |= dict.fromkeys(NAMES_OF_LOST)", "pass"),
    ),
    mutation(
        "of two logs without records the one without topic id is kept",
        (_SETTLING, "settle_pair", "is not None)", "is None)"),
    ),
    mutation(
        "a stop is clean although the controller does not know the directory of a log",
        ("replica.replica_manager", "ReplicaManager.unreported",
         "_names(self.image, self.assignments.pending)", "()"),
    ),
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.log_directories.planted")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    missing = 0
    for fault in FAULTS:
        begun_s = time.process_time()
        with applied(fault):
            outcome = first_finding(options.first, options.count)
        took_s = time.process_time() - begun_s
        if outcome is None:
            missing += 1
            print(f"{fault.name}: not found in {options.count} seeds, {took_s:.0f} s", flush=True)
        else:
            print(
                f"{fault.name}: seed {outcome.seed}: {outcome.finding} ({took_s:.0f} s)", flush=True
            )
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
