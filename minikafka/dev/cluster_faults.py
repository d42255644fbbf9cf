"""The faults of `minikafka dev --faults`: what is set, and what the nodes have of it.

Every node has a folder of `server.debug_hooks`. A node that is not running, or paused, gets the
faults when it is back. All nodes count the calls and hits of a fault together, in a file.
"""

import fcntl
import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from string import ascii_letters, digits
from typing import Any, Final, Protocol

from minikafka.dev.fault_state import DiskState, FaultState, Pair, PlacedFault, named_nodes
from minikafka.dev.layout import FAULTS, Layout
from minikafka.faults.vocabulary import MAX_MS, AnswerFault, FaultError
from minikafka.server.debug_hooks import (
    DISK_FULL,
    FOR_DISK,
    FOR_FAULTS,
    FOR_JOURNAL,
    HOOKS_VARIABLE,
    SLOW_SYNC,
    VARIABLE,
)
from minikafka.server.fault_counter import counts
from minikafka.server.fault_socket import command
from minikafka.serving.registry import BROKER

_HOOKS: Final = (FOR_DISK, FOR_FAULTS, FOR_JOURNAL)
_TIMEOUT_S: Final = 2.0
_ID_CHARACTERS: Final = frozenset(ascii_letters + digits + "._-")
_RETRY_EVERY_S: Final = 0.01
_LOCK_TIMEOUT_S: Final = 1.0
_HELD_TIMEOUT_S: Final = 5.0


class SilentNodeError(Exception):
    """A node runs, but does not answer."""


class UnknownFaultError(Exception):
    """There is no fault with an id."""


class FaultyProcess(Protocol):
    """The process of a node."""

    is_paused: bool

    @property
    def is_running(self) -> bool:
        """True while the process exists."""


_NOTHING: Final = FaultState().commands(0)


