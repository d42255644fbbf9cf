"""Guards of compaction that unit tests hold: the plans that need them are too long for a suite."""

from tests.mutation import UnitMutation, mutation

_TESTS = "tests/unit/log/cleaner/test_cleaning.py"

UNIT_COMPACTION_MUTATIONS = (
    UnitMutation(
        mutation(
            "compaction: the aborted value of a key is the latest one",
            ("log.cleaner.chunks", "map_chunk",
             "elif not seen.read_batch(header) and header.magic >= _OLDEST_MAGIC:",
             "elif header.magic >= _OLDEST_MAGIC:"),
        ),
        f"{_TESTS}::test_aborted_records_never_win_and_markers_go_last",
        "one of 19 seeds of 30 s found it",
    ),
    UnitMutation(
        mutation(
            "compaction: the last batch of a producer is dropped",
            ("log.cleaner.chunks", "_retention",
             "if _is_last(header, rules) or header.next_offset == rules.end_offset:", "if False:"),
        ),
        f"{_TESTS}::test_the_last_batch_of_a_producer_stays_empty",
        "one of 45 seeds of 30 s found it",
    ),
    UnitMutation(
        mutation(
            "compaction: a swap that a crash interrupted is not completed",
            ("log.recovery.log_files", "finish_interrupted_work",
             "swaps = [name for name in names if name.endswith(SWAP_SUFFIX)]",
             "swaps = []"),
        ),
        f"{_TESTS}::test_a_crash_at_any_operation_loses_no_latest_value[False-False]",
        "one of 8 seeds of 30 s found it",
    ),
    UnitMutation(
        mutation(
            "compaction: a swap that a crash interrupted loses its aborted transactions",
            ("log.recovery.log_files", "finish_interrupted_work",
             "swaps = [name for name in names if name.endswith(SWAP_SUFFIX)]",
             "swaps = [name for name in names if name.endswith(LOG_SUFFIX + SWAP_SUFFIX)]"),
        ),
        f"{_TESTS}::test_a_crash_at_any_operation_loses_no_latest_value[False-True]",
        "one of 360 seeds of 180 s found it",
    ),
    UnitMutation(
        mutation(
            "compaction: the cleaning of a log goes on that is not compacted any more",
            ("log.cleaner.cleaning", "Cleaning._require", "if not log.config.compacted:", "if False:"),
        ),
        f"{_TESTS}::test_a_log_that_is_not_compacted_any_more_is_left_as_it_is",
        "its retention and its cleaning must meet in one step",
    ),
)  # fmt: skip
