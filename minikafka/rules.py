"""The rules of replication, elections and recovery that minikafka implements.

`tools/write_tables.py` writes `docs/rules.md` from this module; the simulator prints the short
forms. Tests and docstrings cite a rule by its id.
"""

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule: a clause of a few words, the full text, and the KIP section or class it is from."""

    short: str
    text: str
    source: str


GROUPS = {
    "H": "High watermark and acknowledgements",
    "E": "ISR, ELR, LastKnownELR and last known leader",
    "L": "Leader election",
    "C": "Clean shutdown",
    "U": "Unclean recovery",
    "A": "ElectLeaders and kafka-leader-election",
    "D": "DescribeTopicPartitions and kafka-topics",
    "M": "Min ISR metrics",
    "R": "Records and RPCs",
    "S": "Verification with Spark",
}
"""Title of each group, by the letter its ids start with, in the order of the document."""

RULES = {
    "H1": Rule(
        "the high watermark needs min ISR members",
        "A leader advances the high watermark only while the ISR has at least the effective min "
        "ISR members. The rule covers records of every `acks` setting.",
        "KIP-966, Additional High Watermark advancement requirement",
    ),
    "H2": Rule(
        "every member of the maximal ISR holds what is committed",
        "Every member of the maximal ISR has replicated each record below the high watermark. The "
        "maximal ISR is the committed ISR plus the replicas of a pending proposal.",
        "`Partition.maybeIncrementLeaderHW`",
    ),
    "H3": Rule(
        "only the committed ISR counts towards min ISR",
        "A leader compares the ISR that the controller has committed with min ISR. Replicas of a "
        "pending proposal do not count. Example: leader 0, ISR [0], ELR [1], min ISR 2. When "
        "broker 2 catches up, the high watermark waits until the controller has committed ISR [0, "
        "2].",
        "KIP-966, Additional High Watermark advancement requirement",
    ),
    "H4": Rule(
        "an acknowledgement keeps the promise of its acks",
        "A leader sends no response for acks=0 and responds to acks=1 after its own append, "
        "whatever the size of the ISR. It rejects acks=all with NOT_ENOUGH_REPLICAS while the ISR "
        "is under min ISR. After the append it responds when the high watermark has passed the "
        "records, with NOT_ENOUGH_REPLICAS_AFTER_APPEND if the maximal ISR (H2) has shrunk under "
        "min ISR, or with REQUEST_TIMED_OUT after the timeout of the request.",
        "KIP-966, Additional High Watermark advancement requirement; "
        "`Partition.checkEnoughReplicasReachOffset`",
    ),
    "H5": Rule(
        "records under min ISR stay invisible",
        "A leader under min ISR appends records of acks=0 and acks=1. Consumers see these records "
        "after the ISR has reached min ISR again.",
        "KIP-966, Additional High Watermark advancement requirement",
    ),
    "H6": Rule(
        "min ISR is at most the number of replicas",
        "The effective min ISR of a partition is the smaller of `min.insync.replicas` and its "
        "number of replicas. A value above the number of replicas, or of brokers, is valid.",
        "KIP-966, Additional High Watermark advancement requirement",
    ),
    "H7": Rule(
        "no high watermark goes back",
        "Clients never see the high watermark go back. The rule holds over any sequence of leader "
        "changes with at most min ISR - 1 data-losing unclean shutdowns.",
        "KIP-966, Eligible Leader Replicas",
    ),
    "H8": Rule(
        "no feature level switches these rules off",
        "The rules H1 to H7 apply at every feature level.",
        "KIP-966, Additional High Watermark advancement requirement",
    ),
    "E1": Rule(
        "the ISR may be empty, with ELR only",
        "With ELR, the last member leaves the ISR when it is fenced. Without ELR, it stays. In "
        "both cases a replica that lags or is fenced leaves an ISR that has other members.",
        "KIP-966, Eligible Leader Replicas; `PartitionChangeBuilder`",
    ),
    "E2": Rule(
        "ISR and ELR are disjoint and together keep min ISR members",
        "After every change: no replica is in both ISR and ELR; a partition with ELR members has "
        "an ISR under min ISR; every ELR member holds the log up to the high watermark. The ISR "
        "and ELR together fall under min ISR only after an unclean shutdown of an ELR member, or "
        "where the partition started with fewer replicas.",
        "KIP-966, ELR invariants",
    ),
    "E3": Rule(
        "only the controller knows the ELR",
        "The controller keeps the ELR in the partition's metadata record. Leaders and followers "
        "use the ISR alone.",
        "KIP-966, Broker behaviors",
    ),
    "E4": Rule(
        "changes of the ISR and unclean shutdowns change the ELR",
        "The ELR changes when the ISR changes (on an AlterPartition request, the fencing or "
        "unfencing of a broker, the loss of a log directory, an unclean election), and on a "
        "registration after an unclean shutdown. E10 to E12 name the other causes.",
        "KIP-966, Controller behaviors",
    ),
    "E5": Rule(
        "replicas that leave an ISR under min ISR join the ELR",
        "A new ISR with at least min ISR members empties ELR and LastKnownELR. Below min ISR, the "
        "ELR keeps its members, gains the members that leave the ISR, and loses the members that "
        "join the ISR.",
        "KIP-966, Controller behaviors; `PartitionChangeBuilder.maybePopulateTargetElr`",
    ),
    "E6": Rule(
        "an ELR member that unfences leads an empty ISR",
        "While the ISR is empty, the first ELR member that unfences becomes leader and the only "
        "ISR member, and leaves the ELR.",
        "KIP-966, Other behaviors",
    ),
    "E7": Rule(
        "an unclean shutdown removes the broker from ISR and ELR",
        "The controller removes a broker that registers after an unclean shutdown from every ISR "
        "and ELR before it writes the registration record. With the unclean recovery manager, a "
        "removed member becomes a member of LastKnownELR. This change alone does not bump the "
        "leader epoch.",
        "KIP-966, Detection of an unclean shutdown; `ClusterControlManager.registerBroker`",
    ),
    "E8": Rule(
        "LastKnownELR lasts until the ISR reaches min ISR",
        "The metadata log holds LastKnownELR. The controller empties it when the ISR reaches min "
        "ISR again.",
        "KIP-966, Other behaviors",
    ),
    "E9": Rule(
        "the controller records the last known leader",
        "The controller records the last known leader when it fences the last ISR member, and "
        "clears it when a leader is elected. While the unclean recovery manager is disabled, "
        "LastKnownELR has this leader and no other member. While it is enabled, LastKnownELR has "
        "the members of E7 only.",
        "KIP-966, Other behaviors; `PartitionChangeBuilder.maybeUpdateLastKnownLeader`",
    ),
    "E10": Rule(
        "a min ISR that the ISR satisfies clears the ELR",
        "A change of `min.insync.replicas` to a value of at most the ISR's size removes the ELR.",
        "KIP-966, Other behaviors; `ConfigurationControlManager`",
    ),
    "E11": Rule(
        "a reassignment ends with min ISR members in sync",
        "A reassignment completes, or can be cancelled, only if the resulting ISR has at least min "
        "ISR members. Afterwards the ELR holds replicas of the final assignment only. A "
        "reassignment in progress does not change the ELR.",
        "KIP-966, Other behaviors; `PartitionReassignmentReplicas`",
    ),
    "E12": Rule(
        "the feature level switches ELR on and off",
        "The controller keeps an ELR only while `eligible.leader.replicas.version` is 1 and "
        "`eligible.leader.replicas.enabled` is set. A partition record from before counts as one "
        "with an empty ELR and gains the ELR at its next change. After the feature is switched "
        "off, ELR fields are ignored and vanish at the partition's next change.",
        "KIP-966, Compatibility, Deprecation, and Migration Plan; `FeatureControlManager`",
    ),
    "E13": Rule(
        "two scenarios show what ELR saves",
        "Two scenarios run with and without ELR: four replicas with min ISR 3, and the last "
        "replica standing (three replicas with min ISR 2, brokers 0 and 1 partitioned, broker 2 "
        "loses data in an unclean shutdown). With ELR no acknowledged record is lost. Without ELR "
        "the same schedule loses records.",
        "KIP-966, Motivation and Eligible Leader Replicas",
    ),
    "L1": Rule(
        "the ISR is the first choice",
        "The controller elects an unfenced ISR member if there is one.",
        "KIP-966, Leader election; `PartitionChangeBuilder.electLeader`",
    ),
    "L2": Rule(
        "the ELR is the second choice",
        "The controller elects an unfenced ELR member if the ISR is empty.",
        "KIP-966, Leader election; `PartitionChangeBuilder.electLeader`",
    ),
    "L3": Rule(
        "only Aggressive recovers past fenced ELR members",
        "With the recovery manager on and all ELR members fenced, strategy `Aggressive` starts an "
        "unclean recovery. `Balanced` and `None` wait until an ELR member unfences.",
        "KIP-966, Unclean recovery",
    ),
    "L4": Rule(
        "the strategy decides when the ELR is empty",
        "With the recovery manager on and an empty ELR, `Aggressive` starts an unclean recovery at "
        "once. `Balanced` starts it when all LastKnownELR members are unfenced. `None` waits for "
        "an operator.",
        "KIP-966, Unclean recovery",
    ),
    "L5": Rule(
        "without the manager, a partition waits for its fenced ELR members",
        "With the recovery manager off and all ELR members fenced, the first one that unfences "
        "becomes leader. With `unclean.leader.election.enable=true` an unclean election happens "
        "instead.",
        "KIP-966, Leader election",
    ),
    "L6": Rule(
        "an unclean election needs a setting, a request or the last known leader",
        "With the recovery manager off and an empty ELR, the last known leader becomes leader when "
        "it unfences. With `unclean.leader.election.enable=true` the controller does not wait: if "
        "that leader is fenced, it elects another unfenced replica. An ElectLeaders request of "
        "type UNCLEAN elects in both cases (A3).",
        "KIP-966, Leader election; `PartitionChangeBuilder.electAnyLeader`",
    ),
    "L7": Rule(
        "a topic's strategy overrides the broker's default",
        "`unclean.recovery.strategy` is a topic configuration (`Aggressive`, `Balanced`, `None`) "
        "with a default of the broker (`Balanced`). Where it is not set, the deprecated "
        "`unclean.leader.election.enable` means `Aggressive` if true and `Balanced` if false. The "
        "older names `Proactive` and `Manual` are accepted for `Aggressive` and `None`.",
        "KIP-966, Unclean recovery and Config Changes",
    ),
    "L8": Rule(
        "a leader from outside ISR and ELR is marked RECOVERING",
        "The controller marks a leader from outside ISR and ELR with "
        "LeaderRecoveryState=RECOVERING and writes ISR [leader]. The mark survives other changes "
        "of the partition and a controller failover. A clean election clears it, or the leader "
        "reports RECOVERED by AlterPartition. The describe output and a metric show it.",
        "`LeaderRecoveryState`, `PartitionChangeBuilder`",
    ),
    "C1": Rule(
        "a clean shutdown writes the broker epoch",
        "A broker that shuts down flushes all logs and then writes a clean shutdown file to every "
        "log directory: JSON with `version` 0 and `brokerEpoch`. A broker that never got an epoch "
        "writes -1. The spelling `BrokerEpoch` is accepted when the file is read.",
        "KIP-966, Detection of an unclean shutdown; `CleanShutdownFileHandler`",
    ),
    "C2": Rule(
        "a start removes the clean shutdown file",
        "A broker reads the clean shutdown file when it starts, and removes it before it loads its "
        "logs. A missing file, an unreadable file or -1 means an unclean shutdown. So does a "
        "missing or damaged checkpoint of recovery points, a log that is gone, or a log that "
        "extends beyond its flushed offset.",
        "KIP-966, Detection of an unclean shutdown; `CleanShutdownFileHandler`",
    ),
    "C3": Rule(
        "a shutdown is clean only with the epoch of the last registration",
        "A broker sends the epoch of the file as `PreviousBrokerEpoch` in BrokerRegistration. The "
        "controller takes the shutdown as clean only if this epoch equals the one of the broker's "
        "registration record. In every other case E7 applies.",
        "KIP-966, Detection of an unclean shutdown; `ClusterControlManager.registerBroker`",
    ),
    "C4": Rule(
        "an unclean shutdown is followed by log recovery",
        "After an unclean shutdown a broker validates its logs batch by batch from the recovery "
        "point, truncates at the first invalid batch, and rebuilds the indexes.",
        "`LogLoader.recoverLog`",
    ),
    "C5": Rule(
        "every registration is unclean below the feature level",
        "Below the feature level that brings ELR, the controller takes every registration as one "
        "after an unclean shutdown: the broker leaves every ISR, and every ELR that is left.",
        "KIP-966, Detection of an unclean shutdown",
    ),
    "U1": Rule(
        "recovery keeps no state in the metadata log",
        "The unclean recovery manager of the controller finds the replica that kept the most data. "
        "It writes nothing but the election to the metadata log. After a controller failover the "
        "recovery restarts.",
        "KIP-966, Unclean Recovery Manager",
    ),
    "U2": Rule(
        "every replica is asked",
        "The controller sends GetReplicaLogInfo to all replicas of the partition, fenced or not. "
        "Each broker has one queue; requests to one broker are merged. Responses, errors and "
        "timeouts are events in the controller's single queue.",
        "KIP-966, Unclean Recovery Manager and Broker Request Sender",
    ),
    "U3": Rule(
        "an answer carries log end, epochs and an error",
        "A broker's response has its broker epoch. For each partition it has the log end offset, "
        "the last written leader epoch, the leader epoch that the replica knows, and an error "
        "code.",
        "KIP-966, Unclean Recovery Manager, Workflow",
    ),
    "U4": Rule(
        "only answers with current epochs count",
        "The controller rejects an answer whose broker epoch is not the registered one or whose "
        "leader epoch is not its own, and asks again. Only unfenced replicas take part in the "
        "decision. When a replica unfences, the manager checks the partition again.",
        "KIP-966, Unclean Recovery Manager, Failovers",
    ),
    "U5": Rule(
        "a recovery waits for the answers of its strategy",
        "`Balanced` starts when all LastKnownELR members are unfenced. It decides when all of them "
        "have answered, and includes the other replicas that answered within "
        "`unclean.recovery.timeout.ms` (5 min). `Aggressive` decides among the answers of the "
        "first 5 s, or by the first answer after that.",
        "KIP-966, Unclean recovery",
    ),
    "U6": Rule(
        "the highest last epoch wins, then log end, then lowest id",
        "The replica with the highest last written leader epoch wins. Ties are broken by the "
        "highest log end offset, then by the lowest broker id.",
        "KIP-966, Unclean Recovery Manager, Workflow",
    ),
    "U7": Rule(
        "a stalled recovery restarts",
        "The heartbeat handling of the controller restarts a recovery that hangs or that an "
        "unexpected error has stopped.",
        "KIP-966, Unclean Recovery Manager, Failovers",
    ),
    "U8": Rule(
        "a restart invalidates an answer",
        "A replica that restarts after its answer is not elected on that answer.",
        "KIP-966, Unclean Recovery Manager, Failovers",
    ),
    "A1": Rule(
        "ElectLeaders has versions 0 to 3",
        "ElectLeaders has key 43. Version 0 elects preferred leaders only. Version 1 adds "
        "`ElectionType` and a top-level `ErrorCode`. Version 2 is flexible. Version 3 adds the "
        "nullable `DesiredLeaders` beside `Partitions`, matched by index.",
        "KIP-966, Public Interfaces; KIP-460",
    ),
    "A2": Rule(
        "five election types",
        "The election types are 0 PREFERRED, 1 UNCLEAN, 2 DESIGNATION, 3 LONGEST_LOG_BALANCED and "
        "4 LONGEST_LOG_AGGRESSIVE. Types 2 to 4 require version 3.",
        "KIP-966, Public Interfaces",
    ),
    "A3": Rule(
        "each election type has its precondition",
        "PREFERRED needs the preferred replica in the ISR (else PREFERRED_LEADER_NOT_AVAILABLE). "
        "ELECTION_NOT_NEEDED is the answer where that replica leads already. The other types elect "
        "only where the partition has no leader (else ELECTION_NOT_NEEDED). UNCLEAN ignores the "
        "settings of topic and broker. ELIGIBLE_LEADERS_NOT_AVAILABLE means that no candidate is "
        "alive. DESIGNATION of a non-replica or of a dead broker is an error of that partition. An "
        "unknown partition is UNKNOWN_TOPIC_OR_PARTITION.",
        "`ReplicationControlManager.electLeader`; KIP-966, Public Interfaces",
    ),
    "A4": Rule(
        "a null list means every eligible partition",
        "A null partition list selects every partition that is eligible for the election type. The "
        "response lists only these.",
        "`ReplicationControlManager.electLeaders`",
    ),
    "A5": Rule(
        "a request elects for at most 1000 partitions",
        "The controller serves at most 1000 partitions of a request and answers the others with "
        "REQUEST_LIMIT_REACHED, which is retriable. The request needs Alter or ClusterAction on "
        "the cluster.",
        "KIP-966, Public Interfaces",
    ),
    "A6": Rule(
        "the tool rejects options that clash",
        "`kafka-leader-election` takes Kafka's options and the types DESIGNATION, "
        "LONGEST_LOG_BALANCED and LONGEST_LOG_AGGRESSIVE, in any case. LONGEST_LOG_PROACTIVE and "
        "LONGEST_LOG_AGRESSIVE are other names of LONGEST_LOG_AGGRESSIVE. The tool requires "
        "`--election-type` and exactly one of `--topic` with `--partition`, `--path-to-json-file`, "
        "and `--all-topic-partitions`. `desiredLeader` in the file is required with DESIGNATION "
        "and rejected with every other type; `minimalReplicas` is ignored with a warning. A usage "
        "error names the options that clash. Output and exit status are those of Kafka's tool; the "
        "exit status is not 0 if an election failed.",
        "KIP-966, Public Interfaces; `LeaderElectionCommand`",
    ),
    "A7": Rule(
        "the tool works with Apache Kafka",
        "The tool runs PREFERRED and UNCLEAN against Apache Kafka (API version 2), and says that "
        "the server does not know the other types.",
        "`LeaderElectionCommand`",
    ),
    "D1": Rule(
        "topics are described in pages",
        "A broker describes the named topics, or all. A page has at most `ResponsePartitionLimit` "
        "(default 2000) and at most `max.request.partition.size.limit` partitions, and may end "
        "within a topic. `Cursor` and `NextCursor` continue. Pages are not consistent with one "
        "another.",
        "KIP-966, Public Interfaces; `DescribeTopicPartitionsRequestHandler`",
    ),
    "D2": Rule(
        "only a description shows the ELR",
        "A description has leader, leader epoch, replicas, ISR, ELR, LastKnownELR and offline "
        "replicas of each partition. Metadata responses do not have the ELR.",
        "KIP-966, Public Interfaces",
    ),
    "D3": Rule(
        "a description needs Describe on the topic",
        "A request needs Describe on the topic. Topics without it are left out of a description of "
        "all topics, and are an error where they are named.",
        "`DescribeTopicPartitionsRequestHandler`",
    ),
    "D4": Rule(
        "kafka-topics prints ELR and LastKnownELR",
        "`kafka-topics --describe` prints ELR and LastKnownELR, follows cursors, and supports "
        "`--under-replicated-partitions`, `--under-min-isr-partitions`, `--at-min-isr-partitions` "
        "and `--unavailable-partitions`.",
        "KIP-966, Public Interfaces; `TopicCommand`; KIP-351",
    ),
    "M1": Rule(
        "a partition is at or under min ISR, under replicated, or offline",
        "A partition is at min ISR when its ISR has exactly the effective min ISR members, and "
        "under min ISR when it has fewer. It is under replicated when the ISR has fewer members "
        "than the partition has replicas, and offline when it has no leader.",
        "KIP-351",
    ),
    "M2": Rule(
        "a leader reports whether it is at min ISR",
        "`AtMinIsr` is 1 on the leader of a partition at min ISR, and 0 otherwise and on every "
        "other broker. `AtMinIsrPartitionCount` is the number of such partitions that a broker "
        "leads.",
        "KIP-351, Public Interfaces",
    ),
    "R1": Rule(
        "ELR fields are tagged fields of partition records",
        "PartitionRecord (type 3) and PartitionChangeRecord (type 5) have EligibleLeaderReplicas, "
        "LastKnownELR, LastKnownLeader and LeaderRecoveryState as tagged fields. Null means no "
        "change. The metadata log is a log of Kafka record batches with snapshots, and is replayed "
        "at the start.",
        "KIP-966, Public Interfaces; KIP-630",
    ),
    "R2": Rule(
        "a registration has the previous broker epoch",
        "BrokerRegistration has the field `PreviousBrokerEpoch`.",
        "KIP-966, Public Interfaces",
    ),
    "R3": Rule(
        "GetReplicaLogInfo serves 2000 partitions",
        "A broker answers at most 2000 partitions of a GetReplicaLogInfo request; the others get "
        "REQUEST_LIMIT_REACHED. The request needs ClusterAction.",
        "KIP-966, Public Interfaces",
    ),
    "R4": Rule(
        "REQUEST_LIMIT_REACHED is retriable",
        "REQUEST_LIMIT_REACHED is an error code, and retriable.",
        "KIP-966, Public Interfaces",
    ),
    "R5": Rule(
        "every message is generated from a schema",
        "Every message is generated from a JSON schema under `schemas/` in Kafka's schema "
        "language: types, versions, nullable, tagged and flexible fields, defaults, ignorable "
        "fields, entity types and map keys.",
        "`org.apache.kafka.message.MessageGenerator`",
    ),
    "S1": Rule(
        "a durable ledger holds the outcome of each record",
        "A workload writes uniquely numbered, checksummed records through a real client, with "
        "chosen acks, idempotence, key skew, sizes and transactions. A durable ledger holds what "
        "was sent, what was acknowledged at which offset, and what failed or has an unknown "
        "outcome.",
        "minikafka",
    ),
    "S2": Rule(
        "Spark names every record that breaks a promise",
        "A Structured Streaming job reads the same topics with Spark's Kafka source and a "
        "checkpoint, over faults and its restarts. A batch job joins the result with the ledger "
        "and names records that are lost, duplicated, reordered, changed, moved or never sent, "
        "offsets with two contents, and high watermarks that went back. One lost record makes the "
        "exit status non-zero.",
        "minikafka",
    ),
    "S3": Rule(
        "a seed and a schedule repeat the faults of a run",
        "Faults are injected during the run: SIGKILL, clean restart, pause, network partition, "
        "loss of unflushed data, slow disk, full disk, controller failover, rolling restart and "
        "clock jump. A seed and a schedule describe the faults and can be replayed.",
        "minikafka",
    ),
    "S4": Rule(
        "the run is the same on Apache Kafka and on a Spark cluster",
        "The run works unchanged against Apache Kafka (`--bootstrap-server`). Its Spark part works "
        "unchanged on a Spark cluster (`--master`).",
        "minikafka",
    ),
    "S5": Rule(
        "the result is a verdict and a page",
        "The result is a machine-readable verdict and a page. The page has the verdict first, and "
        "acknowledgements, leader changes, ISR, ELR, high watermark and faults on one time axis.",
        "minikafka",
    ),
}
"""Every rule by its id, in the order of the document."""
