"""What checkers raise."""

from minikafka.common.faults import InvariantViolation


class Violation(InvariantViolation):
    """A promise was broken. The message says which, where, and when in virtual time."""
