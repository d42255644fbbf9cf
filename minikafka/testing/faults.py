"""The faults of a cluster: of answers, links, clocks and disks, and the loss of power.

The list of faults decides what each node does. A change of the list is sent to the nodes that run;
files in the folder of a node (`server.debug_hooks`) have it for its next start.
"""

import json
import shutil
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minikafka.testing.errors import ClusterError
from minikafka.testing.fault_handles import (
    NO_FAULTS,
    AnswerFaultHandle,
    ClockFaultHandle,
    DiskFaultHandle,
    FaultHandle,
    LinkFaultHandle,
    NodeFaults,
)
from minikafka.testing.processes import NodeProcesses
from minikafka.testing.settings import debug_dir
from minikafka.testing.values import Deadline

if TYPE_CHECKING:
    from minikafka.server.sync_journal import Loss

Group = int | Collection[int]
_COUNTERS = "fault-counters"
_MAX_MS = 24 * 60 * 60 * 1000
_MAX_OFFSET_MS = 100 * 365 * _MAX_MS
_MIN_DRIFT, _MAX_DRIFT = -0.9, 9
_END_S = 0.5
"""The time for which a node that has ended may seem to run."""


class ClusterFaults:
    """The faults of the nodes of one cluster. Methods may be called from any thread."""

    def __init__(
        self,
        directory: Path,
        node_ids: Sequence[int],
        voters: Sequence[int],
        processes: NodeProcesses,
    ) -> None:
        """Start without faults, also without those that an earlier cluster has left."""
        # Here, since the fork server imports at the same time.
        from minikafka.server import debug_hooks

        self._hooks = debug_hooks
        self._counters = directory / _COUNTERS
        self._node_ids = node_ids
        self._voters = voters
        self._processes = processes
        self._folders = {node: debug_dir(directory, node) for node in node_ids}
        self._lock = threading.RLock()
        self._active: list[FaultHandle] = []
        self._held: dict[int, Mapping[str, Any] | None] = {}
        """The faults of each started node; None if it may have older ones."""
        self._count = 0
        self._remove_files()

    def fault(
        self,
        /,
        api: str,
        what: str,
        *,
        node: int | None = None,
        nodes: Collection[int] | None = None,
        **match: Any,
    ) -> AnswerFaultHandle:
        """Let answers of an API be wrong, late or missing; `hits` counts how many were.

        `what` is an error code, or a kind of fault such as "drop". `match` selects calls: topic,
        partition, client_id, versions, broker_id, role, nth, times, probability, seed. `ms` is for
        delays, `after` for faults that handle the request before. All nodes together count; by
        default the fault is for each of them.

        Raises:
            ClusterError: there is no such API, error, kind, field, version or node.
        """
        # The nodes import it, too, when they get their first fault.
        from minikafka.faults.vocabulary import AnswerFault, FaultError

        if node is not None and nodes is not None:
            raise ClusterError("fault: give node or nodes, not both")
        chosen = self._chosen(self._node_ids if nodes is None else nodes, node)
        for name in {"id", "counter_file"} & match.keys():
            raise ClusterError(f"fault: {name} is the cluster's own")
        if isinstance(match.get("versions"), list):
            match["versions"] = tuple(match["versions"])
        with self._lock:
            self._count += 1
            name = f"fault-{self._count}"
            counter = self._counters / name
            try:
                made = AnswerFault.named(api, what, id=name, counter_file=str(counter), **match)
            except FaultError as error:
                raise ClusterError(str(error)) from None
            self._counters.mkdir(exist_ok=True)
            added = AnswerFaultHandle(self, made.to_json(), chosen, counter)
            self._add(added)
        return added

    def cut(self, *groups: Group) -> FaultHandle:
        """Cut the links between groups of nodes; clients still reach every node.

        Raises:
            ClusterError: there are fewer than two groups, or a node is in two of them.
        """
        added = LinkFaultHandle(self, self._groups("cut", groups))
        self._add(added)
        return added

    def isolate(self, node: int) -> FaultHandle:
        """Cut the links of a node to all others.

        Raises:
            ClusterError: there is no other node.
        """
        if len(self._node_ids) < 2:
            raise ClusterError("isolate: the cluster has only one node")
        return self.cut(node, [other for other in self._node_ids if other != node])

    def slow(self, *groups: Group, ms: int) -> FaultHandle:
        """Let each message between groups of nodes take longer, requests and answers alike.

        Raises:
            ClusterError: there are fewer than two groups, or a node is in two of them.
        """
        _check_number("ms", ms, 0, _MAX_MS)
        added = LinkFaultHandle(self, self._groups("slow", groups), ms)
        self._add(added)
        return added

    def clock(self, node: int, *, offset_ms: int = 0, drift: float = 0.0) -> FaultHandle:
        """Shift the wall clock of a node; with a drift of 0.1 its clocks gain 10 %.

        Raises:
            ClusterError: there is no such node, or a value is out of range.
        """
        self._chosen([node])
        _check_number("offset_ms", offset_ms, -_MAX_OFFSET_MS, _MAX_OFFSET_MS)
        if type(drift) not in (int, float) or not _MIN_DRIFT <= drift <= _MAX_DRIFT:
            raise ClusterError(
                f"drift={drift!r}: expected a number from {_MIN_DRIFT} to {_MAX_DRIFT}"
            )
        added = ClockFaultHandle(self, node, offset_ms, round(1 + drift, 9))
        self._add(added)
        return added

    def fill_disk(self, *nodes: int) -> FaultHandle:
        """Let every write of nodes fail, as on a full disk; a node may end because of it."""
        added = DiskFaultHandle(self, self._chosen(nodes))
        self._processes.may_end |= set(added.nodes)
        self._add(added)
        return added

    def free_disk(self, *nodes: int) -> None:
        """Let nodes write again; `start` those that have ended."""
        chosen = self._chosen(nodes)
        with self._lock:
            full = [
                fault
                for fault in self._active
                if isinstance(fault, DiskFaultHandle) and fault.sync_ms is None
            ]
            for fault in full:
                fault.nodes = [node for node in fault.nodes if node not in chosen]
            self._remove([fault for fault in full if not fault.nodes])

    def slow_disk(self, *nodes: int, ms: int) -> FaultHandle:
        """Let each sync of a file take longer."""
        _check_number("ms", ms, 0, _MAX_MS)
        added = DiskFaultHandle(self, self._chosen(nodes), ms)
        self._add(added)
        return added

    def lose_power(self, *nodes: int) -> "list[Loss]":
        """Kill nodes, and drop what they had not synced; return the lost offsets of partitions.

        Records are not synced before they are acknowledged, unless `flush.messages` says so. The
        nodes can be started again.
        """
        from minikafka.server.sync_journal import lose_unsynced

        chosen = self._chosen(nodes)
        self._processes.kill(chosen)
        lost = [loss for node in chosen for loss in lose_unsynced(self._folders[node])[1]]
        return sorted(lost)

    def remove(self, fault: FaultHandle) -> None:
        """Remove a fault, unless it was removed before."""
        self._remove([fault])

    def heal(self) -> None:
        """Remove every fault, also from nodes that were paused until now."""
        with self._lock:
            if self._active:
                self._remove(list(self._active))
            else:
                self.apply()

    def close(self) -> None:
        """Keep the hits, and remove the files: the cluster ends."""
        with self._lock:
            for fault in self._active:
                fault.ended()
            self._active.clear()
            self._remove_files()

    def _remove_files(self) -> None:
        hooks = self._hooks
        for folder in self._folders.values():
            for name in (hooks.AT_START, hooks.DISK_FULL, hooks.SLOW_SYNC):
                (folder / name).unlink(missing_ok=True)
        shutil.rmtree(self._counters, ignore_errors=True)

    def report(self) -> list[str]:
        """Return a line for each active fault, with a heading; nothing without faults."""
        with self._lock:
            lines = [f"    {fault}" for fault in self._active]
        return ["faults:", *lines] if lines else []

    def connected(self, nodes: Sequence[int]) -> list[int]:
        """Return the nodes that reach a majority of the controllers; all if none does."""
        with self._lock:
            faults = self._faults()
        found = [node for node in nodes if len(self._reached(node, faults)) * 2 > len(self._voters)]
        return found or list(nodes)

    def pause(self, nodes: Collection[int]) -> None:
        """Pause nodes, but none while it counts a call: the others would wait for its lock."""
        with self._lock, ExitStack() as held:
            for fault in self._active:
                held.enter_context(fault.no_count())
            self._processes.pause(nodes)

    @contextmanager
    def starting(self, nodes: Sequence[int]) -> Iterator[None]:
        """Return a context for the start of nodes, which have their faults from the beginning.

        Raises:
            ClusterError: a node reaches no controller, so that it could not serve.
        """
        self._before_start(nodes)
        try:
            yield
        except ClusterError as error:
            for line in self.report():
                error.add_note(line)
            raise
        # It may have started before the last change.
        self.apply()

    def _before_start(self, nodes: Sequence[int]) -> None:
        with self._lock:
            faults = self._faults()
            for node in nodes:
                if not [each for each in self._reached(node, faults) if each != node] and (
                    set(self._voters) - {node}
                ):
                    raise ClusterError(
                        f"node {node} is cut off from every controller, and cannot start: "
                        "heal the cut first"
                    )
                self._held[node] = faults[node].commands()

    def apply(self) -> None:
        """Send each node that answers what it does not have yet.

        Raises:
            ClusterError: a node refuses it, or does not answer.
        """
        with self._lock:
            self._send({node: faults.commands() for node, faults in self._faults().items()})

    def _add(self, fault: FaultHandle) -> None:
        self._processes.check_owner()
        with self._lock:
            self._active.append(fault)
            try:
                self._changed()
            except BaseException:
                self._active.remove(fault)
                with suppress(ClusterError):
                    self._changed()
                raise

    def _remove(self, faults: Collection[FaultHandle]) -> None:
        if not self._processes.is_own:
            # The end of a block in a process that was forked within it.
            return
        with self._lock:
            removed = [fault for fault in faults if fault in self._active]
            for fault in removed:
                self._active.remove(fault)
            try:
                self._changed()
            finally:
                for fault in removed:
                    fault.ended()

    def _changed(self) -> None:
        """Write the files of the nodes, and send the changes."""
        faults = self._faults()
        hooks = self._hooks
        for node, found in faults.items():
            folder = self._folders[node]
            commands = found.commands()
            text = "" if commands == NO_FAULTS else json.dumps(commands)
            _put(folder / hooks.AT_START, text)
            _put(folder / hooks.DISK_FULL, "1" if found.is_disk_full else "")
            _put(folder / hooks.SLOW_SYNC, str(found.sync_ms) if found.sync_ms else "")
        self._send({node: found.commands() for node, found in faults.items()})

    def _send(self, wanted: Mapping[int, Mapping[str, Any]]) -> None:
        sending = {}
        answering = self._processes.answering
        for node, commands in wanted.items():
            held = self._held.get(node, NO_FAULTS)
            if held == commands:
                continue
            if node not in answering:
                # Paused, or starting: it may have read its file before.
                self._held[node] = None
                continue
            changed = {
                name: value
                for name, value in commands.items()
                if held is None or held[name] != value
            }
            sending[node] = changed
        if not sending:
            return
        from minikafka.testing.fault_commands import send_commands

        problems = send_commands({self._folders[node]: sending[node] for node in sending})
        for node in sending:
            problem = problems.get(self._folders[node])
            self._held[node] = None if problem else wanted[node]
        for node in sending:
            problem = problems.get(self._folders[node])
            if problem and self._still_runs(node):
                raise ClusterError(f"node {node} does not take its faults: {problem}")

    def _still_runs(self, node: int) -> bool:
        deadline = Deadline(_END_S)
        while node in self._processes.running:
            if not deadline.wait():
                return True
        return False

    def _faults(self) -> dict[int, NodeFaults]:
        found = {node: NodeFaults() for node in self._node_ids}
        for fault in self._active:
            fault.add_to(found)
        return found

    def _reached(self, node: int, faults: Mapping[int, NodeFaults]) -> list[int]:
        return [voter for voter in self._voters if voter not in faults[node].cut]

    def _groups(self, verb: str, groups: Sequence[Group]) -> list[list[int]]:
        found = [self._chosen([each] if isinstance(each, int) else each) for each in groups]
        every = [node for group in found for node in group]
        if len(found) < 2:
            raise ClusterError(
                f"{verb}: expected two groups of nodes or more, as in cut(1, [2, 3])"
            )
        if len(set(every)) < len(every):
            raise ClusterError(f"{verb}: a node is in two groups")
        return found

    def _chosen(self, nodes: Collection[int], node: int | None = None) -> list[int]:
        """Return node ids, sorted.

        Raises:
            ClusterError: there are none, or one does not exist.
        """
        if not isinstance(nodes, Collection):
            raise ClusterError(f"nodes={nodes!r}: expected a list of node ids; node=… is for one")
        chosen = list(set(nodes)) if node is None else [node]
        if not chosen:
            raise ClusterError("no node is given")
        for each in chosen:
            if each not in self._node_ids:
                raise ClusterError(
                    f"there is no node {each!r} in a cluster of {len(self._node_ids)}"
                )
        return sorted(chosen)


def _check_number(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise ClusterError(f"{name}={value!r}: expected a whole number from {least} to {most}")


def _put(file: Path, text: str) -> None:
    """Give a file its text in one step; remove it if there is none."""
    if not text:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".part")
    unfinished.write_text(text)
    unfinished.replace(file)
