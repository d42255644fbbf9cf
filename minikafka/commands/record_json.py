"""Records of the metadata log as Kafka's tools print them: JSON without spaces.

A field is left out where Kafka's generated JSON converters leave it out: a tagged field that has
its default, and a field that the record's version lacks.
"""

import base64
import json
from importlib import import_module
from typing import Any, Final

from minikafka.common.ids import Uuid
from minikafka.metadata.serde import decode_record
from minikafka.protocol.primitives import MalformedMessage, Reader
from minikafka.records.batch import ControlType
from minikafka.records.reader import Record, control_type, end_marker

# Tagged fields, which are shown only if they differ from their default.
_TAGGED: Final = {
    "AbortTransactionRecord": ("reason",),
    "BeginTransactionRecord": ("name",),
    "BrokerRegistrationChangeRecord": (
        "fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs",
    ),
    "PartitionChangeRecord": (
        "isr", "leader", "replicas", "removing_replicas", "adding_replicas",
        "leader_recovery_state", "directories", "eligible_leader_replicas", "last_known_elr",
        "last_known_leader",
    ),
    "PartitionRecord": (
        "leader_recovery_state", "eligible_leader_replicas", "last_known_elr", "last_known_leader",
    ),
    "RegisterBrokerRecord": ("log_dirs", "cordoned_log_dirs"),
}  # fmt: skip

# Other fields that the first version lacks: module, name, and the version that has them.
_SINCE: Final = {
    ("leader_change_message", "voter_directory_id"): 1,
    ("partition_record", "directories"): 1,
    ("register_broker_record", "is_migrating_zk_broker"): 2,
    ("register_broker_record", "in_controlled_shutdown"): 1,
}

# The words before a control record's value, and its class.
_CONTROL: Final = {
    ControlType.LEADER_CHANGE: ("LeaderChange: ", "leader_change_message", "LeaderChangeMessage"),
    ControlType.SNAPSHOT_HEADER: (
        "SnapshotHeader ", "snapshot_header_record", "SnapshotHeaderRecord",
    ),
    ControlType.SNAPSHOT_FOOTER: (
        "SnapshotFooter ", "snapshot_footer_record", "SnapshotFooterRecord",
    ),
    ControlType.KRAFT_VERSION: ("KRaftVersion ", "kraft_version_record", "KRaftVersionRecord"),
    ControlType.KRAFT_VOTERS: ("KRaftVoters ", "voters_record", "VotersRecord"),
}  # fmt: skip


def metadata_line(record: Record) -> str:
    """Return the content of a record of the metadata log, or why it cannot be read."""
    try:
        message = decode_record(record.value)
        reader = Reader(record.value or b"")
        version = [reader.read_uvarint() for _ in range(3)][2]
    except MalformedMessage as error:
        return f"Error at {record.offset}, skipping. {error}"
    kind = "".join(f"_{c}" if c.isupper() else c.upper() for c in type(message).__name__)[1:]
    shown = {"type": kind, "version": version, "data": _fields(message, version)}
    return "payload: " + json.dumps(shown, separators=(",", ":"), ensure_ascii=False)


def control_line(record: Record) -> str:
    """Return the content of a control record."""
    kind = control_type(record.key)
    marker = end_marker(record)
    if marker is not None:
        word = "COMMIT" if marker.is_commit else "ABORT"
        return f"endTxnMarker: {word} coordinatorEpoch: {marker.coordinator_epoch}"
    if kind not in _CONTROL or record.value is None:
        return f"controlType: UNKNOWN({kind})"
    word, module, name = _CONTROL[ControlType(kind)]
    version = int.from_bytes(record.value[:2], "big")
    message = getattr(import_module(f"minikafka.messages.data.{module}"), name).decode(
        Reader(record.value), version
    )
    return word + json.dumps(_fields(message, version), separators=(",", ":"))


def _fields(message: Any, version: int) -> dict[str, Any]:
    kind = type(message)
    tagged = _TAGGED.get(kind.__name__, ())
    default = kind() if tagged else None
    module = kind.__module__.rpartition(".")[2]
    shown = {}
    for name in kind.__slots__:
        value = getattr(message, name)
        if (
            name == "unknown_tagged_fields"
            or version < _SINCE.get((module, name), 0)
            or (name in tagged and value == getattr(default, name))
        ):
            continue
        shown[_camel(name)] = _value(value, version)
    return shown


def _value(value: Any, version: int) -> Any:
    match value:
        case Uuid():
            return str(value)
        case bytes() | memoryview():
            return base64.b64encode(value).decode()
        case list():
            return [_value(item, version) for item in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            return _fields(value, version)


def _camel(name: str) -> str:
    head, *rest = name.replace("kraft", "k_raft").split("_")
    return head + "".join(word.capitalize() for word in rest)
