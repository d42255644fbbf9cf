"""Say if a pattern is valid for a subscription, which has RE2's syntax."""

from minikafka.commands.options import ToolError
from minikafka.common.errors import InvalidRegularExpressionError
from minikafka.group.consumer.patterns import fault_of


def print_regex_check(pattern: str) -> None:
    """Print if the pattern is valid, and if not, why.

    Raises:
        ToolError: the library for patterns is missing.
    """
    try:
        fault = fault_of(pattern)
    except InvalidRegularExpressionError:
        raise ToolError(
            "Patterns cannot be checked without a library: pip install 'minikafka[patterns]'"
        ) from None
    if fault is None:
        print(f"The regular expression `{pattern}` is valid.")
    else:
        print(f"The regular expression `{pattern}` is invalid: {fault}.")
