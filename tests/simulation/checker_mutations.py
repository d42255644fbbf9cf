"""Weakenings of one checker each: an excuse that is wider than the promise, or a check left out.

`checker_killers` keeps, for each, a plan in which the checker objects to a mutant of the product,
and does not object while it is weakened. Those that no plan finds are in `unit_mutations`.
"""

from typing import NamedTuple

from tests.mutation import Mutation, mutation


class CheckerMutation(NamedTuple):
    """A weakened checker, and the rules that it may be silent about."""

    mutation: Mutation
    rules: tuple[str, ...]

    @property
    def name(self):
        """What is weakened."""
        return self.mutation.name


CHECKER_MUTATIONS = (
    CheckerMutation(
        mutation(
            "an unclean election excuses what is lost after it",
            ("sim.checks.replica_checks", "ReplicaChecks.leader", "known.is_open = False", "pass"),
            ("sim.checks.replica_checks", "ReplicaChecks._lose", "if batch.leader_epoch >= by_epoch:",
             "if False:"),
        ),
        ("LeaderCandidateCompleteness", "LeaderCompleteness"),
    ),
    CheckerMutation(
        mutation(
            "a power loss excuses losses with ELR",
            ("sim.checks.power_losses", "PowerLosses.excuses", "or not gap.elr_was_off", ""),
        ),
        ("LeaderCandidateCompleteness", "LeaderCompleteness", "WeakIsr"),
    ),
    CheckerMutation(
        mutation(
            "an unclean election needs no reason",
            ("sim.checks.election_checks", "unfit_election",
             "if not moment.eligible and leader == moment.last_known_leader:", "if True:"),
        ),
        ("L6",),
    ),
    CheckerMutation(
        mutation(
            "a leader's own view is not checked",
            ("sim.checks.replica_checks", "ReplicaChecks._check_own_isr",
             "if len(isr.committed) < partition.min_isr:", "return\n    if False:"),
        ),
        ("H1", "H2"),
    ),
    CheckerMutation(
        mutation(
            "retention may take anything",
            ("sim.checks.retention_checks", "RetentionChecks.check",
             "start <= max(self.trimmed.get(where, 0), self._begin_of_leader(partition))", "True"),
        ),
        ("retention",),
    ),
    CheckerMutation(
        mutation(
            "old records need not be old",
            ("sim.checks.final_checks", "final_checks",
             "if written.offset < checkers.retention.trimmed.get(where, 0):", "if True:"),
        ),
        ("lost",),
    ),
    CheckerMutation(
        mutation(
            "a recovery point is believed",
            ("sim.checks.durability_checks", "DurabilityChecks.check",
             "flushed_size is not None and file.durable_size < flushed_size", "False"),
        ),
        ("flushed",),
    ),
)  # fmt: skip
