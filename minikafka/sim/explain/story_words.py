"""The words of a story: what rules say, and what a change of a partition means."""

from collections.abc import Iterable

from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration

RULES = {
    "H1": "the high watermark moves only while the persisted ISR has min ISR members",
    "H2": "whatever is below the high watermark is held by every member of the ISR",
    "H4": "what a leader commits it does not deny when it leads no more",
    "H7": "no leader's high watermark goes back",
    "E1": "without ELR the last member stays in the ISR",
    "E2": "ISR and ELR are disjoint, the leader is in the ISR, and the ELR is empty at min ISR",
    "E7": "a broker that did not end cleanly is in no ISR and no ELR when it registers",
    "L1": "a replica outside ISR and ELR leads only while no member of them can",
    "L2": "a member of the ELR leads only while no member of the ISR can",
    "L3": "an unclean recovery begins only when its strategy says so",
    "L6": "without a recovery an unclean election needs a setting, a request or the last leader",
    "L8": "a leader from outside ISR and ELR is marked as unclean, and is the whole ISR",
    "C2": "the clean shutdown file is gone as soon as it was read",
    "U4": "only answers of this registration and this leader epoch count in a recovery",
    "U5": "a recovery waits for those that it must hear",
    "U6": "the replica with the longest log wins a recovery",
    "U8": "a replica that restarted is not elected on what it answered before",
    "ValidControllerIsrAndElr": "ISR and ELR are disjoint parts of the assignment",
    "MinIsrRecoveryQuorum": "ISR, ELR and last known ELR together keep min ISR members",
    "LeaderCandidateCompleteness": "whoever may be elected holds everything that was committed",
    "LeaderCompleteness": "a new leader holds everything that was committed",
    "ReplicationQuorumSuperset": "a leader's maximal ISR includes the persisted one",
    "WeakIsr": "a follower holds at least what its leader has seen it hold",
    "LogMatching": "below the high watermark all replicas hold the same",
    "MetadataLogMatching": "what one node takes for committed metadata all do, for ever",
    "Steps": "no step of a node takes so long that its heartbeats come too late",
    "Transactions": "no transaction is open that no producer began",
    "ConsistentRead": "an offset never holds two values",
    "lost": "what was acknowledged with acks=all can be read for ever",
    "aborted read": "what was refused is never read",
    "duplicate": "what was written once is there once",
    "phantom": "nothing is there that was never sent",
    "backward poll": "a consumer never goes back by itself",
    "skipped poll": "a consumer skips nothing",
    "ReplicasAgree": "once all is healed and idle, an ISR has the same logs and offsets",
    "liveness": "who can lead leads, and after everything is mended all comes back in time",
    "crash": "nothing but its disk ends a node",
}

# Of one node, of several.
_COMES = ("comes into the ISR", "come into the ISR")
_LEAVES = ("leaves the ISR", "leave the ISR")
_BECOMES = ("becomes eligible", "become eligible")
_IS_NOT = ("is not eligible any more", "are not eligible any more")


def meaning(violation: str) -> str:
    """What the rule says that a violation names; empty for one without words."""
    return RULES.get(violation.partition(":")[0], "")


def change(former: PartitionRegistration | None, now: PartitionRegistration) -> str:
    """What became of a partition, and what it is now; empty where nothing shows."""
    parts = [] if former is None else _moves(former, now)
    if former is None or former.leader != now.leader:
        parts.insert(0, _leadership(former, now))
    if not parts:
        return ""
    state = [f"in sync {names(now.isr)}"]
    if now.elr:
        state.append(f"eligible {names(now.elr)}")
    if now.last_known_elr:
        state.append(f"last known eligible {names(now.last_known_elr)}")
    return f"{', '.join(parts)} ({'; '.join(state)})"


def _leadership(former: PartitionRegistration | None, now: PartitionRegistration) -> str:
    if now.leader == NO_LEADER:
        return "nobody leads any more"
    leads = f"n{now.leader} leads epoch {now.leader_epoch}"
    if former is None or now.leader in former.isr:
        return leads
    if now.leader in former.elr:
        return f"{leads}, out of the ELR"
    return f"{leads}, out of neither ISR nor ELR"


def _moves(former: PartitionRegistration, now: PartitionRegistration) -> list[str]:
    found = []
    for before, after, comes, goes in (
        (former.isr, now.isr, _COMES, _LEAVES),
        (former.elr, now.elr, _BECOMES, _IS_NOT),
    ):
        went = [member for member in before if member not in after]
        came = [member for member in after if member not in before]
        for members, (one, many) in ((went, goes), (came, comes)):
            if members:
                found.append(f"{names(members)} {one if len(members) == 1 else many}")
    if former.replicas != now.replicas:
        found.append(f"its replicas are {names(now.replicas)}")
    return found


def names(members: Iterable[int]) -> str:
    """Nodes by their names; "nobody" for none."""
    return ", ".join(f"n{member}" for member in sorted(members)) or "nobody"


def offsets(first: int, last: int) -> str:
    """A range of offsets."""
    return f"offset {first}" if first == last else f"offsets {first} to {last}"
