"""The task of the local engine's process."""

import dataclasses

from minikafka.harness.part_process import PartTask
from minikafka.harness.plan.injections import Injection


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LocalJob(PartTask):
    """The arguments of the process: the run's folder, and what its verdict depends on."""

    root: str
    seed: int
    inject: Injection | None
    transactions: bool = False
