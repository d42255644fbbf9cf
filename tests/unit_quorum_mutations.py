"""The guards of `unit_mutations` in the packages `raft` and `controller`."""

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
)  # fmt: skip
