"""The targets of all members, computed for one epoch of the group.

An assignor works in pieces. If all of them fit into the step of the heartbeat that starts it, its
member is told at once; a long one goes on in later steps, and members learn of it with their next
heartbeats.

Source: `TargetAssignmentBuilder`, `GroupMetadataManager.maybeUpdateTargetAssignment`.
"""

from typing import Final

from minikafka.common.ids import Uuid
from minikafka.group.consumer import records
from minikafka.group.consumer.assignors.spec import Computing, GroupSpec, Subscriber, Targets
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import Partitions
from minikafka.group.consumer.world import GroupWorld

_NOTHING: Final[Partitions] = {}


def is_due(group: ConsumerGroup, world: GroupWorld) -> bool:
    """True if the targets are for an earlier epoch, and the last ones are old enough."""
    if group.epoch <= group.assignment_epoch:
        return False
    interval_ms = world.settings.assignment_interval_ms
    if not group.assigned_at_ms or not interval_ms:
        return True
    # The clock of the coordinator that has assigned them may have been ahead.
    return not 0 <= world.now_ms - group.assigned_at_ms < interval_ms


def begin(group: ConsumerGroup, world: GroupWorld) -> Computing:
    """Start to compute the targets for the group's epoch."""
    preferred = group.preferred_assignor
    assignor = world.assignors.get(preferred or "") or world.assignors[world.default_assignor]
    return assignor.assign(spec_of(group, world))


def spec_of(group: ConsumerGroup, world: GroupWorld) -> GroupSpec:
    """Return the group as an assignor gets it."""
    ids: dict[frozenset[str], frozenset[Uuid]] = {}
    subscribers = {}
    # By id: the result depends on who is there, and not on who came first.
    for member_id, member in sorted(group.members.items()):
        names = group.topics_of(member)
        topics = ids.get(names)
        if topics is None:
            topics = ids[names] = world.topic_ids(names)
        subscribers[member_id] = Subscriber(member.instance_id, topics, group.target(member_id))
    wanted = frozenset().union(*ids.values()) if ids else frozenset()
    known = world.image.topics
    counts = {topic_id: len(known[topic_id].partitions) for topic_id in sorted(wanted)}
    return GroupSpec(subscribers, counts, group.is_homogeneous)


def write(draft: Draft, targets: Targets, epoch: int, now_ms: int) -> None:
    """Write the targets that changed, of members that are still there, and the epoch of all."""
    group = draft.group
    group_id = group.group_id
    changed = []
    for member_id in group.members:
        target = targets.get(member_id, _NOTHING)
        before = group.targets.get(member_id)
        if before is None or not _same(before, target):
            changed.append(records.target_record(group_id, member_id, target))
    draft.write_all(changed)
    draft.write(records.assignment_epoch_record(group_id, epoch, now_ms))


def _same(one: Partitions, other: Partitions) -> bool:
    return one.keys() == other.keys() and all(one[each] == other[each] for each in one)
