"""Guards that a unit test holds, since no plan of the simulator was found that needs them.

    python -m tests.unit_mutations NAME

Runs the test that is named for a mutation, with the guard removed; the test must fail.
"""

import sys

import pytest

from tests.mutation import UnitMutation, applied, mutation
from tests.unit_compaction_mutations import UNIT_COMPACTION_MUTATIONS
from tests.unit_group_mutations import UNIT_GROUP_MUTATIONS
from tests.unit_log_mutations import UNIT_LOG_MUTATIONS
from tests.unit_quorum_mutations import UNIT_QUORUM_MUTATIONS
from tests.unit_token_mutations import UNIT_TOKEN_MUTATIONS

UNIT_MUTATIONS = (
    *UNIT_COMPACTION_MUTATIONS,
    *UNIT_GROUP_MUTATIONS,
    *UNIT_LOG_MUTATIONS,
    *UNIT_QUORUM_MUTATIONS,
    *UNIT_TOKEN_MUTATIONS,
    UnitMutation(
        mutation(
            "an acks=all append outlives its leader epoch",
            ("replica.request_rules", "append_outcome",
             " or partition.leader_epoch != leader_epoch:", ":"),
        ),
        "tests/unit/replica/test_request_rules.py"
        "::test_append_that_outlives_its_leader_epoch_is_not_acknowledged",
        "a leader that misses that another one led keeps its log: what waits in it is still there",
    ),
    UnitMutation(
        mutation(
            "a follower far behind joins an ISR below min ISR",
            ("replica.in_sync_replicas", "_joins", "if not is_enough and", "if False and"),
        ),
        "tests/simulation/test_followers.py"
        "::test_a_follower_that_returns_below_min_isr_joins_once",
        "no check of the simulator counts how often a follower joins",
    ),
    UnitMutation(
        mutation(
            "answers to a proposal of another partition epoch are taken",
            ("replica.partition", "Partition._is_current",
             "and self.partition_epoch == proposal.partition_epoch", ""),
        ),
        "tests/unit/replica/test_isr_proposals.py"
        "::test_refusal_of_a_proposal_of_an_older_partition_epoch_is_ignored",
        "the same ISR must be proposed again while the refusal of the first is on its way",
    ),
    UnitMutation(
        mutation(
            "a loaded group goes back to offsets that were above the high watermark when read",
            ("group.replay", "GroupReplay._commit", "journal.is_waiting or ", ""),
        ),
        "tests/unit/coordinator/test_loading.py"
        "::test_the_high_watermark_may_move_during_a_load",
        "the high watermark seldom moves over two slices of a load; one of 1,813 seeds found it",
    ),
    UnitMutation(
        mutation(
            "the journal of fsyncs keeps the synced size of a file that was truncated",
            ("server.sync_journal", "Durable.take",
             "self.sizes[path] = min(self.sizes[path], int(value))", "pass"),
        ),
        "tests/unit/server/test_sync_journal.py",
        "the simulator has disks without a journal",
    ),
    UnitMutation(
        mutation(
            "a power loss without ELR excuses losses of what was flushed",
            ("sim.checks.power_losses", "PowerLosses.lost", "0 if everything else end.recovery_point",
             "0"),
        ),
        "tests/unit/sim/checks/test_power_losses.py",
        "no mutant of the product loses flushed records without ELR by this rule alone",
    ),
    UnitMutation(
        mutation(
            "a loss is excused by its offset, not by its value",
            ("sim.checks.final_checks", "final_checks", "if each.holds(written.offset, written.value):",
             "if each.covers(written.offset):"),
        ),
        "tests/unit/sim/checks/test_checkers.py",
        "an unclean election and a mutant must lose records at the same offset",
    ),
    UnitMutation(
        mutation(
            "an unclean election may pass over members of ISR and ELR",
            ("sim.checks.election_checks", "unfit_election", "if able:", "if False:"),
        ),
        "tests/unit/sim/checks/test_election_checks.py",
        "a mutant that does so breaks E2 or L8 in the same change",
    ),
    UnitMutation(
        mutation(
            "a request of an operator excuses all recoveries that decide in its step",
            ("sim.checks.recovery_checks", "RecoveryChecks._check_decisions",
             "if len(problems) > max(0, len(led) - count):",
             "if problems and len(problems) == len(led):"),
        ),
        "tests/unit/sim/checks/test_recovery_checks.py",
        "a mutant that decides too early does so for single partitions, too",
    ),
    UnitMutation(
        mutation(
            "a leader commits without a record of its epoch",
            ("raft.quorum_offset", "next_quorum_high_watermark",
             "max(epoch_start_offset, current)", "current"),
        ),
        "tests/unit/raft/test_quorum_offset.py",
        "three leaders must fail at chosen points before the first record of an epoch is fetched",
    ),
    UnitMutation(
        mutation(
            "a snapshot replaces a longer log",
            ("raft.metadata_fetcher", "MetadataFetcher._fetch_snapshot",
             "if (snapshot_id.epoch, snapshot_id.end_offset) <= (", "if () > ("),
        ),
        "tests/unit/raft/test_following.py",
        "no leader offers a snapshot that a follower's log covers",
    ),
    UnitMutation(
        mutation(
            "committed metadata is truncated",
            ("raft.metadata_fetcher", "MetadataFetcher._truncate",
             "if target < self.listener.committed_offset:", "if False:"),
        ),
        "tests/unit/raft/test_following.py",
        "a leader that lacks committed metadata is not elected",
    ),
    UnitMutation(
        mutation(
            "a controller that is no voter fetches on before it has flushed",
            ("raft.metadata_fetcher", "MetadataFetcher._take",
             "if not self.quorum.is_controller:", "if not self.quorum.is_voter:"),
        ),
        "tests/unit/raft/test_following.py",
        "the record that makes it a voter must be committed with a fetch that it had not flushed",
    ),
    UnitMutation(
        mutation(
            "a marker that an epoch fences counts as written",
            ("transaction.marker_sender", "MarkerSender._judge", "if code in _WRITTEN:",
             "if code in _WRITTEN | _SUPERSEDED:"),
        ),
        "tests/unit/transaction/test_marker_sender.py",
        "only a deposed coordinator is fenced, and the record with which it ends is not committed",
    ),
    UnitMutation(
        mutation(
            "a lost decision excuses the transactions of all ids",
            ("sim.checks.transaction_losses", "TransactionLosses.decisions",
             "is_excused=transactional_id in self._ids", "is_excused=bool(self._ids)"),
        ),
        "tests/unit/sim/checks/test_transaction_losses.py",
        "a mutant must break the outcome of one id in a run that rightly loses a decision of another",
    ),
    UnitMutation(
        mutation(
            "decisions may be lost without an unclean election",
            ("sim.checks.transaction_losses", "TransactionLosses.decisions",
             "if self.checkers.may_lose_decisions(where)", "if True"),
        ),
        "tests/unit/sim/checks/test_transaction_losses.py",
        "DecisionsAreKept reports the same loss",
    ),
    UnitMutation(
        mutation(
            "a process may delete anything in its last step",
            ("sim.checks.retention_checks", "RetentionChecks.process_ended",
             "0 <= self.retention_bytes <= sum(sizes.values())", "True"),
        ),
        "tests/unit/sim/checks/test_retention_checks.py",
        "a mutant must delete too much in a step that a crash interrupts, and never before",
    ),
    UnitMutation(
        mutation(
            "a process may delete uncommitted records in its last step",
            ("sim.checks.retention_checks", "RetentionChecks.process_ended",
             "start <= seen.high_watermark", "True"),
        ),
        "tests/unit/sim/checks/test_retention_checks.py",
        "a mutant must do so in a step that a crash interrupts, and never before",
    ),
    UnitMutation(
        mutation(
            "a leader that missed a change knows followers that may have been added again",
            ("replica.partition", "Partition.apply",
             "registration.replicas if is_next else registration.isr", "registration.replicas"),
        ),
        "tests/unit/replica/test_partition.py"
        "::test_a_leader_that_missed_a_change_knows_only_members_of_the_isr[2]",
        "the leader must be cut off while a replica is dropped, added, and fetches nothing",
    ),
    UnitMutation(
        mutation(
            "a start goes on with a snapshot that it cannot read",
            ("raft.metadata_storage", "_snapshot_after", "raise damaged(", "if False: raise damaged("),
        ),
        "tests/unit/raft/test_metadata_storage.py"
        "::test_a_damaged_snapshot_that_has_more_than_the_log_stops_the_start[0-9]",
        "`restore` refuses the same snapshot if there is no other",
    ),
    UnitMutation(
        mutation(
            "a snapshot of a newer epoch that ends before the log does not replace it",
            ("raft.metadata_storage", "_snapshot_after",
             "snapshot_id.epoch > (log.latest_epoch or 0)", "False"),
        ),
        "tests/unit/raft/test_metadata_storage.py"
        "::test_a_log_of_older_epochs_than_the_snapshot_is_replaced",
        "a power loss must bring back the log that a fetched snapshot has replaced",
    ),
    UnitMutation(
        mutation(
            "a move that lacks descriptors goes on without its future log",
            ("replica.log_dir_moves", "LogDirMoves._step",
             'self._cancel(at, move, "the copy was closed, and could not be opened again")', "pass"),
        ),
        "tests/unit/replica/test_log_dir_moves.py"
        "::test_a_move_whose_copy_cannot_be_opened_again_ends",
        "descriptors must be lacking within the step that ends a move",
    ),
    UnitMutation(
        mutation(
            "quorum: a start believes a vote that is not durable",
            ("raft.quorum_state", "QuorumState.load", "self.disk.sync_dir(METADATA_FOLDER)",
             "pass"),
        ),
        "tests/unit/raft/test_quorum_state.py"
        "::test_an_epoch_that_a_start_has_read_survives_a_power_loss",
        "a kill must hit the rename of the file, and a power loss the next process",
    ),
    UnitMutation(
        mutation(
            "a broker whose copies are displaced stays in ISR and ELR",
            ("log.directories.settling", "settle", "*displaced, may_come_back=True, is_unreported=True",
             "*displaced, may_come_back=True"),
        ),
        "tests/unit/log/directories/test_settling.py"
        "::test_the_controller_may_not_know_of_a_log_that_an_interrupted_move_has_left",
        "a broker must stop between the report of a move and the swap, and lose a directory",
    ),
    UnitMutation(
        mutation(
            "a request for the present directory removes the copy at once",
            ("replica.log_dir_moves", "LogDirMoves._cancel",
             "may_be_registered or not move.source.is_online", "not move.source.is_online"),
        ),
        "tests/unit/replica/test_log_dir_moves.py"
        "::test_a_copy_stays_until_the_controller_has_the_former_directory_again",
        "a broker must be killed before the controller answers, and lose a directory",
    ),
    UnitMutation(
        mutation(
            "a move that ends early removes the copy of an earlier one",
            ("replica.log_dir_moves", "LogDirMoves._cancel",
             "move.is_reported or self._registered_elsewhere(move)",
             "move.is_reported"),
        ),
        "tests/unit/replica/test_log_dir_moves.py"
        "::test_a_move_that_ends_early_keeps_the_copy_of_an_earlier_one",
        "a broker must be killed before the controller answers, and lose a directory",
    ),
    UnitMutation(
        mutation(
            "a swap follows the metadata, which may be older than what was accepted",
            ("replica.log_dir_moves", "LogDirMoves._report", "if not self._reports:",
             "if not self._reports or not self._registered_elsewhere(move):"),
        ),
        "tests/unit/replica/test_log_dir_moves.py::test_the_swap_waits_for_the_metadata",
        "two kills and the loss of a directory must follow within milliseconds",
    ),
    UnitMutation(
        mutation(
            "a topic is made before the checkpoints have forgotten the former one",
            ("log.directories.log_directory", "LogDirectory.retire", "self.make_durable()", "pass"),
        ),
        "tests/unit/replica/test_removed_logs.py"
        "::test_a_topic_of_the_same_name_waits_for_descriptors",
        "a topic must be created again without descriptors, and the broker be killed",
    ),
    UnitMutation(
        mutation(
            "a removed log whose directory fails is taken for a replica",
            ("log.directories.log_manager", "LogManager.take_offline", "lost += directory.logs",
             "lost += directory.folders.partitions"),
        ),
        "tests/unit/replica/test_removed_logs.py"
        "::test_a_removed_log_whose_directory_fails_is_no_replica",
        "descriptors must be missing at a deletion, and the directory fail within a second",
    ),
    UnitMutation(
        mutation(
            "the failure of a former log's directory takes a new log offline",
            ("replica.replica_manager", "ReplicaManager._change",
             "if was_online and name not in self.hosted.offline:", "if False:"),
        ),
        "tests/unit/replica/test_removed_logs.py"
        "::test_a_removed_log_does_not_take_its_successor_offline",
        "a topic must be created again when the directory of the former log fails",
    ),
    UnitMutation(
        mutation(
            "every wait for descriptors has a timer of its own",
            ("replica.pace", "Pace.postpone", "if not self._resumes:", "if True:"),
        ),
        "tests/unit/replica/test_pace.py"
        "::test_an_item_that_is_dropped_and_postponed_again_has_one_timer",
        "no record is at risk",
    ),
    UnitMutation(
        mutation(
            "the timeout of a loaded transaction counts from its start in the future",
            ("transaction.shard", "TransactionShard.take_over",
             "started_by(transaction, now_ms)", "transaction"),
        ),
        "tests/unit/transaction/test_expiration.py"
        "::test_the_timeout_counts_from_a_failover_to_a_clock_that_is_behind",
        "two coordinators in a row need clocks that differ by more than the bound",
    ),
)  # fmt: skip


def main():
    """Run one test with its guard removed; the exit status is that of pytest."""
    (found,) = [each for each in UNIT_MUTATIONS if each.name == sys.argv[1]]
    # Plain: the package was imported before pytest could rewrite its assertions.
    options = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header"]
    options += ["--assert", "plain"]
    with applied(found.mutation):
        return pytest.main([*options, found.test])


if __name__ == "__main__":
    sys.exit(main())
