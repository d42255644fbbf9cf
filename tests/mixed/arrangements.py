"""The arrangements of minikafka and Apache Kafka in one cluster, each with its failures.

A function gets the folder of Kafka's tools, and returns what it measured; it raises MixedError if a
promise was broken.
"""

import re
from contextlib import contextmanager

from minikafka.admin.cluster import unregister_broker
from minikafka.admin.elections import elect_leaders
from minikafka.admin.features import UpgradeType, update_features
from minikafka.admin.quorum import add_voter, describe_quorum, remove_voter
from minikafka.admin.topics import create_topic
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import PARTITION_METADATA
from minikafka.metadata.broker_registration import Endpoint
from tests.mixed.load import TOPIC, Load
from tests.mixed.log_lines import complaints
from tests.mixed.nodes import (
    ABSENT_FEATURES,
    BROKER,
    COMBINED,
    CONTROLLER,
    HOST,
    KAFKA,
    MINIKAFKA,
    MixedError,
    MixedNodes,
    measured,
)
from tests.mixed.registrations import register_uncleanly
from tests.mixed.replicas import different_logs, different_metadata
from tests.mixed.verdict import verified

_SESSION_S = 9
_SHORT_SESSION = {"broker.session.timeout.ms": 4000, "broker.heartbeat.interval.ms": 500}
_RECOVERY_MS = 3000
_SOON_S = 6
"""Tells the detection of a stopped broker from the end of its session."""
_QUORUM = {101: (KAFKA, CONTROLLER), 102: (MINIKAFKA, CONTROLLER), 103: (MINIKAFKA, CONTROLLER)}
_BROKERS = {1: (KAFKA, BROKER), 2: (MINIKAFKA, BROKER), 3: (MINIKAFKA, BROKER)}
_WRITTEN = {"min.insync.replicas": "2"}


@contextmanager
def loaded(nodes, facts):
    """Clients run during the block; then their promises and the replicas' bytes are judged."""
    with Load(nodes) as load:
        load.await_progress()
        yield load
        load.await_progress()
        nodes.await_full_isrs()
        problems = load.finish()
    if problems:
        raise MixedError("\n".join(problems[:20]))
    size = nodes.await_equal(different_logs)
    common = nodes.await_equal(different_metadata)
    lines = [line for node in nodes.nodes.values() for line in complaints(node.log_text)]
    if lines:
        raise MixedError("\n".join(["lines of logs:", *lines[:20]]))
    done = load.transactions
    ledger = load.ledger
    facts.append(
        f"{len(ledger.acknowledged)} records acknowledged, {len(ledger.unplaced)} without an offset"
    )
    facts.append(
        f"{len(done.committed)} transactions committed, {len(done.aborted)} aborted, {len(done.unknown)} unknown"
    )
    facts.append(f"{size} bytes of logs and {common} batches of metadata equal")


def kafka_controllers(tools):
    """An Apache Kafka controller; brokers of both kinds are killed, stopped, and started."""
    facts = []
    spec = {101: (KAFKA, CONTROLLER)} | _BROKERS
    with MixedNodes(tools, spec, config=_SHORT_SESSION) as nodes:
        with loaded(nodes, facts) as load:
            for end in (nodes.kill, nodes.stop):
                for broker in _BROKERS:
                    end(broker)
                    load.await_progress()
                    nodes.start(broker)
                    nodes.await_full_isrs()
                    elect(nodes)
        facts += name_the_features(nodes)
    return facts


def elect(nodes):
    """Create a topic, and elect preferred leaders, through brokers of both kinds."""
    create_topic(nodes.admin(2), f"created-{nodes.next_number()}", assignment=[[1, 2, 3]])
    for broker in _BROKERS:
        outcomes = elect_leaders(
            nodes.admin(broker), ElectionType.PREFERRED, {TopicPartition(TOPIC, 0): None}
        )
        for refusal in outcomes.values():
            if refusal and refusal.code != ErrorCode.ELECTION_NOT_NEEDED:
                raise MixedError(f"ElectLeaders through {nodes.name(broker)}: {refusal}")


