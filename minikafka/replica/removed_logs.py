"""Logs that this broker no longer uses, until their folders are renamed.

Source: `LogManager.asyncDelete`, `LogManager.addStrayLog`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.faults import OutOfFilesFault, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.file_names import parse_folder
from minikafka.log.log_directory import METADATA_FOLDER, LogDirectory
from minikafka.log.log_manager import LogManager
from minikafka.log.two_folders import has_empty_folder, remove_empty, set_contested_aside
from minikafka.replica.turns import Turns

DELETED_A_TURN: Final = 8
CLEARED_A_TURN: Final = 2
"""Each may write three checkpoints."""


@dataclass(slots=True, eq=False, repr=False)
class RemovedLogs:
    """Renames the folders of removed replicas and of strays, a few in each turn."""

    env: Environment
    logs: LogManager
    on_fault: Callable[[StorageFault], None]
    _deleted: Turns[TopicPartition, None] = field(init=False)
    """Removed replicas. Their folders are deleted after they are renamed."""
    _added: dict[TopicPartition, None] = field(default_factory=dict)
    """Removed replicas since the last `begin`."""
    _strays: Turns[TopicPartition, None] = field(init=False)
    """Logs that the metadata does not assign to this broker. Their folders are kept."""
    _former: Turns[tuple[TopicPartition, LogDirectory], None] = field(init=False)
    """Strays that have another log of their name beside them (`TwoFolders`)."""
    _remains: Turns[tuple[TopicPartition, LogDirectory], None] = field(init=False)
    """Superseded logs and empty folders of partitions that are not on this broker."""

    def __post_init__(self) -> None:
        """Create the queues."""
        self._deleted = Turns(self.env, DELETED_A_TURN, lambda name, _: self._delete(name))
        self._strays = Turns(self.env, DELETED_A_TURN, lambda name, _: self._set_aside(name))
        self._former = Turns(self.env, DELETED_A_TURN, lambda key, _: self._set_former_aside(*key))
        self._remains = Turns(self.env, CLEARED_A_TURN, lambda key, _: self._clear(*key))

    def __contains__(self, name: TopicPartition) -> bool:
        return name in self._deleted or name in self._strays

    def add(self, name: TopicPartition, *, is_online: bool = True) -> None:
        """Add a removed replica and its log, which may be lost; `begin` must follow."""
        if is_online:
            self._deleted.put(name, None)
        self._added[name] = None

    def begin(self) -> None:
        """Rename a few folders of removed replicas now, and the others in later steps."""
        added, self._added = self._added, {}
        # Not one that is offline: nothing retires it if it is only held back.
        self.forget([name for name in added if name in self._deleted], added)
        self._deleted.begin()

    def set_strays_aside(
        self, strays: list[TopicPartition], lost: Collection[TopicPartition] = ()
    ) -> None:
        """Rename the folders of strays, a few now and the others in later steps.

        Checkpoints name neither them nor the `lost` logs any more.
        """
        for name in strays:
            self._strays.put(name, None)
        # After that: a fault drops those of its directory.
        self.forget(strays, lost)
        self._strays.begin()
        for key in self.logs.two_folders.former:
            self._former.put(key, None)
        self._former.begin()

    def clear(self, may_belong: Callable[[TopicPartition, Uuid | None], bool]) -> None:
        """Remove what is left of logs that do not belong to this broker and were not loaded.

        Those that a move has superseded are kept as strays. The empty folder of a log that was
        being created is removed: it would show later that an operator accepts an empty log.
        """
        for home in self.logs.online:
            try:
                for name in home.disk.list(""):
                    each = None if name == METADATA_FOLDER else parse_folder(name)
                    if each and not may_belong(each, None) and has_empty_folder(home, each):
                        self._remains.put((each, home), None)
            except StorageFault as fault:
                self.on_fault(fault)
            for at, log in home.superseded.items():
                if not may_belong(at, log.topic_id):
                    self._remains.put((at, home), None)
        self._remains.begin()

    def make_room(self, name: TopicPartition) -> bool:
        """Rename the folder of this name now, so that a new log can have the name.

        False if the folder must wait for descriptors: the checkpoints would have the new log, with
        the offsets of the former one.
        """
        for turns, retire in ((self._deleted, self._delete), (self._strays, self._set_aside)):
            if turns.drop(name):
                retire(name)
        return name not in self

    def drop(self, name: TopicPartition) -> bool:
        """Drop a log whose directory failed; False if the log is in use."""
        return self._deleted.drop(name) or self._strays.drop(name)

    def finish(self) -> None:
        """Rename all folders in this step."""
        self._deleted.finish()
        self._strays.finish()
        self._former.finish()
        self._remains.finish()

    def forget(
        self, names: Collection[TopicPartition], lost: Collection[TopicPartition] = ()
    ) -> None:
        """Remove logs from the checkpoints; each call writes those of all other logs."""
        for fault in self.logs.forget(names, lost):
            self.on_fault(fault)

    def replace_lost(
        self, known: Collection[TopicPartition], unknown: Collection[TopicPartition]
    ) -> None:
        """Prepare checkpoints for logs in place of lost ones; the controller knows of some.

        The others stay lost until they are created: after a crash an empty log must not lead.
        """
        self.forget(known)
        for fault in self.logs.disown_lost(unknown):
            self.on_fault(fault)

    def _delete(self, name: TopicPartition) -> None:
        if self._is_forgotten(name, self._deleted):
            self._retire(name, self.logs.delete)

    def _set_aside(self, name: TopicPartition) -> None:
        if self._is_forgotten(name, self._strays):
            self._retire(name, self.logs.set_aside)

    def _set_former_aside(self, name: TopicPartition, home: LogDirectory) -> None:
        try:
            set_contested_aside(name, home, self.logs.rng, self.env.clock.now)
        except OutOfFilesFault as fault:
            self.on_fault(fault)
            self._former.postpone((name, home), None)
        except StorageFault as fault:
            self.on_fault(fault)

    def _clear(self, at: TopicPartition, home: LogDirectory) -> None:
        if not home.is_online:
            return
        try:
            home.disk.reserve_files()
            # A log that was created meanwhile has cleared its name already.
            home.set_superseded_aside(at, self.logs.rng)
            remove_empty(at, home)
        except StorageFault as fault:
            self.on_fault(fault)

    def _is_forgotten(self, name: TopicPartition, turns: Turns[TopicPartition, None]) -> bool:
        """True if checkpoints do not name a log, which was postponed or went offline otherwise."""
        if self.logs.is_forgotten(name):
            return True
        faults = self.logs.forget([name])
        for fault in faults:
            # Before that: a failed directory drops its removed logs, and its replicas go offline.
            turns.postpone(name, None)
            self.on_fault(fault)
        return not faults

    def _retire(self, name: TopicPartition, retire: Callable[[TopicPartition, Now], None]) -> None:
        try:
            retire(name, self.env.clock.now)
        except StorageFault as fault:
            self.on_fault(fault)
