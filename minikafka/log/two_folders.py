"""Partitions that have a folder in two log directories when the broker starts.

A directory fails, or is taken out of `log.dirs`, and the partition gets another folder meanwhile.
Source: `LogManager.loadLog`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.file_names import DELETE_SUFFIX, STRAY_SUFFIX, parse_folder, retired_name
from minikafka.log.log_directory import LogDirectory
from minikafka.log.log_folders import held_records

_log = logging.getLogger("minikafka.log")


@dataclass(slots=True, eq=False, repr=False)
class TwoFolders:
    """Decides which folder is used. `homes` has the directory of each log that is in use."""

    directories: list[LogDirectory]
    homes: dict[TopicPartition, LogDirectory]
    rng: Random
    former: list[tuple[TopicPartition, LogDirectory]] = field(default_factory=list)
    """Logs of former topics, which must be set aside; some may be already."""
    _removed: list[tuple[TopicPartition, LogDirectory]] = field(default_factory=list)
    """Logs that a start has removed, and that checkpoints may name."""

    def _with(self, at: TopicPartition) -> list[LogDirectory]:
        return [each for each in self.directories if each.is_online and at in each.logs]

    def decide(
        self, at: TopicPartition, now: Now, on_fault: Callable[[StorageFault], None]
    ) -> None:
        """Find the one log of a partition that is used, or leave it to `settle`.

        Of two logs of one topic, one that never held a record is removed: a broker that restarts
        without one of its directories does not know of the folder there until the metadata names
        the directory, and makes another one. Unlike Kafka (row 128), which does not start.

        Raises:
            BadMetaPropertiesError: both have records; only an operator knows which are newer.
        """
        while True:
            try:
                for first, second in combinations(self._with(at), 2):
                    if at in first.logs and at in second.logs:
                        self._retire_unused(at, first, second, now)
                break
            except StorageFault as fault:
                on_fault(fault)
        homes = self._with(at)
        self.homes.pop(at, None)
        if len(homes) == 1:
            self.homes[at] = homes[0]
            return
        for home in homes:
            home.contested[at] = home.logs.pop(at)

    def _retire_unused(
        self, at: TopicPartition, first: LogDirectory, second: LogDirectory, now: Now
    ) -> None:
        topic_ids = {home.logs[at].topic_id for home in (first, second)}
        if len(topic_ids) > 1 and None not in topic_ids:
            return
        pairs = [(second, first), (first, second)]
        # First one without a topic id: it is no log of a replica (`LogManager.is_gone`).
        pairs.sort(key=lambda pair: pair[0].logs[at].topic_id is not None)
        for unused, used in pairs:
            if not held_records(unused.disk, str(at)):
                unused.retire(at, DELETE_SUFFIX, self.rng, now)
                self._removed.append((at, unused))
                _log.warning(
                    "%s is in both %s and %s: removed the second one, which never held a record",
                    at, used.disk.root, unused.disk.root,
                )  # fmt: skip
                return
        raise BadMetaPropertiesError(
            f"{at} is in both {first.disk.root} and {second.disk.root}: a directory was offline "
            "while the log was moved or the replica was assigned again, or a folder was copied. "
            "Move the older of the two folders away, usually the one in the directory that failed"
        )

    def forget_removed(self, on_fault: Callable[[StorageFault], None]) -> None:
        """Remove what `decide` has removed from the checkpoints, too.

        A log of the next topic of that name would count as lost after a crash.
        """
        removed, self._removed = self._removed, []
        for home in self.directories:
            names = [at for at, each in removed if each is home]
            if names and home.is_online:
                try:
                    home.forget(names)
                except StorageFault as fault:
                    on_fault(fault)
                    continue
                for at in names:
                    del home.forgotten[at]

    def remove_empty(self, on_fault: Callable[[StorageFault], None]) -> None:
        """Remove the empty folders of partitions that have a log in another directory.

        A power loss leaves the folder of a log that was being created. If the log is gone at a
        later start, the folder must not show that an operator accepts an empty one
        (`has_empty_folder`). What is in a folder may be an operator's: that is kept.
        """
        online = [each for each in self.directories if each.is_online]
        for home in online:
            held = {
                at for each in online if each is not home for at in (*each.logs, *each.contested)
            }
            try:
                for name in home.disk.list("") if held else ():
                    at = parse_folder(name)
                    if at in held and has_unused_folder(home, at) and not remove_empty(at, home):
                        _log.warning(
                            "%s in %s is not used: another directory has the log. It is kept, "
                            "since it is no empty folder or cannot be removed",
                            at, home.disk.root,
                        )  # fmt: skip
            except StorageFault as fault:
                on_fault(fault)

    def make_way(self, at: TopicPartition, home: LogDirectory, now: Now) -> None:
        """Set aside or remove what directories have of a partition that gets a log in `home`.

        Raises:
            OutOfFilesFault: it can be called again.
            StorageFault: the directory must go offline.
        """
        for each in self.directories:
            if each.is_online:
                set_contested_aside(at, each, self.rng, now)
        # Not in the same loop: a log that is forgotten already must not wait for descriptors.
        for each in self.directories:
            if each is not home and has_unused_folder(each, at):
                self._set_unused_aside(at, each)

    def _set_unused_aside(self, at: TopicPartition, home: LogDirectory) -> None:
        home.disk.reserve_files()
        if remove_empty(at, home):
            return
        name = retired_name(at, STRAY_SUFFIX, self.rng)
        home.disk.rename(str(at), name)
        home.disk.sync_dir("")
        _log.warning(
            "%s in %s is set aside as %s: it was put there since the start, and another log of the "
            "partition is created now", at, home.disk.root, name,
        )  # fmt: skip

    def settle(self, belongs: Callable[[TopicPartition, Uuid | None], bool]) -> None:
        """Use those logs of different topics that belong to this broker.

        `belongs` knows the metadata. `set_contested_aside` must follow for the
        `former` ones.
        """
        for home in self.directories:
            for at, log in list(home.contested.items()):
                if belongs(at, log.topic_id):
                    home.logs[at] = home.contested.pop(at)
                    self.homes[at] = home
                else:
                    self.former.append((at, home))

    def hold_back(self, at: TopicPartition) -> None:
        """Do not use a log: a newer one may be in a directory that is offline.

        Retention keeps it, and a new log of the partition sets it aside.
        """
        home = self.homes.pop(at)
        home.contested[at] = home.logs.pop(at)


def has_unused_folder(home: LogDirectory, at: TopicPartition) -> bool:
    """True if a folder of a partition has no log, or was put there since the start."""
    is_log_folder = at in home.logs or at in home.contested or at in home.superseded
    return home.is_online and not is_log_folder and home.disk.exists(str(at))


def has_empty_folder(home: LogDirectory, at: TopicPartition) -> bool:
    """True if a folder shows that an operator accepts an empty log; False if it is unreadable."""
    try:
        return has_unused_folder(home, at) and not home.disk.list(str(at))
    except StorageFault:
        # The next write in this directory reports it, to a caller that can take it offline.
        return False


def remove_empty(at: TopicPartition, home: LogDirectory) -> bool:
    """Remove the folder of a partition durably; False if it is not empty or cannot be removed."""
    is_removed = home.disk.remove_empty(str(at))
    if is_removed:
        home.disk.sync_dir("")
        _log.info("removed the empty folder %s in %s", at, home.disk.root)
    return is_removed


def set_contested_aside(at: TopicPartition, home: LogDirectory, rng: Random, now: Now) -> None:
    """Keep only the files of a log that is not used; nothing is done if there is none.

    Raises:
        OutOfFilesFault: nothing was changed.
        StorageFault: the directory must go offline.
    """
    log = home.contested.get(at)
    if log is None:
        return
    if at not in home.forgotten:
        # A log that checkpoints name, and that is missing, is lost.
        home.forget([at])
    name = home.retire(at, STRAY_SUFFIX, rng, now)
    _log.warning(
        "%s in %s with topic id %s is set aside as %s: another log is used",
        at, home.disk.root, log.topic_id, name,
    )  # fmt: skip
