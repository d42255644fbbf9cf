"""A client's append whose records are being validated, or are appended already."""

from dataclasses import dataclass, field

from minikafka.common.wait_key import WaitKey
from minikafka.log.appends import LogAppendInfo
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.records.batch import BatchHeader

Validated = tuple[memoryview, BatchHeader]


@dataclass(slots=True, eq=False)
class QueuedAppend:
    """One append in progress. `done` is notified when `outcome` is set."""

    required_acks: int
    size_bytes: int
    validated: Validated | Exception | None = None
    outcome: LogAppendInfo | Exception | None = None
    guard: VerificationGuard = NOT_VERIFIED
    """The verification of its transaction."""
    leader_epoch: int = -1
    """The leader epoch in which the records were appended."""
    done: WaitKey = field(default_factory=lambda: WaitKey("append"))
