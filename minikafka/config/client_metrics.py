"""Configuration keys of a subscription to the metrics of clients (KIP-714).

A subscription is stored, listed and described. No client gets it: the telemetry APIs are not
advertised. Source: `ClientMetricsConfigs`.
"""

import re
from typing import Final

from minikafka.config import java_text
from minikafka.config.definition import ConfigType, Key, KeyTable, Update, Valid

MIN_INTERVAL_MS = 100
MAX_INTERVAL_MS = 3_600_000
_NO_EMPTY_ITEMS = Valid(
    "a list without empty items",
    lambda value: isinstance(value, tuple) and all(value),
    keeps_empty=True,
    drops_repeats=True,
)
# A quotation, an escape, a group, a class with its first `]`, which is a literal, a quantifier.
_PIECE: Final = (
    r"(?s)\\Q.*?(?:\\E|\Z)|\\[a-zA-Z]\{[^}]{,64}\}|\\.|\(\??|\[\^?\]?|[*+?][?+]?|\{[0-9]+\}[?+]?|."
)
_MATCHED = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)

INTERVAL_MS: Key[int] = Key(
    name="interval.ms",
    type=ConfigType.INT,
    default=300_000,
    update=Update.CLUSTER_WIDE,
    doc="The interval at which clients push the metrics of the subscription.",
)
MATCH: Key[tuple[str, ...]] = Key(
    name="match",
    type=ConfigType.LIST,
    default=(),
    valid=_NO_EMPTY_ITEMS,
    update=Update.CLUSTER_WIDE,
    doc="The clients of the subscription, as attribute=pattern; all clients if it is empty.",
)
METRICS: Key[tuple[str, ...]] = Key(
    name="metrics",
    type=ConfigType.LIST,
    default=(),
    valid=_NO_EMPTY_ITEMS,
    update=Update.CLUSTER_WIDE,
    doc="The prefixes of the names of metrics, or * for all.",
)
CLIENT_METRICS_KEYS = KeyTable("client metrics", (INTERVAL_MS, MATCH, METRICS))


def bad_match(text: str) -> str | None:
    """Return the first item of a `match` that is not attribute=pattern; None if all are."""
    for item in MATCH.parse(text):
        parts = item.split("=")
        if len(parts) != 2 or parts[0].strip() not in _MATCHED or not parts[1]:
            return item
        if not _is_pattern(java_text.trim(parts[1])):
            return item
    return None


def _is_pattern(text: str) -> bool:
    """True if groups, classes and quantifiers of a Java regular expression fit together.

    The expression is never used, so `re` need not understand it. Ranges of classes and names of
    groups are not checked.
    """
    groups = classes = 0
    is_repeatable = False
    for found in re.finditer(_PIECE, text):
        piece = found.group()
        kind = piece[0]
        if piece == "\\":
            return False
        if classes:
            classes += {"[": 1, "]": -1}.get(kind, 0)
        elif kind == "[":
            classes = 1
        elif kind in "()":
            groups += 1 if kind == "(" else -1
        elif piece == "{" or (kind in "*+?" and not is_repeatable):
            return False
        if groups < 0:
            return False
        is_repeatable = kind not in "(|*+?{"
    return groups == 0 and classes == 0
