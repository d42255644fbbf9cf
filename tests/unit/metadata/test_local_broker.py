from minikafka.config import broker as keys
from minikafka.config.values import Config
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.metadata.image import RESOURCE_BROKER
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
