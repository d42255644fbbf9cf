"""Why nodes that start cannot serve any more, so that nothing waits for them."""

import threading
from collections.abc import Callable, Collection

from minikafka.testing.processes import NodeProcesses
from minikafka.testing.values import Deadline

_MAJORITY_S = 2.0
"""The time in which other threads may start the rest of a majority."""


def start_watch(
    processes: NodeProcesses, voters: Collection[int], given_up: threading.Event
) -> Callable[[], str]:
    """Return a function that says why a start that begins now is hopeless, or "".

    `voters` are the controllers that have processes of their own.
    """
    deadline = Deadline(_MAJORITY_S)

    def hopeless() -> str:
        if given_up.is_set():
            return "the start was given up"
        running = (set(processes.running) - set(processes.paused)) & set(voters)
        if not voters or len(running) * 2 > len(voters) or not deadline.is_over:
            return ""
        names = ", ".join(map(str, voters))
        return (
            f"no node serves without a majority of the controllers, nodes {names}: "
            "start them together"
        )

    return hopeless
