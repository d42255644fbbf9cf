"""The checksum's polynomial and its way into the process."""

import subprocess
import sys

from minikafka.records.crc import crc32c


def test_check_value_of_the_castagnoli_polynomial():
    assert crc32c(b"123456789") == 0xE3069283


def test_memoryviews_are_taken():
    assert crc32c(memoryview(bytearray(b"x123456789"))[1:]) == 0xE3069283


def test_loading_it_does_not_load_the_package_metadata():
    code = (
        "import sys; import minikafka.records.crc; "
        "sys.exit('importlib.metadata' in sys.modules or 'crc32c' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
