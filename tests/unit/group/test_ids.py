"""Member ids."""

import re
from random import Random

from minikafka.group.ids import new_member_id


def test_member_id_is_a_name_and_a_uuid():
    rng = Random(1)
    first, second = (new_member_id("client", rng) for _ in range(2))
    assert re.fullmatch(r"client-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first)
    assert first != second
