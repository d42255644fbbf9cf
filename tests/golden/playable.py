"""The sequences that can be played here, and those that cannot, each with its reason."""

from minikafka.messages.api_keys import ApiKey
from minikafka.serving.index import MODULES
from tests.golden import sequence as data


def left_out():
    """The sequences that cannot be played here, each with its reason; the run prints them."""
    return {
        name: f"it needs {needs}, which no broker here serves"
        for name in data.names()
        if (needs := data.load(name).needs) and ApiKey[needs] not in MODULES["broker"]
    }


def possible():
    """The sequences that are played: all but those of `left_out`."""
    return [name for name in data.names() if name not in left_out()]


def lines():
    """A line for each sequence that is left out."""
    return [f"golden sequence {name} is left out: {why}" for name, why in left_out().items()]
