"""The metadata and the configuration that a broker has."""

from minikafka.common.ids import Uuid
from minikafka.config import broker as keys
from minikafka.config.values import Config
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.image import RESOURCE_BROKER, ImageBuilder, MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.local_broker import LocalBroker

KEY = keys.MAX_CONNECTIONS


def configured(loader, resource, value):
    record = ConfigRecord(
        resource_type=RESOURCE_BROKER, resource_name=resource, name=KEY.name, value=value
    )
    offset = loader.image.offset + 1
    loader.load_batch([(offset, record)], last_offset=offset, epoch=1)


def test_values_of_the_metadata_count_from_the_refresh_and_the_nodes_own_come_first():
    loader, static = MetadataLoader(), {KEY.name: "10"}
    local = LocalBroker(1, "PLAINTEXT", loader, static, Config(static))
    configured(loader, "", "20")
    assert local.config_layers().dynamic_default == {KEY.name: "20"}
    assert local.config[KEY] == 10
    local.refresh()
    assert local.config[KEY] == 20
    configured(loader, "1", "30")
    configured(loader, "2", "40")
    local.refresh()
    assert local.config[KEY] == 30


def test_brokers_are_reached_at_the_inter_broker_listener():
    builder = ImageBuilder(MetadataImage())
    builder.put_broker(
        BrokerRegistration(
            broker_id=2, epoch=1, incarnation_id=Uuid.of(1, 2),
            endpoints=(Endpoint("CLIENTS", "a", 1), Endpoint("INTERNAL", "b", 2)), features={},
            rack=None, fenced=True, in_controlled_shutdown=False, log_dirs=(),
            cordoned_log_dirs=None, registered_at=1,
        )
    )  # fmt: skip
    local = LocalBroker(1, "INTERNAL", MetadataLoader(builder.build(1, 1)), {}, Config({}))
    assert local.endpoint_of(2) == Endpoint("INTERNAL", "b", 2)
    assert local.endpoint_of(3) is None
