"""Guards of transactions that only clients notice: readers and the groups of loops."""

from tests.mutation import mutation

READ_ABORTED = "KIP-98: read_committed consumers get no list of aborted transactions"
READ_OPEN = "KIP-98: read_committed consumers read above the last stable offset"
COUNT_ABORTED = "KIP-447: the offsets of an aborted transaction count"

TRANSACTION_MUTATIONS = [
    mutation(
        READ_ABORTED,
        ("replica.fetch_read", "ConsumerReader.aborted", "if not self.is_committed_only:", "if 1:"),
    ),
    mutation(
        READ_OPEN,
        (
            "replica.fetch_read",
            "ConsumerReader.upper_bound",
            "log.last_stable_offset if self.is_committed_only else log.high_watermark",
            "log.high_watermark",
        ),
    ),
    mutation(
        COUNT_ABORTED,
        ("group.offsets", "GroupOffsets.end_transaction", "if is_commit and value", "if value"),
    ),
]
