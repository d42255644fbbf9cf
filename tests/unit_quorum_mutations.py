"""The guards of `unit_mutations` in quorum, controller and directories."""

from tests.mutation import UnitMutation, mutation

UNIT_QUORUM_MUTATIONS = (
    UnitMutation(
        mutation(
            "a voter that lost only its quorum-state is taken for one that has never started",
            ("raft.metadata_storage", "note_first_start",
             "if names == [SnapshotId(0, 0).file_name]:", "if SnapshotId(0, 0).file_name in names:"),
        ),
        "tests/unit/raft/test_forgotten_votes.py"
        "::test_a_voter_of_a_dynamic_quorum_that_lost_only_its_vote_has_forgotten",
        "a voter must lose the file between its first vote and its first fetch",
    ),
    UnitMutation(
        mutation(
            "a leader changes voters with what former leaders committed",
            ("raft.voter_changes", "VoterChanges._check_no_other",
             "if high_watermark <= self.log.epoch_start_offset:",
             "if high_watermark < self.log.epoch_start_offset:"),
        ),
        "tests/unit/raft/test_voter_changes.py"
        "::test_what_former_leaders_committed_is_no_record_of_the_new_epoch",
        "the high watermark must end where the epoch begins",
    ),
    UnitMutation(
        mutation(
            "the removal of a snapshot forgets the voters before a change",
            ("raft.snapshot_retention", "SnapshotRetention.clean",
             "self.raft.quorum.history.forget(newer.snapshot_id.end_offset)",
             "self.raft.quorum.history.forget(log.end_offset)"),
        ),
        "tests/unit/raft/test_voter_changes.py"
        "::test_the_removal_of_snapshots_keeps_the_voters_before_a_change",
        "the change must be truncated after a snapshot was removed beside it",
    ),
    UnitMutation(
        mutation(
            "a snapshot has voters that may be truncated",
            ("raft.snapshotter", "Snapshotter._begin",
             "raft.quorum.history.at(snapshot_id.end_offset)",
             "(raft.quorum.history.voters, raft.quorum.history.kraft_version)"),
        ),
        "tests/unit/raft/test_voter_changes.py"
        "::test_a_snapshot_has_the_voters_of_its_end",
        "a snapshot must begin beside a change that is truncated later",
    ),
    UnitMutation(
        mutation(
            "the epoch at the start of the log is not compared",
            ("raft.metadata_reads", "_validate",
             "if fetch_offset == log.start_offset and last_fetched_epoch != earliest.epoch:",
             "if False:"),
        ),
        "tests/unit/raft/test_metadata_reads.py"
        "::test_a_follower_at_the_start_of_the_log_in_another_epoch_gets_the_snapshot",
        "a follower must end exactly where a log begins, in another epoch",
    ),
    UnitMutation(
        mutation(
            "one of five voters keeps the leader in office",
            ("raft.elections", "QuorumElections.voter_fetched",
             "if len(leader.heard & set(self.quorum.other_voters)) >= self._needed:",
             "if leader.heard & set(self.quorum.other_voters):"),
        ),
        "tests/unit/raft/test_elections.py"
        "::test_a_majority_of_four_and_five_voters_keeps_the_leader",
        "plans have three voters at most at a time",
    ),
    UnitMutation(
        mutation(
            "a leader that has removed itself counts itself",
            ("raft.elections", "QuorumElections._needed",
             "voters.majority - self.quorum.is_voter",
             "voters.majority - 1"),
        ),
        "tests/unit/raft/test_elections.py"
        "::test_a_leader_that_removes_itself_needs_a_majority_of_the_others",
        "one voter must be away while the removal waits",
    ),
    UnitMutation(
        mutation(
            "a voter measures what it lacks by a former leader",
            ("raft.forgotten_votes", "ForgottenVotes.search",
             "self._found = _UNKNOWN",
             "pass"),
        ),
        "tests/unit/raft/test_forgotten_votes.py"
        "::test_what_a_former_leader_had_is_no_measure_of_the_next_one",
        "the leader must change twice within two fetches of a wiped voter",
    ),
    UnitMutation(
        mutation(
            "a follower protects a leader that has ended its epoch",
            ("raft.elections", "QuorumElections.answer_end_epoch",
             "quorum.state.has_fetched = False",
             "pass"),
        ),
        "tests/unit/raft/test_elections.py"
        "::test_a_voter_whose_leader_ends_its_epoch_grants_pre_votes_at_once",
        "an election is later, no rule is broken",
    ),
    UnitMutation(
        mutation(
            "a restarted recovery keeps its first start",
            ("controller.unclean_recovery", "UncleanRecoveryManager._recover",
             "case.started_ms = self.env.clock.monotonic_ms",
             "case.started_ms = case.started_ms or self.env.clock.monotonic_ms"),
        ),
        "tests/unit/controller/test_recovery_restarts.py"
        "::test_a_recovery_that_restarts_waits_its_whole_time_again",
        "five minutes of a recovery are longer than a plan",
    ),
    UnitMutation(
        mutation(
            "any accepted directory lets a move swap its logs",
            ("replica.log_dir_moves", "LogDirMoves.accepted",
             "if move.state is MoveState.REPORTING and directory == move.target.directory_id:",
             "if move.state is MoveState.REPORTING:"),
        ),
        "tests/unit/replica/test_log_dir_moves.py"
        "::test_the_acceptance_of_another_directory_does_not_end_the_wait",
        "an answer must be older than the report of a move",
    ),
    UnitMutation(
        mutation(
            "only the first of two failed directories loses its replicas",
            ("controller.cluster_control", "_offline_directories",
             "for directory in () if moved else gone:",
             "for directory in () if moved else gone[:1]:"),
        ),
        "tests/unit/controller/test_directory_assignments.py"
        "::test_two_directories_that_fail_in_one_heartbeat_both_take_their_replicas_along",
        "two directories must fail within one heartbeat interval",
    ),
)  # fmt: skip
