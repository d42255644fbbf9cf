"""The checks of the simulator that are not rules of `minikafka.rules`, by name.

A check's name is the text before the colon of its violations. Stories print the meanings, and
`tools/write_tables.py` writes the table of docs/simulation.md from them.

Source: the properties of the TLA+ model of KIP-966; Jepsen's names for anomalies.
"""

from typing import Final

AFTER_EACH_STEP: Final = {
    "MinIsrRecoveryQuorum": "ISR, ELR and LastKnownELR together keep min ISR members",
    "LeaderCandidateCompleteness": "each member of ISR and ELR holds all committed records",
    "LeaderCompleteness": "a new leader holds all committed records",
    "ReplicationQuorumSuperset": (
        "a leader's maximal ISR includes the committed ISR, and equals it without a proposal"
    ),
    "WeakIsr": "a follower holds the records that its leader has seen it fetch, and no others",
    "LogMatching": "below its high watermark a replica holds the committed records",
    "epochs": "partition epochs rise, and each new leader has a new leader epoch",
    "MetadataLogMatching": "all nodes agree on the committed metadata",
    "SingleLeaderPerEpoch": "an epoch of the quorum has one leader",
    "SingleVotePerEpoch": "a voter votes once in an epoch, also after a restart",
    "MonotonicEpoch": "the epoch that a controller knows never goes back, not even with a restart",
    "MonotonicHighWatermark": (
        "the high watermark of the metadata log never goes back while a process runs"
    ),
    "AnnouncedHighWatermark": (
        "the leader of the quorum announces no high watermark below one that a controller knows"
    ),
    "MajorityReachedHighWatermark": (
        "what the leader commits is on the disks of a majority of voters"
    ),
    "VotersOfTheLog": "a node uses the latest voters in its log, committed or not",
    "OneVoterAtATime": "a leader adds or removes one voter, and another one after the commit",
    "VotesAreDurable": "a vote is on the voter's disk before any message leaves",
    "ActiveLeads": "a controller is active only while its node leads the quorum",
    "FencedInTime": "no broker that runs is fenced before its session ends, unless it asks for it",
    "FormerLeader": "a leader that no majority fetches from resigns in time",
    "EpochsHaveLeaders": "no twelve epochs of the quorum in a row are without a leader",
    "CommittedAnswers": ("what an operator was told is done is in the committed metadata log"),
    "Transactions": "every open transaction was begun by a producer",
    "StableOffset": (
        "a leader's last stable offset never goes back, and stays at or below its high watermark "
        "and its first open transaction"
    ),
    "FencedEpoch": "no log has a lower producer epoch after a higher one of the same producer id",
    "EpochBump": (
        "in transaction version 2, a marker has a higher epoch than the batches that it ends"
    ),
    "AbortedIndex": "the aborted transactions in a leader's index are those of its log",
    "PartitionFirst": (
        "a transaction begins in a partition only after its coordinator has committed that the "
        "partition is in it"
    ),
    "DecisionFirst": "a leader appends a marker only after a coordinator has committed the outcome",
    "DecisionIsFinal": "a commit or abort that a coordinator has committed is never changed",
    "MarkersFirst": (
        "a transaction is complete only after each of its partitions has committed the marker"
    ),
    "append order": "queued appends are decided in the order of their arrival",
    "DamagedRead": "no consumer receives a batch with a wrong checksum",
    "retention": (
        "a log start offset moves only below the high watermark, after the leader's or while "
        "`retention.bytes` are left"
    ),
    "flushed": (
        "records below a recovery point are durable, and so is a truncation before a later segment"
    ),
    "OneLog": "a broker has one log of each partition that it serves, that of its topic id",
    "FutureLog": "a future log has no higher high watermark than the current log",
    "SwappedLog": "the log that a move between directories leaves equals the one before",
    "Steps": (
        "no step of a node is so long that the node misses its heartbeats, and no timers or "
        "requests start one another without an end"
    ),
    "sound disk": "a node stops for a disk error only if its disk had a fault",
    "crash": "no node raises an unexpected error",
    "SilentGroup": "a group whose members only send heartbeats writes nothing",
    "liveness": ("a replica that can lead leads, and after the faults all replicas return in time"),
}
"""Checks after the steps of nodes, and of the time that the cluster needs."""

AT_THE_END: Final = {
    "ReplicasAgree": (
        "after all faults, ISR members have the same logs, offsets and leader epochs"
    ),
    "CompactedLog": (
        "compaction keeps the latest committed value of each key, and no older one below its end"
    ),
    "ConsistentRead": "no consumer reads two values at an offset",
    "lost": "a record that was acknowledged with acks=all stays readable",
    "aborted read": "a rejected record is never read",
    "duplicate": "a record that was written once is in the log once",
    "phantom": "every record in the log was sent",
    "backward poll": "a consumer's position moves back only at a rebalance",
    "skipped poll": "a consumer skips no record",
    "shared partition": "no two members of a group own a partition at the same time",
    "moved commit": "a group continues at its last commit",
    "SoleOwner": (
        "no member of a group is given a partition while another one owns it, as clients see it"
    ),
    "FencedCommit": (
        "no commit of a member that has left or was removed, or of a partition that it released "
        "in a past epoch, is acknowledged"
    ),
    "NoHangingTransaction": (
        "after the faults, every transaction ends within its timeout and 30 s"
    ),
    "EndTxnCommit": "a commit that was acknowledged is visible at read_committed, whole",
    "AbortedNeverRead": (
        "nothing is visible at read_committed of a transaction that no client asked to commit"
    ),
    "TransactionIsWhole": "a transaction without an answer is visible whole, or not at all",
    "OffsetsWithOutputs": (
        "the output of transform loops has each input once, in order: offsets and outputs of a "
        "transaction are committed together"
    ),
    "G0": "the transactions of one transactional id append in one order to all partitions",
    "G1a": "no committed transaction reads a value of an aborted one",
    "G1b": "no committed transaction reads a partition up to the middle of another transaction",
    "G1c": "no transactions depend on one another in a circle of reads and writes",
    "DecisionsAreKept": "no committed record of a transaction coordinator is lost",
    "ProducerIdsOnce": "no producer id has two owners, and no epoch is given twice",
}
"""Checks of the replicas and of the operations of clients."""

CHECKS: Final = AFTER_EACH_STEP | AT_THE_END
"""The meaning of each check, by name."""
