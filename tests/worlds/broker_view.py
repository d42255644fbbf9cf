"""The broker of a test, with the metadata that its world holds, and its collaborators."""

from minikafka.config.values import Config
from minikafka.metadata.local_broker import LocalBroker


def local_broker(world, config=None, *, listener="PLAINTEXT", epoch=1):
    """Broker 1, which sees the `image` of a world, also if that is replaced later."""
    config = config or Config({})
    return LocalBroker(1, listener, world, config.given, config, epoch)


class Proposals:
    """Takes the proposals of partitions."""

    def __init__(self):
        self.sent = []

    def propose(self, partition, proposal):
        self.sent.append(proposal)


class Flushes:
    """Takes the logs that ask for a flush."""

    def __init__(self):
        self.logs = []

    def flush(self, log):
        self.logs.append(log)


class Faulted:
    """Takes storage faults."""

    def __init__(self):
        self.faults = []

    def take_offline(self, fault):
        self.faults.append(fault)
