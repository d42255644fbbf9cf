"""Weakenings of the guards of transactions; `mutations.py` has all others."""

from tests.mutation import mutation

TRANSACTION_MUTATIONS = (
    # Logs
    mutation(
        "the aborted transactions of a log are not found again after a crash",
        ("log.producer_loading", "_replay", "if aborted is not None and reindex:", "if False:"),
    ),
    mutation(
        "the last stable offset ignores open transactions",
        ("log.producer_state", "ProducerState.first_unstable_offset",
         "if not self.ongoing and not self.unreplicated:", "if True:"),
    ),
    mutation(
        "KIP-890: partitions are not verified",
        ("replica.transactional_appends", "TransactionalAppends._outcome_now",
         "if not producer.adds_partition and not self._verifies:", "if True:"),
    ),
    mutation(
        "the epoch of a zombie is accepted",
        ("transaction.request_rules", "require_producer",
         "if now.producer_epoch != producer.epoch:", "if now.producer_epoch < producer.epoch:"),
        ("transaction.request_rules", "_require_end_epoch", "if not is_valid:", "if False:"),
        ("log.producer_state", "ProducerState.has_newer_epoch",
         "entry is not None and producer_epoch < entry.epoch", "False"),
        ("log.producer_state", "ProducerState.check", "raise _stale_epoch(header, entry)",
         "return None"),
    ),
    # Coordinators
    mutation(
        "KIP-890: the end of a transaction does not bump the epoch",
        ("transaction.transitions", "ended", "bumps = client_version >= EPOCH_BUMP_FROM",
         "bumps = False"),
    ),
    # Groups
    mutation(
        "KIP-447: offsets of former members are taken into transactions",
        ("group.offset_commits", "OffsetCommits._group_of_transaction",
         "if generation >= 0 or request.member_id or request.group_instance_id is not None:",
         "if False:"),
    ),
    mutation(
        "KIP-447: offsets of open transactions are shown as stable",
        ("group.offsets", "GroupOffsets.is_unstable",
         "return self.transactional.is_unstable((topic, partition))", "return False"),
    ),
)  # fmt: skip
