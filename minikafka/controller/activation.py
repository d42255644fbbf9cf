"""The records that a controller writes when it becomes active, before it serves any request.

An empty metadata log gets the bootstrap records, in one metadata transaction if the
metadata.version supports transactions. A transaction that a former controller left open is aborted.

Source: `ActivationRecordsGenerator`, `BootstrapDirectory`, KIP-868.
"""

from collections.abc import Sequence

from minikafka.config.broker import MIN_INSYNC_REPLICAS
from minikafka.config.values import Config
from minikafka.messages.metadata_records.abort_transaction_record import AbortTransactionRecord
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.end_transaction_record import EndTransactionRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    METADATA_TRANSACTIONS_FROM,
    METADATA_VERSION,
)
from minikafka.metadata.image import RESOURCE_BROKER, MetadataImage
from minikafka.metadata.serde import MetadataRecord


def activation_records(
    image: MetadataImage,
    *,
    in_transaction: bool,
    bootstrap: Sequence[MetadataRecord],
    config: Config,
) -> list[MetadataRecord]:
    """Return the records to write, in one batch; an empty list if nothing has to be written.

    `bootstrap` are the records that formatting wrote, used if the log has no metadata.version yet.
    """
    records: list[MetadataRecord] = []
    if in_transaction:
        records.append(AbortTransactionRecord(reason="Controller failover"))
    if not image.feature(METADATA_VERSION):
        records += _bootstrap(bootstrap, config)
    return records


def feature_levels(records: Sequence[MetadataRecord]) -> dict[str, int]:
    """Return the feature levels that `records` finalize, by feature name."""
    return {
        record.name: record.feature_level
        for record in records
        if isinstance(record, FeatureLevelRecord)
    }


def _bootstrap(bootstrap: Sequence[MetadataRecord], config: Config) -> list[MetadataRecord]:
    levels = feature_levels(bootstrap)
    records = list(bootstrap)
    if levels.get(ELIGIBLE_LEADER_REPLICAS_VERSION, 0) > 0:
        # As Kafka: with ELR the cluster's value is written to the log, so that every controller
        # decides by the same one (`ActivationRecordsGenerator`).
        records.append(
            ConfigRecord(
                resource_type=RESOURCE_BROKER,
                resource_name="",
                name=MIN_INSYNC_REPLICAS.name,
                value=str(config[MIN_INSYNC_REPLICAS]),
            )
        )
    if levels.get(METADATA_VERSION, 0) < METADATA_TRANSACTIONS_FROM:
        return records
    return [BeginTransactionRecord(name="Bootstrap records"), *records, EndTransactionRecord()]
