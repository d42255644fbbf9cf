"""Guards of consumer groups that a unit test holds; `unit_mutations.py` has all others."""

from tests.mutation import UnitMutation, mutation

UNIT_GROUP_MUTATIONS = (
    UnitMutation(
        mutation(
            "a coordinator that takes over starts no sessions",
            ("group.consumer.groups", "ConsumerGroups.resume",
             "self.renew_session(group, member)", "pass"),
        ),
        "tests/unit/group/consumer/test_consumer_groups.py"
        "::test_a_coordinator_that_takes_over_removes_members_that_stay_silent",
        "the member must fall silent in the moment in which its coordinator changes",
    ),
    UnitMutation(
        mutation(
            "a removal of a member that cannot be written is forgotten",
            ("group.consumer.timeouts", "MemberTimeouts._end", "if not self.expired(timeout):",
             "if self.expired(timeout) is None:"),
        ),
        "tests/unit/group/consumer/test_consumer_groups.py"
        "::test_a_removal_that_cannot_be_written_is_tried_again",
        "the log must refuse the one record of the removal",
    ),
    UnitMutation(
        mutation(
            "a member that is heard of after its time, but before its turn, is removed",
            ("group.consumer.timeouts", "MemberTimeouts._stop", "self._due.pop(key, None)", "pass"),
        ),
        "tests/unit/group/consumer/test_consumer_groups.py"
        "::test_a_member_that_is_heard_of_before_its_turn_stays",
        "more sessions must end together than one step handles",
    ),
    UnitMutation(
        mutation(
            "a group takes more members than it may have",
            ("group.consumer.heartbeat", "require_room", "if len(group.members) >= most and",
             "if len(group.members) > most and"),
        ),
        "tests/unit/group/consumer/test_consumer_groups.py"
        "::test_a_full_group_takes_no_more_members",
        "the groups of plans have three members, and no bound",
    ),
)  # fmt: skip
