"""Faults that the room of log directories had or could have, put back one by one.

    python -m tests.log_directories.planted [--first N] [--count N]

Prints the first seed that finds each fault. Exit status 1 where one is not found.
"""

import argparse
import sys
import time

from tests.log_directories.run import first_finding
from tests.mutation import applied, mutation

_FUTURES, _DIRECTORY, _MANAGER = "log.future_logs", "log.log_directory", "log.log_manager"

FAULTS = (
    mutation(
        "a move does not make the identity of the current log durable first",
        (_FUTURES, "FutureLogs.create", "current.local.sync_identity()", "pass"),
    ),
    mutation(
        "checkpoints name the former log after a swap",
        (_FUTURES, "FutureLogs.swap", "source.forget([at])", "source.forgotten[at] = None"),
    ),
    mutation(
        "a swap leaves no mark",
        (_FUTURES, "FutureLogs.swap", "source.disk.open(mark, create=True).close()", "pass"),
        (_FUTURES, "FutureLogs.swap", "source.disk.remove(mark)", "pass"),
    ),
    mutation(
        "a start uses a log that a move has superseded",
        (_FUTURES, "FutureLogs._settle", "elif not any(", "elif False and not any("),
    ),
    mutation(
        "a start does not make the names of retired logs durable",
        ("log.log_folders", "list_durably", 'disk.sync_dir("")', "pass"),
    ),
    mutation(
        "a log is created before the new name of its predecessor is durable",
        (_DIRECTORY, "LogDirectory.sync_retired", 'self.disk.sync_dir("")', "pass"),
    ),
    mutation(
        "a missing log is not remembered",
        (_DIRECTORY, "LogDirectory._find_lost", "self._save_lost()", "self.lost.clear()"),
    ),
    mutation(
        "a log whose directory is known as lost is taken for an empty one",
        (_MANAGER, "LogManager.is_gone", "elif directory_id != DIRECTORY_LOST:",
         "elif directory_id == DIRECTORY_LOST:\n        return False\n    else:"),
    ),
    mutation(
        "a log whose directory is not in log.dirs is taken for an empty one",
        (_MANAGER, "LogManager.is_gone", "ZERO_UUID in known", "True"),
    ),
    mutation(
        "an older log is used while a directory is offline",
        (_MANAGER, "LogManager.may_be_older", "log is None or", "True or"),
    ),
    mutation(
        "the empty folder that a power loss leaves is taken for an operator's consent",
        (_MANAGER, "LogManager.load", "self.two_folders.remove_empty(fail)", "pass"),
    ),
    mutation(
        "the empty folder of a deleted topic is left",
        ("replica.removed_logs", "RemovedLogs._clear", "remove_empty(at, home)", "pass"),
    ),
    mutation(
        "a superseded log of a deleted topic is left",
        ("replica.removed_logs", "RemovedLogs._clear",
         "home.set_superseded_aside(at, self.logs.rng)", "pass"),
    ),
    mutation(
        "a log in use is removed from the checkpoints if another directory has lost it",
        ("replica.removed_logs", "RemovedLogs.set_strays_aside", "self.forget(strays, lost)",
         "self.forget([*strays, *lost])"),
    ),
    mutation(
        "a log begins where the lost one did that it replaces",
        (_DIRECTORY, "LogDirectory.disown_lost", "if owned:", "if False:"),
    ),
    mutation(
        "of two logs without records the one without topic id is kept",
        ("log.two_folders", "TwoFolders._retire_unused", "is not None)", "is None)"),
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
