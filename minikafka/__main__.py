"""The start of the `minikafka` program, also as `python -m minikafka`, and of Kafka's tools.

Ctrl-C ends the program silently while it imports its modules; later the command handles it.
"""

# Not `signal`, whose import takes longer than all that is done here.
import _signal as signal  # type: ignore[import-not-found]
import sys


def main() -> int:
    """Run the program; return its exit status."""
    usual = signal.getsignal(signal.SIGINT)
    # A program that was started in the background ignores the signal, and so it stays.
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from minikafka.cli.main import run_program  # noqa: PLC0415 - see above

    signal.signal(signal.SIGINT, usual)
    return run_program(sys.argv[0])


if __name__ == "__main__":
    sys.exit(main())
