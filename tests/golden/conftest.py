"""Everything here that needs a cluster runs at the same time as the others: it mostly waits."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from minikafka.testing.base_ports import free_base_port
from tests.golden import playable

_PORTS_EACH = 8
_AT_ONCE = 5


@pytest.fixture(scope="session")
def played(request):
    """Gives the outcome of a `play` and its arguments; the longest plays begin first.

    A module whose tests ask for it has `PLAYS`: (function, arguments, number of steps) of each. The
    function gets the first of eight ports that are its own as a last argument.
    """
    modules = {item.module: None for item in request.session.items if _asks(item)}
    plays = sorted((play for it in modules for play in it.PLAYS), key=lambda it: -it[2])
    first = free_base_port(_PORTS_EACH * len(plays))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        futures = {
            (function, arguments): pool.submit(function, *arguments, first + _PORTS_EACH * place)
            for place, (function, arguments, _) in enumerate(plays)
        }
        yield lambda function, *arguments: futures[function, arguments].result()
        pool.shutdown(cancel_futures=True)


def _asks(item):
    return "played" in getattr(item, "fixturenames", ())


def pytest_terminal_summary(terminalreporter):
    """Name the sequences that are not played, whatever the verbosity."""
    for line in playable.lines():
        terminalreporter.write_line(line)
