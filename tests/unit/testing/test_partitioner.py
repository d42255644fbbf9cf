import pytest

from minikafka.testing.partitioner import murmur2, partition_of_key


@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        # The values of `UtilsTest.testMurmur2`.
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_the_java_client(key, hashed):
    assert murmur2(key) == hashed & 0xFFFFFFFF


def test_a_negative_hash_loses_its_sign():
    assert partition_of_key(b"21", 7) == (-973932308 & 0x7FFFFFFF) % 7
