"""Weakenings of the guards of several log directories; `mutations.py` has all others."""

from tests.mutation import mutation

LOG_DIR_MUTATIONS = (
    mutation(
        "a move ends before the future log has all records",
        ("replica.log_dir_moves", "LogDirMoves._step",
         "if not self.logs.futures.copy_slice(at, self.env.clock.now):",
         ("if move.state is not MoveState.SWAPPING and not self.logs.futures.copy_slice(\n"
          "            at, self.env.clock.now):")),
        ("log.directories.future_logs", "FutureLogs.swap",
         'assert future.log_end_offset == current.log_end_offset, f"{at} has not caught up"', "pass"),
        ("log.directories.future_logs", "FutureLogs._promote", "end_offset = current.log_end_offset",
         "end_offset = future.log_end_offset"),
    ),
    mutation(
        "a move ends before the future log is flushed",
        ("replica.log_dir_moves", "LogDirMoves._flush",
         "request = future.take_flush(everything=True)", "request = None"),
        ("log.directories.future_logs", "FutureLogs.swap", "future.close()",
         "future.finish_close(future.prepare_close())"),
    ),
    mutation(
        "a future log does not follow a truncation",
        ("log.directories.future_logs", "FutureLogs.copy_slice", "_follow(copy, future, current, now)", "pass"),
        ("log.directories.future_logs", "FutureLogs._load", "_follow(copy, copy.log, log, now)", "pass"),
        ("log.directories.future_logs", "FutureLogs.copy_slice",
         "return future.log_end_offset == current.log_end_offset",
         "return future.log_end_offset >= current.log_end_offset"),
        ("log.directories.future_logs", "FutureLogs.swap",
         'assert future.log_end_offset == current.log_end_offset, f"{at} has not caught up"', "pass"),
        ("log.directories.future_logs", "FutureLogs._promote", "end_offset = current.log_end_offset",
         "end_offset = future.log_end_offset"),
    ),
    mutation(
        "a broker without the directory of a member stays in ISR and ELR",
        ("log.directories.settling", "_gone", "is_unreported=replica.directory_id != DIRECTORY_LOST",
         "is_unreported=False"),
    ),
    mutation(
        "KIP-858: the failure of a directory is not reported",
        ("replica.broker_lifecycle", "BrokerLifecycle.report_offline_dir",
         "self.offline_log_dirs.append(directory)", "pass"),
    ),
)  # fmt: skip
