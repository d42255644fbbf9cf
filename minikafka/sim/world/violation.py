"""The error that checkers raise."""

from minikafka.common.faults import InvariantViolation


class Violation(InvariantViolation):
    """A broken rule. The message begins with the rule and says where it was broken."""
