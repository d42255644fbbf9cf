"""Weakenings of the guards of reads from followers; `mutations.py` has all others."""

from tests.mutation import mutation

FOLLOWER_READ_MUTATIONS = (
    mutation(
        "KIP-392: a follower serves up to its log end",
        ("replica.fetch_read", "ConsumerReader.upper_bound",
         "return log.last_stable_offset if self.is_committed_only else log.high_watermark",
         ("if not partition.is_leader:\n"
          "        return log.log_end_offset\n"
          "    return log.last_stable_offset if self.is_committed_only else log.high_watermark")),
    ),
)  # fmt: skip