def name_the_features(nodes):
    """A broker that the cluster's features keep out names each, and joins at level 0."""
    for broker in (2, 3):
        nodes.stop(broker)
        if not all(refusals_of(nodes, 1, UpgradeType.UPGRADE).values()):
            raise MixedError(f"features of Kafka were raised while broker {broker} was registered")
        unregister_broker(nodes.admin(1), broker)
    change_features(nodes, 1, UpgradeType.UPGRADE)
    nodes.launch(2)
    for name in ABSENT_FEATURES:
        nodes.await_line(2, f"ERROR.*{re.escape(name)} is finalized at level 1")
    change_features(nodes, 0, UpgradeType.SAFE_DOWNGRADE)
    nodes.await_membership()
    return ["a refused broker named the features"]


def change_features(nodes, level, kind):
    """Finalize a level of the features that only Apache Kafka has."""
    if any((refusals := refusals_of(nodes, level, kind)).values()):
        raise MixedError(f"level {level}: {refusals}")


def refusals_of(nodes, level, kind):
    """Try to finalize a level of these features; return the error of each, or None."""
    levels = dict.fromkeys(ABSENT_FEATURES, level)
    return update_features(nodes.admin(1), levels, kind, dry_run=False)


def minikafka_controllers(tools):
    """A minikafka controller with Kafka's brokers: stopped ones are found; unclean recovery."""
    facts = []
    spec = {
        101: (MINIKAFKA, CONTROLLER),
        1: (KAFKA, BROKER),
        2: (KAFKA, BROKER),
        3: (MINIKAFKA, BROKER),
    }
    config = {
        "broker.session.timeout.ms": _SESSION_S * 1000,
        "unclean.recovery.manager.enabled": "true",
        "unclean.recovery.timeout.ms": _RECOVERY_MS,
    }
    with MixedNodes(tools, spec, config=config) as nodes, loaded(nodes, facts) as load:
        for broker, witness in ((1, 3), (3, 1)):
            facts.append(fail_over(nodes, broker, witness))
            load.await_progress()
            nodes.start(broker)
            nodes.await_full_isrs()
        facts += recovered(nodes)
    return facts


def fail_over(nodes, broker, witness):
    """Kill the leader of a partition, and measure when the witness knows another leader."""
    topic = f"led-by-{broker}"
    create_topic(nodes.admin(), topic, assignment=[[broker, 2, witness]], configs=_WRITTEN)
    nodes.await_partition(
        topic, lambda it: it.leader == broker and len(it.isr) == 3, "a leader", by=witness
    )
    with measured() as seconds:
        nodes.kill(broker)
        nodes.await_partition(
            topic, lambda it: it.leader not in (None, broker), "another leader", by=witness
        )
    said = f"{nodes.name(broker)} killed: another leader after {seconds[0]:.2f} s"
    if seconds[0] > _SOON_S:
        raise MixedError(f"{said}, at the end of its session")
    return said


def recovered(nodes):
    """Unclean recovery decides although a broker of Apache Kafka, which cannot be asked, is a candidate."""
    create_topic(nodes.admin(), "recovered", assignment=[[1, 3]], configs=_WRITTEN)
    nodes.kill(1)
    nodes.await_partition("recovered", lambda it: 1 not in it.isr, "1 is out of the ISR", by=3)
    nodes.kill(3)
    nodes.await_partition("recovered", lambda it: not it.isr, "no ISR", by=2)
    nodes.start(1)
    nodes.start(3)
    with measured() as seconds:
        nodes.await_partition("recovered", lambda it: it.leader is not None, "a leader")
    nodes.await_line(101, "broker 1 does not have GetReplicaLogInfo")
    return [f"recovered in {seconds[0]:.2f} s"]


def static_quorum(tools):
    """A static quorum of both kinds, each of which is active in turn."""
    return mixed_quorum(tools, dynamic=False)


def dynamic_quorum(tools):
    """A dynamic quorum of both kinds; each active kind removes a voter of the other, and adds it."""
    return mixed_quorum(tools, dynamic=True)


def mixed_quorum(tools, *, dynamic):
    """Kill active controllers until each kind was active, and hand over a partition without ISR."""
    facts = []
    with (
        MixedNodes(tools, _QUORUM | _BROKERS, config=_SHORT_SESSION, dynamic=dynamic) as nodes,
        loaded(nodes, facts) as load,
    ):
        for kind, other in ((KAFKA, MINIKAFKA), (MINIKAFKA, KAFKA), (KAFKA, MINIKAFKA)):
            active = nodes.lead_by(kind)
            create_topic(nodes.admin(2), f"by-{kind}-{nodes.next_number()}", assignment=[[1, 2, 3]])
            if dynamic:
                change_voters(
                    nodes, next(number for number in _QUORUM if nodes.nodes[number].kind == other)
                )
            load.await_progress()
            facts.append(f"{nodes.name(active)} was active")
        for kind, other in ((MINIKAFKA, KAFKA), (KAFKA, MINIKAFKA)):
            facts += hand_over(nodes, kind, other)
            load.await_progress()
    return facts


