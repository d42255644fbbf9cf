"""The error that checkers raise."""

from typing import NoReturn

from minikafka.common.faults import InvariantViolation


class Violation(InvariantViolation):
    """A broken rule. The message begins with the rule and says where it was broken."""


def endless_work(what: str) -> NoReturn:
    """Report work of a node that starts itself again and again in one instant.

    Raises:
        Violation: always.
    """
    raise Violation(f"Steps: {what} start again and again without any delay")
