"""Weakenings of the guards of consumer groups; `mutations.py` has all others."""

from tests.mutation import mutation

GROUP_MUTATIONS = (
    # Owners
    mutation(
        "KIP-848: a member gets partitions that another one has",
        ("group.consumer.reconciliation", "Reconciliation._is_free",
         "return not self.has_owner(topic_id, index)", "return True"),
    ),
    mutation(
        "KIP-848: the coordinator does not wait until partitions are released",
        ("group.consumer.reconciliation", "Reconciliation._still_owns",
         "if self.owned is None:", "if True:\n        return False\n    if self.owned is None:"),
    ),
    mutation(
        "KIP-848: classic members own nothing after the upgrade of their group",
        ("group.migration", "_upgraded_member", "if topic_id is not None:", "if False:"),
    ),
    mutation(
        "KIP-848: a static member takes over from one that has not left",
        ("group.consumer.heartbeat", "_find_or_join_static",
         "if existing.epoch != AWAY_EPOCH and not existing.is_classic:", "if False:"),
    ),
    # Commits
    mutation(
        "KIP-848: members in past epochs commit",
        ("group.consumer.commits", "_require_epoch", "if epoch == member.epoch:",
         "if epoch <= member.epoch or member.epoch < 0:"),
    ),
    mutation(
        "KIP-848: members that have left commit",
        ("group.consumer.commits", "require_may_commit", "member = group.member(by.member_id)",
         ("if by.member_id not in group.members:\n        return\n"
          "    member = group.member(by.member_id)")),
    ),
    # Progress
    mutation(
        "KIP-848: a member that never releases stays",
        ("group.consumer.groups", "ConsumerGroups.watch_revocation",
         "if member.state is MemberState.UNREVOKED_PARTITIONS and not member.is_classic:",
         "if False:"),
    ),
    mutation(
        "KIP-848: a member that is silent stays",
        ("group.consumer.groups", "ConsumerGroups._expired",
         "if not self.store.shard.serves:", "if timeout.epoch is None:"),
    ),
    mutation(
        "KIP-848: new partitions start no epoch",
        ("group.consumer.heartbeat", "bump_epoch",
         "if has_changed or metadata_hash != group.metadata_hash:", "if has_changed:"),
    ),
    # Writes
    mutation(
        "KIP-848: each heartbeat writes a record",
        ("group.consumer.heartbeat", "subscribe", "if updated != member:", "if True:"),
    ),
)  # fmt: skip

GROUP_LIVENESS = {
    "KIP-848: a member that never releases stays":
        "others wait for its partitions, which they may not have as long as it stays",
    "KIP-848: a member that is silent stays": "as above",
    "KIP-848: new partitions start no epoch":
        "what no member has been given can have no wrong owner",
}  # fmt: skip
"""Mutants that only liveness kills, and why."""
