"""Weakenings of one guard each, which the simulator must find.

Where a rule is enforced twice, one mutation takes away both: what is left without either is what
the rule is for.

Source of many: the guards marked CHECK in the TLA+ model of KIP-966, named "CHECK n" as they are
counted there.
"""

from tests.mutation import mutation
from tests.simulation.compaction_mutations import COMPACTION_MUTATIONS
from tests.simulation.consumer_group_mutations import GROUP_LIVENESS, GROUP_MUTATIONS
from tests.simulation.follower_read_mutations import FOLLOWER_READ_MUTATIONS
from tests.simulation.log_dir_mutations import LOG_DIR_MUTATIONS
from tests.simulation.session_mutations import SESSION_MUTATIONS
from tests.simulation.transaction_mutations import TRANSACTION_MUTATIONS

MUTATIONS = (
    # High watermark and acknowledgements
    mutation(
        "H1: the high watermark moves under min ISR",
        ("replica.high_watermark", "next_high_watermark", "if isr_size < min_isr:", "if False:"),
    ),
    mutation(
        "H3: a proposed ISR counts for min ISR",
        ("replica.partition", "Partition.advance_high_watermark", "isr_size=len(isr.committed)",
         "isr_size=len(isr.proposed or isr.committed)"),
    ),
    mutation(
        "H2: the high watermark needs the leader alone",
        ("replica.partition", "Partition.advance_high_watermark", "maximal_isr=isr.maximal,",
         "maximal_isr=(),"),
    ),
    mutation(
        "H2: the high watermark needs a majority of the ISR",
        ("replica.high_watermark", "next_high_watermark",
         "if follower is not None and follower.log_end_offset < candidate:",
         ("ends = sorted(f.log_end_offset for b, f in followers.items() if b in maximal_isr)\n"
         "        candidate = ends[len(ends) // 2] if ends else candidate\n"
         "        if False:")),
    ),
    mutation(
        "H2: only the committed ISR counts",
        ("replica.partition", "Partition.advance_high_watermark",
         ("maximal_isr=isr.maximal,\n"
         "            joining=self._joining() if len(self.followers) >= len(isr.maximal) else (),"),
         "maximal_isr=isr.committed, joining=(),"),
    ),
    mutation(
        "H4: acknowledged before it is replicated",
        ("replica.request_rules", "append_outcome", "if partition.log.high_watermark < end_offset:",
         "if False:"),
    ),
    # Followers
    mutation(
        "CHECK 2: a fetch goes on in the leader epoch in which it began",
        ("replica.replica_manager", "ReplicaManager._change",
         "(new_epoch or not self._fetchers.follows(key))", "not self._fetchers.follows(key)"),
    ),
    mutation(
        "CHECK 3, 4: a new leader believes what it knew of followers",
        ("replica.replica_state", "ReplicaState.reset", "if still_leader:", "if True:"),
        ("replica.partition", "Partition.apply", "self.followers.clear()", "pass"),
    ),
    mutation(
        "CHECK 3: a leader that missed the one in between believes what it knew of followers",
        (
            "replica.partition",
            "Partition.apply",
            "self.is_leader and registration.leader_epoch <= self.leader_epoch + 1",
            "self.is_leader",
        ),
    ),
    mutation(
        "CHECK 5: a follower joins the ISR below the high watermark",
        ("replica.partition", "Partition._isr_view",
         "max(log.high_watermark, self.leader_epoch_start_offset)",
         "min(log.high_watermark, self.leader_epoch_start_offset)"),
    ),
    mutation(
        "CHECK 6: a follower joins the ISR below the start of the leader epoch",
        ("replica.partition", "Partition._isr_view",
         "max(log.high_watermark, self.leader_epoch_start_offset)", "log.high_watermark"),
        # Below min ISR a follower that keeps pace is beyond it.
        ("replica.in_sync_replicas", "_joins", "len(committed) >= view.min_isr", "True"),
    ),
    mutation(
        "CHECK 7, 8: stale fetch answers are taken",
        ("replica.fetcher", "Fetcher._one_answer", "or followed.position._replace(log_start_offset=asked.log_start_offset) != asked", ""),
        # One that follows nothing more is closed, and its last answer with it.
        ("replica.replica_fetcher_manager", "ReplicaFetcherManager.unfollow",
         "if not fetcher.followed:", "if False:"),
    ),
    mutation(
        "CHECK 9: broker epochs are compared neither in fetches nor in AlterPartition",
        (
            "replica.request_rules",
            "is_stale_follower",
            "return broker_epoch != -1 and",
            "return False and",
        ),
        (
            "replica.in_sync_replicas",
            "may_join",
            "and follower.broker_epoch in (-1, registration.epoch)",
            "",
        ),
        ("controller.replication_control", "_is_eligible", "epoch in (-1, broker.epoch)", "True"),
    ),
    mutation(
        "a follower does not truncate what diverges",
        ("replica.fetcher", "Fetcher._truncate", "partition, target, self.faults)",
         "partition, log.log_end_offset, self.faults)"),
    ),
    mutation(
        "a follower truncates one record too few",
        ("replica.fetcher", "Fetcher._truncate", "partition, target, ",
         "partition, target + 1, "),
    ),
    mutation(
        "a follower learns the high watermark with records only",
        ("replica.fetcher", "Fetcher._append", "if log.update_high_watermark(data.high_watermark):",
         "if records and log.update_high_watermark(data.high_watermark):"),
    ),
    mutation(
        "a follower drops an answer where its log start moved meanwhile",
        ("replica.fetcher", "Fetcher._one_answer",
         "followed.position._replace(log_start_offset=asked.log_start_offset) != asked",
         "followed.position != asked"),
    ),
    mutation(
        "a follower that truncates is taken to have learned the high watermark",
        ("replica.fetch_session", "RequestedPartition.must_send",
         "None if answer.error_code or truncates else offsets", "None if answer.error_code else offsets"),
    ),
    # The controller
    mutation(
        "CHECK 1: a registration of another incarnation is taken for the same",
        ("controller.cluster_control", "register_broker",
         "known is not None and known.incarnation_id == request.incarnation_id",
         "known is not None"),
    ),
    mutation(
        "CHECK 9: broker epochs in AlterPartition are not compared",
        ("controller.replication_control", "_is_eligible", "epoch in (-1, broker.epoch)", "True"),
    ),
    mutation(
        "CHECK 10: partition epochs in AlterPartition are not compared",
        ("controller.replication_control", "_refusal",
         "if data.partition_epoch < current.partition_epoch:", "if False:"),
    ),
    mutation(
        "neither partition nor leader epochs in AlterPartition are compared",
        ("controller.replication_control", "_refusal",
         "if data.partition_epoch < current.partition_epoch:", "if False:"),
        ("controller.replication_control", "_refusal",
         "if data.leader_epoch < current.leader_epoch:", "if False:"),
    ),
    mutation(
        "E7: an unclean shutdown is believed to be clean",
        ("controller.cluster_control", "_end_former_incarnation",
         "request.previous_broker_epoch == known.epoch", "True"),
    ),
    mutation(
        "E7 off: a broker that ended uncleanly leaves the ISR, but may be in the ELR",
        ("controller.replication_control", "removal_after_unclean_shutdown",
         "unclean_shutdown=(broker_id,),", ""),
    ),
    mutation(
        "C3: any epoch of a clean shutdown is good enough",
        ("controller.cluster_control", "_end_former_incarnation",
         "request.previous_broker_epoch == known.epoch", "request.previous_broker_epoch >= 0"),
    ),
    mutation(
        "E5: the ELR stays at min ISR",
        ("controller.partition_change", "_Change.write_elr",
         "if len(self.isr) >= self.min_isr:", "if False:"),
        ("controller.partition_change", "_Change.choose_elr",
         "not self.context.elr_enabled or len(self.isr) >= self.min_isr",
         "not self.context.elr_enabled"),
    ),
    mutation(
        "H6: partition 0 decides the effective min ISR of all partitions",
        ("controller.view", "View.change",
         "min_insync_replicas=self.min_insync_replicas(found.topic.name)",
         ("min_insync_replicas=min(self.min_insync_replicas(found.topic.name),\n"
         "                    len(found.topic.partitions[0].replicas))")),
    ),
    mutation(
        "E5: each replica outside the ISR is eligible",
        ("controller.partition_change", "_Change.choose_elr",
         "for x in sorted({*self.current.elr, *self.current.isr})", "for x in sorted(self.replicas)"),
    ),
    mutation(
        "E8: a broker that is removed from the ELR is forgotten",
        ("controller.partition_change", "_Change.choose_elr",
         "self.thrown_out = tuple(sorted({*self.thrown_out, *added}))", "pass"),
    ),
    mutation(
        "L1: any live replica may lead",
        ("controller.election", "elect", "return replica in eligible and acceptable(replica)",
         "return acceptable(replica)"),
    ),
    mutation(
        "L8: unclean leaders are not marked",
        ("controller.partition_change", "_Change.elect",
         "LeaderRecoveryState(int(elected.unclean))", "LeaderRecoveryState.RECOVERED"),
    ),
    mutation(
        "L8: an unclean leader keeps the ISR",
        ("controller.partition_change", "_Change.elect",
         "self.isr, self.elr = (elected.leader,), ()",
         "self.isr, self.elr = (elected.leader, *self.current.replicas[:1]), ()"),
    ),
    # Elections
    mutation(
        "L6: unclean elections ignore the topic's setting",
        ("controller.view", "View.election",
         "Election.UNCLEAN if self.unclean_allowed(topic) else Election.ONLINE",
         "Election.UNCLEAN"),
    ),
    mutation(
        "L2: ELR members are never elected",
        ("controller.election", "elect", "eligible = candidates.isr or candidates.elr",
         "eligible = candidates.isr"),
    ),
    mutation(
        "L6: the last known leader leads although an ELR exists",
        ("controller.election", "_last_known_may_lead",
         "not candidates.isr and not candidates.elr and", "not candidates.isr and"),
    ),
    mutation(
        "L4: strategy None recovers by itself",
        ("controller.election", "recovery_step", "if strategy is Strategy.NONE:", "if False:"),
    ),
    mutation(
        "L3: recovery does not wait for the ELR",
        ("controller.election", "recovery_step", "if eligible:", "if False:"),
    ),
    # Unclean recovery
    mutation(
        "U4: epochs in answers are not compared",
        ("controller.unclean_recovery", "UncleanRecoveryManager.answered",
         "if not is_registered or row.error_code or row.current_leader_epoch != case.leader_epoch:",
         "if row.error_code:"),
    ),
    mutation(
        "U5: Balanced does not wait for the last known ELR",
        ("controller.unclean_recovery", "UncleanRecoveryManager._decide",
         "needed=tuple(needed),", "needed=(),"),
        ("controller.unclean_recovery", "UncleanRecoveryManager._decide",
         "expected=len(registration.replicas),", "expected=1,"),
    ),
    mutation(
        "U6: the shortest log wins",
        ("controller.election", "recovery_winner", "return max(answers", "return min(answers"),
    ),
    mutation(
        "U8: answers outlive the process that gave them",
        ("controller.unclean_recovery", "_answer_survives",
         "return was.epoch == now.epoch and not (now.fenced and not was.fenced)", "return True"),
        ("controller.unclean_recovery", "UncleanRecoveryManager._decide",
         "if acceptable(x) and brokers[x].epoch == answer.broker_epoch", "if acceptable(x)"),
    ),
    # Disks
    mutation(
        "C2: the clean shutdown file is left in place",
        ("log.directories.directory_loading", "load_directory", "home.disk.remove(CLEAN_SHUTDOWN)", "pass"),
    ),
    mutation(
        "C4: logs are not recovered after an unclean end",
        ("log.directories.log_directory", "LogDirectory.was_clean",
         "return self.clean_shutdown_epoch is not None and self.clean_shutdown_epoch >= 0",
         "return True"),
        # Without it, what was written after the last flush shows that the end was unclean.
        ("log.directories.directory_loading", "_open_clean",
         "if not is_damaged or not goes_beyond(disk, folder, flushed):", "if True:"),
        ("log.directories.directory_loading", "_open_clean",
         "if log.last_batch_end_offset <= flushed and not log.segments.active.torn_bytes:", "if True:"),
    ),
    mutation(
        "C4: checksums are not checked in recovery",
        ("log.segment.segment_indexes", "SegmentIndexes.read_log", "if verify:", "if False:"),
    ),
    mutation(
        "the metadata log is believed to be whole",
        ("raft.metadata_storage", "open_metadata_log",
         "CheckpointedOffsets(clean=False, recovery_point=recovery_point)", "CheckpointedOffsets(clean=True)"),
    ),
    mutation(
        "R1: checksums of the metadata log are not checked",
        ("raft.metadata_storage", "check_batch", "check_crc(content, position, header)", "pass"),
    ),
    mutation(
        "a metadata snapshot has its name before it is on disk",
        ("raft.snapshot_writer", "SnapshotWriter.run", "self._file.sync()", "pass"),
    ),
    mutation(
        "the metadata log is cut beyond its snapshot",
        ("raft.snapshot_retention", "SnapshotRetention.clean",
         "log.delete_before(newer.snapshot_id.end_offset, now)",
         "log.roll(now) or log.delete_before(self.raft.high_watermark, now)"),
    ),
    mutation(
        "R1: damage to committed metadata is cut off",
        ("raft.metadata_storage", "open_metadata_log", "_verify(disk, recovery_point)", "pass"),
        ("raft.metadata_storage", "open_metadata_log", "log.log_end_offset < recovery_point",
         "False"),
        ("log.segment.segment", "Segment.recover", "if next_offset < flushed_to or", "if"),
    ),
    mutation(
        "retention takes what is not committed",
        ("log.retention", "deletable", "next_base > high_watermark or ", ""),
    ),
    mutation(
        "retention keeps less than is asked",
        ("log.retention", "deletable", "excess >= segment.size", "excess >= 0"),
    ),
    mutation(
        "metadata is committed before it is on disk",
        ("raft.raft_node", "RaftNode._advance_high_watermark", "self._flusher.flushed_offset",
         "self.log.end_offset"),
    ),
    # The quorum
    mutation(
        "quorum: a vote is forgotten by a restart",
        ("raft.quorum_state", "QuorumState.vote_for", "self._persist(", "self._election = ("),
    ),
    mutation(
        "quorum: a vote ignores what the candidate's log lacks",
        ("raft.vote_rules", "grants_vote", "has_records = ", "has_records = True or "),
    ),
    mutation(
        "quorum: a minority commits",
        ("raft.quorum_offset", "majority_offset", "[len(end_offsets) // 2]", "[0]"),
    ),
    mutation(
        "quorum: a follower reports what it has not flushed",
        ("raft.flusher", "MetadataFlusher.flush_then", "if not self._is_flushing:", "if True:"),
        ("raft.flusher", "MetadataFlusher._call_back", "DurableEnd(self.flushed_offset)",
         "DurableEnd(self.log.log_end_offset)"),
    ),
    mutation(
        "quorum: a follower commits what it has not compared",
        ("raft.metadata_fetcher", "MetadataFetcher._take", "high_watermark = -1", "pass"),
    ),
    mutation(
        "quorum: a vote is written after the answer",
        ("raft.elections", "QuorumElections.grant_vote",
         "self.quorum.vote_for(asked.replica_id, asked.replica_directory_id)",
         ("self.quorum._election = vote = self.quorum._election._replace("
         "voted_id=asked.replica_id, voted_directory_id=asked.replica_directory_id); "
         "self.env.after(1, lambda: self.quorum._election is vote and self.quorum._persist(vote))")),
    ),
    mutation(
        "quorum: a leader does not notice that no voter fetches",
        ("raft.elections", "QuorumElections._lost_quorum", "self.resign()", "self._check_quorum()"),
    ),
    mutation(
        "quorum: elections without pre-votes",
        ("raft.elections", "QuorumElections._start_votes", "if state.votes.is_won:",
         "if is_pre_vote or state.votes.is_won:"),
    ),
    mutation(
        "quorum: a controller that has resigned answers",
        ("raft.raft_node", "RaftNode.on_role", "self._listener.on_resign()", "pass"),
        ("controller.quorum_controller", "QuorumController.is_active",
         "and self.raft.is_leader and self.raft.epoch == self._epoch", ""),
    ),
    mutation(
        "quorum: a new leader announces its predecessor's high watermark",
        ("raft.raft_node", "RaftNode.announced_high_watermark",
         "return known if known > self.epoch_start_offset else -1", "return known"),
    ),
    mutation(
        "quorum: voters hold from their commit on",
        ("raft.quorum_state", "QuorumState.voters", "return self.history.voters",
         "return self.history.at(self.committed_offset)[0]"),
    ),
    mutation(
        "quorum: voters that were truncated stay",
        ("raft.voter_history", "VoterHistory.truncate", "self._voters.truncate(end_offset)", "pass"),
    ),
    mutation(
        "quorum: voters change before the last change is committed",
        ("raft.voter_changes", "VoterChanges._check_no_other", "if self._pending is not None:",
         "if False:"),
        ("raft.voter_changes", "VoterChanges._check_no_other",
         "if self.quorum.history.voters_offset >= high_watermark:", "if False:"),
    ),
    mutation(
        "quorum: a voter whose removal is not committed waits",
        ("raft.quorum_state", "QuorumState.may_be_candidate", "return self.is_voter or (",
         "return self.is_voter or False and ("),
    ),
    mutation(
        "the controller answers before the commit",
        ("serving.commit", "commit", "lambda: controller.epoch != epoch or controller.is_committed(offset, epoch)",
         "lambda: True"),
        ("serving.commit", "commit",
         "if controller.epoch != epoch or not controller.is_committed(offset, epoch):",
         "if controller.epoch != epoch:"),
    ),
    # Clients
    mutation(
        "consumers read above the high watermark",
        ("replica.fetch_read", "ConsumerReader.upper_bound", "else log.high_watermark",
         "else log.log_end_offset"),
    ),
    mutation(
        "a fetch leaves a batch out",
        ("replica.fetch_read", "FetchRead._read_partition", "offset = wanted.fetch_offset",
         "offset = wanted.fetch_offset + (reader.broker_id < 0 and wanted.fetch_offset % 5 == 0)"),
    ),
    mutation(
        "a rebalance without a joined member waits again and again",
        ("group.rebalance", "Rebalance._complete_join",
         "if group.members and not group.elect_joined_leader():",
         ("if group.members and not group.elect_joined_leader():\n"
         "        group.join_timer = self.env.after(\n"
         "            group.rebalance_timeout_ms, partial(self._join_timed_out, group))")),
    ),
    mutation(
        "a group's commit does not replace the one before",
        ("group.offsets", "_put", "partitions[partition] = value",
         "partitions.setdefault(partition, value)"),
    ),
    mutation(
        "a flush of a deleted log is a fault of its disk",
        ("log.flush", "FlushRequest.run", "if not self.ledger.is_retired:", "if True:"),
    ),
    mutation(
        "C4: the lost end of a segment is taken for a gap",
        ("log.recovery.log_loader", "LogLoader._lost_its_end",
         "return following.base_offset > end_offset and self._is_unflushed(following)",
         "return False"),
    ),
    mutation(
        "queued appends are appended as they are validated",
        ("replica.append_queue", "_queue", "while queued and queued[0].validated is not None:",
         "if True:"),
        ("replica.append_queue", "_queue", "queued.popleft()", "queued.remove(item) or item"),
    ),
    mutation(
        "a flush speaks of what was written after a truncation",
        ("log.local_log", "LocalLog.truncate_to", "self.flushes.truncated()", "pass"),
        ("log.local_log", "LocalLog.truncate_fully_and_start_at",
         "self.flushes.truncated()", "pass"),
    ),
    mutation(
        "a truncation is not synced",
        ("log.local_log", "LocalLog.truncate_to", "active.file.sync()", "pass"),
    ),
    mutation(
        "a batch is a duplicate where its last sequence is known",
        ("log.producers.producer_state", "_duplicate",
         "and batch.offset_delta == header.last_offset_delta", ""),
    ),
    mutation(
        "sequence numbers are not checked",
        ("log.producers.producer_state", "ProducerState.check", "if entry is None:", "if True:"),
    ),
    # Disks
    mutation(
        "batches that a disk has damaged are served",
        ("log.segment.segments", "Segments.read", "if position < segment.found_bytes:", "if False:"),
    ),
    mutation(
        "a failed flush is tried again, and believed",
        ("replica.log_flusher", "LogFlusher._flushed",
         "if fault is not None:\n        self.faults.take_offline(fault)",
         ("if fault is not None:\n        log.flushes.failed = None\n"
         "        log.not_flushed(request)\n        self.flush(log)\n        return")),
    ),
    mutation(
        "C1: a flush that failed before a stop is forgotten",
        ("log.flush", "FlushLedger.take", "if self.failed is not None:", "if False:"),
    ),
    mutation(
        "a log goes on after an append that failed",
        ("apis._produce_outcomes", "append_failed", "ctx.broker.replicas.take_offline(fault)", "pass"),
    ),
    *LOG_DIR_MUTATIONS, *SESSION_MUTATIONS, *TRANSACTION_MUTATIONS, *GROUP_MUTATIONS,
    *COMPACTION_MUTATIONS, *FOLLOWER_READ_MUTATIONS,
)  # fmt: skip

LIVENESS_ALONE = {
    "CHECK 2: a fetch goes on in the leader epoch in which it began":
        "each leader refuses the old epoch, so the follower copies nothing, and nothing wrong",
    "a follower does not truncate what diverges":
        "the leader answers each fetch with the divergence, and no record follows it",
    "a follower truncates one record too few":
        "as above: the leader compares the epoch of the last record before it sends more",
    "L2: ELR members are never elected":
        "no leader is elected at all; that one must be is liveness (`owed_leader`)",
    "KIP-858: the failure of a directory is not reported":
        "a leader that cannot write to its log serves nothing, so that nothing wrong is read",
    "quorum: a voter whose removal is not committed waits":
        "no voter can be elected, so nothing is committed that could be wrong",
    **GROUP_LIVENESS,
}  # fmt: skip
"""Mutants that no safety rule can kill, since they stop progress and nothing else; and why."""