class DevFaults:
    """The faults of a cluster's nodes. Methods may be called from any thread."""

    def __init__(self, layout: Layout, processes: Mapping[int, FaultyProcess]) -> None:
        """Make the folder, in place of one that an earlier process has left."""
        self.folder = layout.directory / FAULTS
        self._layout = layout
        self._processes = processes
        self.on_event: Callable[[str], object] = lambda _: None
        """Called with a sentence about each change."""
        self.state = FaultState()
        self._sent: dict[int, dict[str, Any]] = {}
        """The faults of each node. A node that has started, but was not reached yet, is missing."""
        self._restoring: dict[int, threading.Thread] = {}
        self._lock = threading.RLock()
        self._number = 0
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def count(self) -> int:
        """Return the number of things that are set."""
        state = self.state
        links = len(state.cut) + len(state.slow_ms)
        return len(state.faults) + links + len(state.clocks) + len(state.disks)

    # Processes

    def environ(self, node: int) -> dict[str, str]:
        """Return the variables by which a node has the means for faults."""
        return {VARIABLE: str(self.node_folder(node)), HOOKS_VARIABLE: ",".join(_HOOKS)}

    def launched(self, node: int) -> None:
        """A process of a node was started: set its faults as soon as it can be reached."""
        with self._lock:
            self._sent.pop(node, None)
            thread = threading.Thread(target=self._restore, args=(node,), daemon=True)
            self._restoring[node] = thread
        thread.start()

    def await_held(self, node: int) -> None:
        """Wait until a node that was started has its faults."""
        self._restoring[node].join(_HELD_TIMEOUT_S)

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Return a context in which no node counts a call.

        A node that is paused while it does keeps the lock of the counter, for which others wait.
        """
        with self._lock, ExitStack() as held:
            for each in self.state.faults:
                held.enter_context(_locked(each.counter))
            yield

    def resumed(self, node: int) -> None:
        """Set what has changed while a node was paused."""
        with suppress(SilentNodeError), self._lock:
            self._update(node)

    def _restore(self, node: int) -> None:
        process = self._processes[node]
        while process.is_running:
            with self._lock, suppress(OSError, FaultError):
                if not process.is_paused:
                    command(self.node_folder(node), "hits", None, _TIMEOUT_S)
                    self._sent[node] = dict(_NOTHING)
                    self._send(node)
                    return
            # The node has no socket yet.
            time.sleep(_RETRY_EVERY_S)

    # Changes

    def add(self, value: Mapping[str, Any], nodes: Collection[int] | None) -> PlacedFault:
        """Set a fault of answers, at some nodes or at all.

        Raises:
            FaultError: the fault cannot exist.
            SilentNodeError: nothing has changed, since a node does not answer.
        """
        if "counter_file" in value:
            raise FaultError("counter_file: cannot be given, since all nodes count together")
        fault = AnswerFault.from_json(value)
        if not set(fault.id) <= _ID_CHARACTERS:
            raise FaultError("id: takes letters, digits, '.', '_' and '-'")
        if nodes is not None:
            self._check_nodes(nodes)
            self._check_role(fault, nodes)
        with self._lock:
            self._number += 1
            name = fault.id or self._free_id()
            if any(each.fault.id == name for each in self.state.faults):
                raise FaultError(f"id: two faults have the id {name!r}")
            counter = self.folder / f"counter-{self._number}"
            added = PlacedFault(
                replace(fault, id=name, counter_file=str(counter.absolute())),
                None if nodes is None else tuple(sorted(nodes)),
            )
            counter.touch(mode=0o600)
            try:
                self._change(replace(self.state, faults=(*self.state.faults, added)))
            except BaseException:
                counter.unlink()
                raise
        self.on_event(f"set {added}")
        return added

    def remove(self, fault_id: str) -> dict[str, Any]:
        """Remove a fault of answers; return it with its hits.

        Raises:
            UnknownFaultError: there is none with this id.
            SilentNodeError: nothing has changed, since a node does not answer.
        """
        with self._lock:
            removed = self._fault(fault_id)
            by_node = self._hits_by_node()
            left = tuple(each for each in self.state.faults if each is not removed)
            self._change(replace(self.state, faults=left))
            found = _to_json(removed, by_node)
            removed.counter.unlink(missing_ok=True)
        self.on_event(f"removed {removed.fault.id}, {_hits(found['hits'])}")
        return found

    def set_links(self, cut: Iterable[Pair], slow_ms: Mapping[Pair, int], *, keep: bool) -> None:
        """Cut and slow links; heal the others unless `keep`.

        Raises:
            FaultError: a node refuses it.
            SilentNodeError: nothing has changed, since a node does not answer.
        """
        cut, slow_ms = set(cut), dict(slow_ms)
        self._check_nodes({node for pair in (*cut, *slow_ms) for node in pair})
        with self._lock:
            state = self.state
            if keep:
                cut, slow_ms = {*state.cut, *cut}, {**state.slow_ms, **slow_ms}
            slow_ms = {pair: ms for pair, ms in slow_ms.items() if ms}
            self._change(replace(state, cut=frozenset(cut), slow_ms=slow_ms))
            self._tell(state)

    def set_clock(self, node: int, offset_ms: int, rate: float) -> None:
        """Shift the clock of a node, or let it drift.

        Raises:
            FaultError: the node refuses it.
            SilentNodeError: nothing has changed, since the node does not answer.
        """
        self._check_nodes([node])
        with self._lock:
            state = self.state
            clocks = {**state.clocks, node: (offset_ms, rate)}
            if (offset_ms, rate) == (0, 1):
                del clocks[node]
            self._change(replace(state, clocks=clocks))
            self._tell(state)

    def set_disk(
        self, node: int, *, is_full: bool | None = None, sync_ms: int | None = None
    ) -> None:
        """Let a disk be full or slow, or no longer; None: as before.

        Raises:
            FaultError: there is no such node, or the time is out of range.
        """
        self._check_nodes([node])
        if sync_ms is not None and not 0 <= sync_ms <= MAX_MS:
            raise FaultError(f"disk: sync_ms takes ms from 0 to {MAX_MS}")
        with self._lock:
            state = self.state
            before = state.disks.get(node, DiskState())
            disk = DiskState(
                before.is_full if is_full is None else is_full,
                before.sync_ms if sync_ms is None else sync_ms,
            )
            disks = {**state.disks, node: disk}
            if disk == DiskState():
                del disks[node]
            self._write_disk(node, disk)
            self.state = replace(state, disks=disks)
            self._tell(state)

    def _write_disk(self, node: int, disk: DiskState) -> None:
        """Write the files that a node reads before each write and fsync."""
        folder = self.node_folder(node)
        folder.mkdir(exist_ok=True)
        slow = folder / f"{SLOW_SYNC}.new"
        slow.write_text(str(disk.sync_ms))
        slow.replace(folder / SLOW_SYNC)
        if disk.is_full:
            (folder / DISK_FULL).touch()
        else:
            (folder / DISK_FULL).unlink(missing_ok=True)

    def heal(self) -> list[str]:
        """Remove everything; return a line for each thing that was removed.

        Raises:
            SilentNodeError: a node that does not answer may still have its faults.
        """
        with self._lock:
            state, lines = self.state, self.lines()
            self.state = FaultState()
            for node in state.disks:
                self._write_disk(node, DiskState())
            silent = []
            for node in list(self._sent):
                try:
                    self._update(node)
                except SilentNodeError:
                    silent.append(node)
            for each in state.faults:
                each.counter.unlink(missing_ok=True)
        if silent:
            raise SilentNodeError(f"{named_nodes(silent)} does not answer, and may have its faults")
        if lines:
            self.on_event("healed every fault")
        return lines

    def _check_nodes(self, nodes: Collection[int]) -> None:
        known = self._layout.all_nodes
        for node in nodes:
            if node not in known:
                raise FaultError(f"there is no node {node}; {named_nodes(known)} exist")

    def _check_role(self, fault: AnswerFault, nodes: Collection[int]) -> None:
        layout = self._layout
        able = layout.nodes if fault.role == BROKER else layout.voters
        for node in nodes:
            if node not in able:
                raise FaultError(
                    f"node {node} is no {fault.role}, so it answers no {fault.api} as one"
                )

    def _free_id(self) -> str:
        taken = {each.fault.id for each in self.state.faults}
        return next(name for at in count(self._number) if (name := f"fault-{at}") not in taken)

    def _tell(self, before: FaultState) -> None:
        """Report links, clocks and disks that have changed."""
        was, now = list(before.lines()), list(self.state.lines())
        for line in now:
            if line not in was:
                self.on_event(line)
        if was and not now:
            self.on_event("links, clocks and disks are healed")

    def _change(self, state: FaultState) -> None:
        """Bring a state to all nodes that can be reached, or to none."""
        before, self.state = self.state, state
        try:
            for node in list(self._sent):
                self._update(node)
        except (FaultError, SilentNodeError):
            self.state = before
            for node in list(self._sent):
                with suppress(FaultError, SilentNodeError):
                    self._update(node)
            raise

    def _update(self, node: int) -> None:
        """Send a node what it lacks, unless it gets that later.

        Raises:
            FaultError: the node refuses it.
            SilentNodeError: the node does not answer.
        """
        if not self._is_reachable(node):
            return
        try:
            self._send(node)
        except OSError as error:
            if self._processes[node].is_running:
                reason = error.strerror or str(error)
                raise SilentNodeError(f"node {node} does not answer: {reason}") from None

    def _is_reachable(self, node: int) -> bool:
        process = self._processes[node]
        return node in self._sent and process.is_running and not process.is_paused

    def _send(self, node: int) -> None:
        sent = self._sent[node]
        for name, argument in self.state.commands(node).items():
            before = sent[name]
            if before == argument:
                continue
            sent[name] = None  # unknown, if there is no answer
            try:
                command(self.node_folder(node), name, argument, _TIMEOUT_S)
            except FaultError:
                sent[name] = before
                raise
            sent[name] = argument

    # Reports

    def fault(self, fault_id: str) -> dict[str, Any]:
        """Return a fault of answers with its hits.

        Raises:
            UnknownFaultError: there is none with this id.
        """
        with self._lock:
            return _to_json(self._fault(fault_id), self._hits_by_node())

    def faults(self) -> list[dict[str, Any]]:
        """Return all faults of answers, with their hits."""
        with self._lock:
            by_node = self._hits_by_node() if self.state.faults else {}
            return [_to_json(each, by_node) for each in self.state.faults]

    def lines(self) -> list[str]:
        """Return a line for each thing that is set."""
        with self._lock:
            hits = [(each, _total(each)) for each in self.state.faults]
            return [*(f"{each}: {_hits(total)}" for each, total in hits), *self.state.lines()]

    def _fault(self, fault_id: str) -> PlacedFault:
        for each in self.state.faults:
            if each.fault.id == fault_id:
                return each
        known = ", ".join(each.fault.id for each in self.state.faults)
        hint = f"the faults are {known}" if known else "none is set"
        raise UnknownFaultError(f"there is no fault {fault_id[:100]}; {hint}")

    def _hits_by_node(self) -> dict[int, Mapping[str, int]]:
        """Ask the nodes for their hits; those that do not answer are missing."""
        found = {}
        for node in self._sent:
            if self._is_reachable(node):
                with suppress(OSError, FaultError):
                    found[node] = command(self.node_folder(node), "hits", None, _TIMEOUT_S)
        return found

    def node_folder(self, node: int) -> Path:
        """Return the folder with the debug files of a node."""
        return self.folder.absolute() / f"node-{node}"


def pairs(first: Sequence[int], second: Sequence[int]) -> list[Pair]:
    """Return the links between two groups of nodes.

    Raises:
        FaultError: a node is in both.
    """
    for node in first:
        if node in second:
            raise FaultError(f"node {node} has no link to itself")
    return [(min(pair), max(pair)) for pair in product(first, second)]


@contextmanager
def _locked(counter: Path) -> Iterator[None]:
    """Hold the lock of a counter, unless another process does not release it."""
    try:
        file = os.open(counter, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    deadline_s = time.monotonic() + _LOCK_TIMEOUT_S
    try:
        while time.monotonic() < deadline_s:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.001)
        yield
    finally:
        os.close(file)


def _to_json(fault: PlacedFault, by_node: Mapping[int, Mapping[str, int]]) -> dict[str, Any]:
    found = fault.fault.to_json()
    del found["counter_file"]
    if fault.nodes is not None:
        found["nodes"] = list(fault.nodes)
    name = fault.fault.id
    own = {str(node): by_node[node][name] for node in sorted(by_node) if name in by_node[node]}
    return {**found, "hits": _total(fault), "hits_by_node": own}


def _total(fault: PlacedFault) -> int:
    with suppress(OSError, ValueError):
        return counts(fault.counter)[1]
    return 0


def _hits(total: int) -> str:
    return "1 hit" if total == 1 else f"{total} hits"
