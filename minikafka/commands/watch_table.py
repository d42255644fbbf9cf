"""A cluster's partitions as lines of text, followed by the latest changes."""

from collections.abc import Sequence

from minikafka.admin.partition_states import ClusterState, GroupLag, PartitionState

HEADER = ("Partition", "Leader", "Epoch", "ISR", "ELR", "LastKnownELR", "HWM", "LEO", "Recovery")
NO_LEADER = -1
_GAP = "  "


def row(state: PartitionState) -> tuple[str, ...]:
    """Return one partition's cells for HEADER; a dash means empty, a question mark unknown."""
    ends = [f"{broker}:{log_end(state, broker)}" for broker in state.replicas]
    return (
        str(state.name),
        "none" if state.leader == NO_LEADER else str(state.leader),
        str(state.leader_epoch),
        _joined(state.isr),
        _joined(state.elr),
        _joined(state.last_known_elr),
        "?" if state.high_watermark is None else str(state.high_watermark),
        " ".join(ends),
        "RECOVERING" if state.is_recovering else "-",
    )


def log_end(state: PartitionState, broker: int) -> str:
    """Return the end of a replica's log: "(N)" if only a former one is known, "?" if none is."""
    if broker in state.log_ends:
        return str(state.log_ends[broker])
    former = state.former_log_ends.get(broker)
    return "?" if former is None else f"({former})"


def is_healthy(state: PartitionState) -> bool:
    """True if a partition has a leader, does not recover, and all replicas are in sync."""
    return state.leader != NO_LEADER and not state.is_recovering and len(state.isr) == len(
        state.replicas
    )  # fmt: skip


def headline(cluster: ClusterState) -> str:
    """Return a summary of the cluster in one line."""
    unhealthy = sum(not is_healthy(state) for state in cluster.partitions.values())
    count = len(cluster.partitions)
    return (
        f"brokers {_joined(cluster.brokers)}; {count} partition{'' if count == 1 else 's'}, "
        f"{unhealthy} of them without leader, recovering, or with replicas out of sync; "
        f"{cluster.quorum or 'the leader of the quorum is unknown'}"
    )


def plain(cluster: ClusterState, changes: Sequence[str]) -> str:
    """Return a state of the cluster, with its latest changes, as text."""
    lines = [headline(cluster)]
    if cluster.partitions:
        rows = [HEADER, *(row(state) for state in cluster.partitions.values())]
        widths = [max(len(each[at]) for each in rows) for at in range(len(HEADER))]
        lines += [
            _GAP.join(cell.ljust(width) for cell, width in zip(each, widths, strict=True)).rstrip()
            for each in rows
        ]
    lines += [f"broker {broker}: {why}" for broker, why in cluster.silent.items()]
    lines += [group_line(group) for group in cluster.groups]
    lines += changes
    return "\n".join(lines)


def group_line(group: GroupLag) -> str:
    """Return a group with its lag in a line."""
    lag = "unknown" if group.lag is None else str(group.lag)
    return f"group {group.name} ({group.state}): lag {lag}"


def _joined(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers)) or "-"
