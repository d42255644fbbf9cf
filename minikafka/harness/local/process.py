"""The parent's handle of the local engine's process."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from minikafka.harness.local.task import LocalJob
from minikafka.harness.part_process import start_part
from minikafka.harness.verdict.engine_process import EngineProcess

_JOB = "minikafka.harness.local.job"


@dataclass(slots=True)
class LocalProcess(EngineProcess):
    """The process that reads the topics with a consumer and judges with DuckDB."""

    def _start(self) -> subprocess.Popen[bytes]:
        job = LocalJob(
            root=str(self.files.root),
            seed=self.settings.seed,
            inject=self.settings.inject,
            transactions=self.settings.workload.transactions,
        )
        return start_part(_JOB, job.to_json(), self.log)

    @property
    def name(self) -> str:
        """The engine's name in sentences."""
        return "the local engine"

    @property
    def log(self) -> Path:
        """The file with the process's output."""
        return self.files.logs / "local.log"
