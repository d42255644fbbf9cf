"""Checks of who speaks, shared by what brokers ask for. Source: `ClusterControlManager`."""

from minikafka.common.errors import StaleBrokerEpochError
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.image import MetadataImage


def check_broker_epoch(image: MetadataImage, broker_id: int, epoch: int) -> BrokerRegistration:
    """The registration of the broker that speaks.

    Raises:
        StaleBrokerEpochError: it is not registered, or a later incarnation of it is.
    """
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise StaleBrokerEpochError(f"broker {broker_id} is not registered")
    if broker.epoch != epoch:
        raise StaleBrokerEpochError(
            f"broker {broker_id} is registered with epoch {broker.epoch}, not {epoch}"
        )
    return broker