def change_voters(nodes, number):
    """Remove a voter, and add it again."""
    node = nodes.nodes[number]

    def voters():
        return {it.node_id: it for it in describe_quorum(nodes.admin()).voters}

    # A leader of Apache Kafka stops if the answer to its BeginQuorumEpoch comes from a former voter.
    start = describe_quorum(nodes.admin()).high_watermark
    nodes.await_true(
        lambda: voters()[number].log_end_offset > start, f"{nodes.name(number)} fetches"
    )
    remove_voter(nodes.admin(), number, node.directory_id)
    nodes.await_true(lambda: number not in voters(), f"{nodes.name(number)} is no voter")
    endpoint = Endpoint("CONTROLLER", HOST, node.controller_port, 0)
    nodes.await_done(
        lambda: add_voter(nodes.admin(), number, node.directory_id, [endpoint]), "a voter is added"
    )
    nodes.await_true(lambda: number in voters(), f"{nodes.name(number)} is a voter")


def hand_over(nodes, kind, other):
    """One kind leaves a partition without ISR and ELR; the other elects its last known leader (E9)."""
    nodes.lead_by(kind)
    topic = f"last-leader-{kind}"
    create_topic(nodes.admin(1), topic, assignment=[[2, 3]], configs=_WRITTEN)
    nodes.await_partition(topic, lambda it: it.leader == 2, "2 leads", by=1)
    # A folder that is killed before it has a topic id is set aside at the start, with a warning.
    created = nodes.nodes[3].data / f"{topic}-0" / PARTITION_METADATA
    nodes.await_true(created.exists, f"{nodes.name(3)} has created its replica")
    nodes.kill(3)
    nodes.await_partition(topic, lambda it: list(it.isr) == [2], "2 is alone in the ISR", by=1)
    nodes.kill(2)
    nodes.await_partition(topic, lambda it: not it.isr, "no ISR", by=1)
    for broker in (2, 3):
        register_uncleanly(nodes, broker)
    before = nodes.await_partition(topic, lambda it: not it.elr, "no ELR", by=1)
    if before.leader is not None or list(before.last_known_elr or ()) != [2]:
        raise MixedError(
            f"{topic}: leader {before.leader}, last known ELR {before.last_known_elr}, expected none, 2"
        )
    nodes.lead_by(other)
    nodes.start(3)
    after = nodes.partition(topic, by=1)
    if after.leader is not None:
        raise MixedError(f"{topic}: {after.leader} was elected, which is not the last leader")
    nodes.start(2)
    nodes.await_partition(topic, lambda it: it.leader == 2, "the last leader is elected", by=1)
    nodes.await_full_isrs()
    return [f"{other} elected the last leader that {kind} had noted"]


def rolling_replacement(tools):
    """Three combined nodes of Apache Kafka become minikafka, one by one, and then Kafka again."""
    facts = []
    spec = dict.fromkeys((1, 2, 3), (KAFKA, COMBINED))
    with MixedNodes(tools, spec, config=_SHORT_SESSION) as nodes, loaded(nodes, facts) as load:
        for kind in (MINIKAFKA, KAFKA):
            for number in spec:
                nodes.replace(number, kind)
                nodes.await_full_isrs()
                load.await_progress()
            facts.append(f"all nodes are {kind}")
    return facts


def judged(tools):
    """Leaders of both kinds are killed and stopped under `minikafka verify`, which judges."""
    spec = {101: (MINIKAFKA, CONTROLLER)} | _BROKERS
    with MixedNodes(tools, spec, config=_SHORT_SESSION) as nodes:
        counts = verified(nodes)
    return [f"verified by minikafka verify, {counts['acknowledged']} records acknowledged"]


ARRANGEMENTS = {
    "kafka-controllers": kafka_controllers,
    "minikafka-controllers": minikafka_controllers,
    "static-quorum": static_quorum,
    "dynamic-quorum": dynamic_quorum,
    "rolling-replacement": rolling_replacement,
    "judged": judged,
}
