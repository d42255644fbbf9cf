"""Weakenings of the guards of transactions; `mutations.py` has all others."""

from tests.mutation import mutation

TRANSACTION_MUTATIONS = (
    # Logs
    mutation(
        "the aborted transactions of a log are not found again after a crash",
        ("log.producers.producer_loading", "_replay", "if aborted is not None and reindex:", "if False:"),
    ),
    mutation(
        "the aborted transactions of a log outlive a truncation",
        ("log.segment.segment_indexes", "SegmentIndexes.truncate_to",
         "self._truncate_aborted(offset)", "pass"),
    ),
    mutation(
        "the last stable offset ignores open transactions",
        ("log.producers.producer_state", "ProducerState.first_unstable_offset",
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
        ("log.producers.producer_state", "ProducerState.has_newer_epoch",
         "entry is not None and producer_epoch < entry.epoch", "False"),
        ("log.producers.producer_state", "_check_sequence", "raise _stale_epoch(header, entry.epoch)",
         "return None"),
        ("log.producers.producer_state", "ProducerState._check_verified", "raise _stale_epoch(header, entry.epoch)",
         "return"),
    ),
    # Coordinators
    mutation(
        "KIP-890: the end of a transaction does not bump the epoch",
        ("transaction.transitions", "ended", "bumps = client_version >= EPOCH_BUMP_FROM",
         "bumps = False"),
    ),
    mutation(
        "markers are sent before the decision is written",
        ("transaction.shard", "TransactionShard._append", "entry.pending = after",
         ("entry.pending = after\n"
         "    if after.state.is_prepared and after.partitions:\n"
         "        current, entry.current = entry.current, after\n"
         "        self._send_markers(entry)\n"
         "        entry.current, entry.markers = current, None")),
    ),
    mutation(
        "markers are sent before the decision is committed",
        ("transaction.shard", "TransactionShard._append",
         "return self.journal.append([record], on_committed=lambda: self._apply(entry, after))",
         ("write = self.journal.append([record],"
         " on_committed=lambda: entry.pending is after and self._apply(entry, after))\n"
         "    if after.state.is_prepared and entry.pending is after:\n"
         "        self._apply(entry, after)\n"
         "    return write")),
    ),
    mutation(
        "a marker that a former leader refused counts as written",
        ("transaction.marker_sender", "MarkerSender._judge", "if code in _WRITTEN:",
         "if code in (*_WRITTEN, ErrorCode.NOT_LEADER_OR_FOLLOWER):"),
    ),
    mutation(
        "partitions are added to a transaction before the record is committed",
        ("transaction.shard", "TransactionShard._append",
         "return self.journal.append([record], on_committed=lambda: self._apply(entry, after))",
         ("write = self.journal.append([record],"
         " on_committed=lambda: entry.pending is after and self._apply(entry, after))\n"
         "    if after.state is TransactionState.ONGOING and entry.pending is after:\n"
         "        self._apply(entry, after)\n"
         "        write.decide(0)\n"
         "    return write")),
    ),
    mutation(
        "a timeout aborts a transaction whose commit is decided",
        ("transaction.expiration", "has_timed_out", "transaction.state is TransactionState.ONGOING",
         "transaction.state in (TransactionState.ONGOING, TransactionState.PREPARE_COMMIT)"),
        ("transaction.expiration", "abort_timed_out",
         "current is None or entry.pending is not None or not has_timed_out(current, now_ms)",
         "current is None or not has_timed_out(current, now_ms)"),
        ("transaction.expiration", "abort_timed_out", "try:", "try:\n            entry.markers = None"),
        ("transaction.transitions", "fenced",
         "_require(now, TransactionState.PREPARE_EPOCH_FENCE)", "pass"),
    ),
    mutation(
        "a new producer aborts a transaction whose commit is decided",
        ("transaction.coordinator", "TransactionCoordinator.initialize",
         "now = entry.require_settled()", "now = entry.current or entry.require_settled()"),
        ("transaction.request_rules", "initialize", "if now.state.is_prepared:", "if False:"),
        ("transaction.request_rules", "initialize", "if now.state is TransactionState.ONGOING:",
         "if now.state is TransactionState.ONGOING or now.state.is_prepared:"),
        ("transaction.transitions", "fenced",
         "_require(now, TransactionState.PREPARE_EPOCH_FENCE)", "pass"),
    ),
    # Groups
    mutation(
        "KIP-447: offsets of former members are taken into transactions",
        ("group.offset_commits", "OffsetCommits._group_of_transaction",
         "_require_named_member(group, request)", "pass"),
    ),
    mutation(
        "KIP-447: offsets of open transactions are shown as stable",
        ("group.offsets", "GroupOffsets.is_unstable",
         "return self.transactional.is_unstable((topic, partition))", "return False"),
    ),
)  # fmt: skip
