"""A process has as many files as the system allows, and clients get no more than a part."""

import resource
import subprocess
import sys

import pytest

from minikafka.server.descriptors import most_connections

RAISE = """
import resource
from minikafka.server.descriptors import raise_limit
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
print(raise_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_the_soft_limit_becomes_the_hard_one():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard == resource.RLIM_INFINITY or hard >= 128
    ended = subprocess.run([sys.executable, "-c", RAISE], capture_output=True, check=True)
    assert ended.stdout.split() == [b"128", b"128", b"128"]


@pytest.mark.parametrize(
    ("limit", "most"),
    [(resource.RLIM_INFINITY, 2**31 - 1), (40, 0), (220, 133), (1024, 736), (1 << 20, 1040352)],
)
def test_a_quarter_is_reserved_within_bounds(limit, most):
    assert most_connections(limit) == most
