"""The changes of partitions between two polls of a cluster, with the reasons that can be seen."""

from collections.abc import Sequence

from minikafka.admin.partition_states import ClusterState, PartitionState

_NO_LEADER = -1


def cluster_changes(before: ClusterState, after: ClusterState) -> list[str]:
    """Return one line for each change."""
    lines = [f"broker {broker} is gone" for broker in _left(before.brokers, after.brokers)]
    lines += [f"broker {broker} is back" for broker in _left(after.brokers, before.brokers)]
    if before.quorum != after.quorum:
        lines.append(str(after.quorum or "the leader of the quorum is unknown"))
    for name, state in after.partitions.items():
        was = before.partitions.get(name)
        if was is None:
            lines.append(f"{name}: is new, leader {_shown(state.leader)}")
        else:
            lines += [f"{name}: {what}" for what in partition_changes(was, state)]
    lines += [f"{name}: is gone" for name in before.partitions if name not in after.partitions]
    return lines


def partition_changes(before: PartitionState, after: PartitionState) -> list[str]:
    """Return the changes of one partition, the leader first."""
    found = []
    if before.leader != after.leader:
        change = f"leader {_shown(before.leader)} → {_shown(after.leader)}"
        found.append(f"{change} ({_leader_reason(before, after)})")
    elif before.leader_epoch != after.leader_epoch:
        epochs = f"{before.leader_epoch} → {after.leader_epoch}"
        found.append(f"leader {_shown(after.leader)} stays, leader epoch {epochs}")
    for what, was, now in (
        ("the ISR", before.isr, after.isr),
        ("the ELR", before.elr, after.elr),
        ("LastKnownELR", before.last_known_elr, after.last_known_elr),
    ):
        found += [f"{broker} left {what}" for broker in _left(was, now)]
        found += [f"{broker} joined {what}" for broker in _left(now, was)]
    if before.replicas != after.replicas:
        found.append(f"replicas {_joined(before.replicas)} → {_joined(after.replicas)}")
    if before.is_recovering != after.is_recovering:
        found.append(
            "the leader recovers from an unclean election"
            if after.is_recovering
            else "the leader has recovered from an unclean election"
        )
    was_at, is_at = before.high_watermark, after.high_watermark
    if was_at is not None and is_at is not None and is_at < was_at:
        found.append(f"high watermark {was_at} → {is_at}: it went back")
    return found


def _leader_reason(before: PartitionState, after: PartitionState) -> str:
    old, new = before.leader, after.leader
    if new == _NO_LEADER:
        if old not in after.isr:
            return f"{old} left the ISR, and no other replica may lead"
        return f"{old} is not alive, and no other replica may lead"
    reasons = []
    if old != _NO_LEADER:
        reasons.append(_why_replaced(after, old, new))
    if new in before.isr:
        reasons += [] if reasons else [f"{new} is back and was in the ISR"]
    elif new in before.elr:
        reasons.append(f"{new} was in the ELR")
    elif after.is_recovering or not before.isr:
        reasons.append(f"unclean: {new} was in neither ISR nor ELR, records may be lost")
    else:
        reasons.append(f"{new} joined the ISR meanwhile")
    return "; ".join(reasons)


def _why_replaced(after: PartitionState, old: int, new: int) -> str:
    if old not in after.replicas:
        return f"{old} is no longer a replica"
    if old not in after.isr:
        return f"{old} left the ISR"
    if after.replicas[:1] == (new,):
        return f"{new} is the preferred leader"
    return f"{old} is still in the ISR"


def _left(was: Sequence[int], now: Sequence[int]) -> list[int]:
    return [broker for broker in was if broker not in now]


def _shown(leader: int) -> str:
    return "none" if leader == _NO_LEADER else str(leader)


def _joined(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers))
