"""Weakenings of the guards of compaction; `mutations.py` has all others."""

from tests.mutation import mutation

COMPACTION_MUTATIONS = (
    mutation(
        "compaction: tombstones are dropped at once",
        ("records.compaction", "_select",
         "keeps_tombstones=horizon_ms is None or now_ms < horizon_ms", "keeps_tombstones=False"),
    ),
    mutation(
        "compaction: the markers of a transaction with records are dropped",
        ("log.cleaner.chunks", "_retention",
         "discards = is_over and horizon_ms is not None and horizon_ms <= rules.now_ms",
         "discards = True"),
    ),
    mutation(
        "compaction: records above the last stable offset count",
        ("replica.log_cleaner", "LogCleaner._facts_of",
         "last_stable_offset=min(log.last_stable_offset, log.recovery_point)",
         "last_stable_offset=log.log_end_offset"),
    ),
    mutation(
        "compaction: records that are not durable here count",
        ("replica.log_cleaner", "LogCleaner._facts_of",
         "last_stable_offset=min(log.last_stable_offset, log.recovery_point)",
         "last_stable_offset=log.last_stable_offset"),
    ),
    mutation(
        "compaction: an older record stays",
        ("log.cleaner.chunks", "clean_chunk", "if header.magic >= _OLDEST_MAGIC:",
         "if header.magic >= _OLDEST_MAGIC and header.is_control:"),
    ),
)  # fmt: skip
