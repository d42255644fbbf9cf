"""Weakenings of one guard each, which the simulator must find.

A mutation names a function, a piece of its source, and what stands there instead. The piece must be
in the source, so that a mutation cannot outlive the guard that it removes.

Source of many: the guards marked CHECK in the TLA+ model of KIP-966.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import NamedTuple


class Mutation(NamedTuple):
    """`function` is dotted from its module: "Class.method" or "name"."""

    name: str
    module: str
    function: str
    old: str
    new: str


MUTATIONS = (
    Mutation(
        "H1: the high watermark moves under min ISR", "minikafka.replica.high_watermark",
        "next_high_watermark", "if isr_size < min_isr:", "if False:",
    ),
    Mutation(
        "H3: a proposed ISR counts for min ISR", "minikafka.replica.partition",
        "Partition.advance_high_watermark", "isr_size=len(isr.committed)",
        "isr_size=len(isr.proposed or isr.committed)",
    ),
    Mutation(
        "H2: the high watermark needs the leader alone", "minikafka.replica.partition",
        "Partition.advance_high_watermark", "maximal_isr=isr.maximal,", "maximal_isr=(),",
    ),
    Mutation(
        "H2: nobody but the persisted ISR counts", "minikafka.replica.partition",
        "Partition.advance_high_watermark",
        "maximal_isr=isr.maximal,\n"
        "        joining=self._joining() if len(self.followers) >= len(isr.maximal) else (),",
        "maximal_isr=isr.committed, joining=(),",
    ),
    Mutation(
        "H4: acknowledged before it is replicated", "minikafka.replica.partition",
        "Partition.append_outcome", "if self.log.high_watermark < end_offset:", "if False:",
    ),
    Mutation(
        "a follower joins the ISR below the high watermark", "minikafka.replica.partition",
        "Partition._consider_joining", "if follower.log_end_offset < reached:", "if False:",
    ),
    Mutation(
        "a new leader believes what it knew of followers", "minikafka.replica.replica_state",
        "ReplicaState.reset", "if still_leader:", "if True:",
    ),
    Mutation(
        "requests of older leader epochs are served", "minikafka.replica.partition",
        "Partition.check_leader_epoch", "if requested < 0 or requested == self.leader_epoch:",
        "if True:",
    ),
    Mutation(
        "fetches of earlier incarnations count", "minikafka.replica.partition",
        "Partition.is_stale_epoch", "return broker_epoch != -1 and", "return False and",
    ),
    Mutation(
        "stale fetch answers are taken", "minikafka.replica.fetcher",
        "Fetcher._one_answer", "or followed.position != asked", "",
    ),
    Mutation(
        "a follower does not truncate what diverges", "minikafka.replica.fetcher",
        "Fetcher._truncate", "log.truncate_to(target, self.env.clock.now)",
        "log.truncate_to(log.log_end_offset, self.env.clock.now)",
    ),
    Mutation(
        "a follower truncates one record too few", "minikafka.replica.fetcher",
        "Fetcher._truncate", "log.truncate_to(target, ", "log.truncate_to(target + 1, ",
    ),
    Mutation(
        "broker epochs in AlterPartition are not compared",
        "minikafka.controller.replication_control", "_is_eligible",
        "epoch in (-1, broker.epoch)", "True",
    ),
    Mutation(
        "partition epochs in AlterPartition are not compared",
        "minikafka.controller.replication_control", "_refusal",
        "if data.partition_epoch < current.partition_epoch:", "if False:",
    ),
    Mutation(
        "leader epochs in AlterPartition are not compared",
        "minikafka.controller.replication_control", "_refusal",
        "if data.leader_epoch < current.leader_epoch:", "if False:",
    ),
    Mutation(
        "E7: an unclean shutdown is believed to be clean",
        "minikafka.controller.cluster_control", "_leftovers",
        "request.previous_broker_epoch == known.epoch", "True",
    ),
    Mutation(
        "E5: the ELR stays at min ISR", "minikafka.controller.partition_change",
        "_Change.write_elr", "if len(self.isr) >= self.rules.min_isr:", "if False:",
    ),
    Mutation(
        "E5: whoever is not in the ISR is eligible", "minikafka.controller.partition_change",
        "_Change.choose_elr", "for x in sorted({*self.current.elr, *self.current.isr})",
        "for x in sorted(self.replicas)",
    ),
    Mutation(
        "L1: anybody who lives may lead", "minikafka.controller.election",
        "elect", "return replica in eligible and acceptable(replica)",
        "return acceptable(replica)",
    ),
    Mutation(
        "L8: unclean leaders are not marked", "minikafka.controller.partition_change",
        "_Change.elect", "LeaderRecoveryState(int(elected.unclean))",
        "LeaderRecoveryState.RECOVERED",
    ),
    Mutation(
        "L8: an unclean leader keeps the ISR", "minikafka.controller.partition_change",
        "_Change.elect", "self.isr, self.elr = (elected.leader,), ()",
        "self.isr, self.elr = (elected.leader, *self.current.replicas[:1]), ()",
    ),
    Mutation(
        "sequence numbers are not looked at", "minikafka.log.producer_state",
        "ProducerState.check", "if entry is None:", "if True:",
    ),
    Mutation(
        "C4: logs are not recovered after an unclean end", "minikafka.log.log_directory",
        "LogDirectory.was_clean",
        "return self.clean_shutdown_epoch is not None and self.clean_shutdown_epoch >= 0",
        "return True",
    ),
    Mutation(
        "metadata is committed before it is on disk", "minikafka.raft.raft_node",
        "RaftNode._advance_high_watermark", "self._flushed_offset if", "self.log.end_offset if",
    ),
)  # fmt: skip


@contextmanager
def applied(mutation: Mutation) -> Iterator[None]:
    """Run with one guard weakened."""
    module = import_module(mutation.module)
    *owners, name = mutation.function.split(".")
    owner = module
    for each in owners:
        owner = getattr(owner, each)
    former = inspect.getattr_static(owner, name)
    function = former.fget if isinstance(former, property) else former
    source = textwrap.dedent(inspect.getsource(function))
    if mutation.old not in source:
        raise LookupError(f"{mutation.name}: {mutation.function} has no {mutation.old!r}")
    space: dict[str, object] = {}
    exec(source.replace(mutation.old, mutation.new), vars(module), space)
    mutant = space[name]
    setattr(owner, name, mutant)
    # Other modules may have taken the function under its own name.
    borrowed = []
    if not owners:
        for other in list(sys.modules.values()):
            if getattr(other, name, None) is former and other.__name__.startswith("minikafka"):
                setattr(other, name, mutant)
                borrowed.append(other)
    try:
        yield
    finally:
        setattr(owner, name, former)
        for other in borrowed:
            setattr(other, name, former)
