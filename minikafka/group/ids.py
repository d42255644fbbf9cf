"""Member ids as Kafka creates them: the client's or instance's name, a dash, a UUID.

Source: `ClassicGroup.generateMemberId`, `java.util.UUID.toString`.
"""

from random import Random

from minikafka.common.ids import Uuid


def new_member_id(name: str, rng: Random) -> str:
    """Return a new, unique member id."""
    digits = bytes(Uuid.draw(rng)).hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"{name}-{'-'.join(parts)}"
