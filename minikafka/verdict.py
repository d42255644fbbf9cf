"""The verdict of a run of `minikafka verify`, read from its `verdict.json`.

    from minikafka.verdict import Verdict
    verdict = Verdict.read("out/verify-TIME")
    assert verdict.is_verified, verdict.sentence

It needs no other package. docs/verdict-json.md describes every field of the file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Verdict", "VerdictError"]

SCHEMA = "minikafka.verdict/1"
FILE_NAME = "verdict.json"


class VerdictError(Exception):
    """A file that is missing, or is no verdict of a version that is known."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a run."""

    outcome: Literal["verified", "broken", "undecided"]
    sentence: str
    """The outcome in one sentence."""
    broken: Mapping[str, int]
    """The promises that were broken, by kind, and how often."""
    reasons: tuple[str, ...]
    """Why the run is undecided, or would be if no promise were broken."""
    counts: Mapping[str, int]
    """Numbers of records, by what is known about them."""
    content: Mapping[str, Any] = field(repr=False)
    """The whole file. Fields are only ever added within a version."""

    @property
    def is_verified(self) -> bool:
        """True if no promise was broken, and the run shows enough."""
        return self.outcome == "verified"

    @classmethod
    def read(cls, path: str | Path) -> "Verdict":
        """Read the verdict of a run's folder, or the file itself.

        Raises:
            VerdictError: the file is missing, is no JSON, or has another schema.
        """
        file = Path(path)
        if file.is_dir():
            file /= FILE_NAME
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise VerdictError(f"{file}: {error.strerror}") from error
        except ValueError as error:
            raise VerdictError(f"{file} is no JSON: {error}") from error
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA:
            raise VerdictError(f"{file}: the schema is {schema!r}, known is {SCHEMA!r}")
        counts = {kind: promise["count"] for kind, promise in content["promises"].items()}
        return cls(
            outcome=content["outcome"],
            sentence=content["sentence"],
            broken={kind: count for kind, count in counts.items() if count},
            reasons=tuple(content["reasons"]),
            counts=content["counts"],
            content=content,
        )
