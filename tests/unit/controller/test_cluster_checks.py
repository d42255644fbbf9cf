import pytest

from minikafka.common.errors import StaleBrokerEpochError
from minikafka.controller.cluster_checks import check_broker_epoch
from minikafka.metadata.image import MetadataImage


def test_the_registered_incarnation_may_speak(cluster):
    epoch = cluster.image.brokers[2].epoch
    assert check_broker_epoch(cluster.image, 2, epoch) is cluster.image.brokers[2]


def test_others_may_not(cluster):
    with pytest.raises(StaleBrokerEpochError, match="epoch"):
        check_broker_epoch(cluster.image, 2, 1)
    with pytest.raises(StaleBrokerEpochError, match="not registered"):
        check_broker_epoch(MetadataImage(), 2, 1)
