"""The evidence of a run, on which its verdict is based."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minikafka.harness.plan.injections import Injection
from minikafka.harness.plan.workload_options import SENT_TIME
from minikafka.harness.verdict.loop_checks import LoopFindings


@dataclass(slots=True, kw_only=True)
class Evidence:
    """Everything on which a verdict is based.

    `producers` are the ledgers' summaries, `producer_failures` a sentence for each producer that
    did not exit with 0. `claimed_acknowledged` is the number that the producers counted during the
    run: if their ledgers have fewer, a ledger lost its tail after it was synced. `judged` is the
    engine's answer, None if it gave none; `obstacles` are sentences that say why nothing can
    be decided. `is_own` is True if the run started the cluster, `is_whole` if every replica was in
    the ISR after the faults (None if that was not checked), `topic_asked` if the topic was
    described at the end. `windows` are rows of `timeline.windows`. `shutdown_problem` is a sentence
    about a node that did not shut down cleanly. `lenient` are the rules that are left out.
    `quorum` and `changes` are the objects of the verdict; `lost_changes` is None if the changes
    were not compared. `loops` is empty without transactions, and `loop_findings` None if the loops
    were not judged. `has_standby` is True if another controller can replace the active one.
    """

    run: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    producers: Sequence[Mapping[str, Any]] = ()
    producer_failures: Sequence[str] = ()
    claimed_acknowledged: int = 0
    judged: Mapping[str, Any] | None = None
    regressions: Sequence[Mapping[str, Any]] = ()
    faults: Sequence[Mapping[str, Any]] = ()
    replicas: Mapping[str, Any] = field(default_factory=dict)
    stream: Mapping[str, Any] = field(default_factory=dict)
    group: Mapping[str, Any] = field(default_factory=dict)
    unavailability: Mapping[str, Any] = field(default_factory=dict)
    windows: Sequence[Mapping[str, Any]] = ()
    nodes: Mapping[str, Any] = field(default_factory=dict)
    shutdown_problem: str = ""
    elections: Mapping[str, int] = field(default_factory=dict)
    quorum: Mapping[str, Any] = field(default_factory=dict)
    has_standby: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)
    lost_changes: Sequence[Mapping[str, Any]] | None = None
    loops: Mapping[str, Any] = field(default_factory=dict)
    loop_findings: LoopFindings | None = None
    is_own: bool = False
    is_whole: bool | None = None
    topic_asked: bool = False
    timestamps: str = SENT_TIME
    elr_required: bool = False
    min_acknowledged: int = 1
    lenient: Sequence[str] = ()
    obstacles: Sequence[str] = ()
    notes: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    inject: Injection | None = None
