"""Checks of the sender, shared by the requests of brokers. Source: `ClusterControlManager`."""

from minikafka.common.errors import StaleBrokerEpochError
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.image import MetadataImage


def check_broker_epoch(image: MetadataImage, broker_id: int, epoch: int) -> BrokerRegistration:
    """Return the registration of the broker that sent a request.

    Raises:
        StaleBrokerEpochError: it is not registered, or is registered with another epoch.
    """
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise StaleBrokerEpochError(f"broker {broker_id} is not registered")
    if broker.epoch != epoch:
        raise StaleBrokerEpochError(
            f"broker {broker_id} is registered with epoch {broker.epoch}, not {epoch}"
        )
    return broker
