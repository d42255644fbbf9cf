# Generated from schemas/metadata by tools/generate_messages.py. Do not edit.
"""The class of each record type of the metadata log, imported on first use."""

from enum import IntEnum
from importlib import import_module
from typing import cast

from minikafka.protocol.message import Message


class MetadataRecordType(IntEnum):
    """The number in front of every record of the metadata log."""

    REGISTER_BROKER_RECORD = 0
    UNREGISTER_BROKER_RECORD = 1
    TOPIC_RECORD = 2
    PARTITION_RECORD = 3
    CONFIG_RECORD = 4
    PARTITION_CHANGE_RECORD = 5
    FENCE_BROKER_RECORD = 7
    UNFENCE_BROKER_RECORD = 8
    REMOVE_TOPIC_RECORD = 9
    DELEGATION_TOKEN_RECORD = 10
    USER_SCRAM_CREDENTIAL_RECORD = 11
    FEATURE_LEVEL_RECORD = 12
    CLIENT_QUOTA_RECORD = 14
    PRODUCER_IDS_RECORD = 15
    BROKER_REGISTRATION_CHANGE_RECORD = 17
    ACCESS_CONTROL_ENTRY_RECORD = 18
    REMOVE_ACCESS_CONTROL_ENTRY_RECORD = 19
    NO_OP_RECORD = 20
    ZK_MIGRATION_STATE_RECORD = 21
    REMOVE_USER_SCRAM_CREDENTIAL_RECORD = 22
    BEGIN_TRANSACTION_RECORD = 23
    END_TRANSACTION_RECORD = 24
    ABORT_TRANSACTION_RECORD = 25
    REMOVE_DELEGATION_TOKEN_RECORD = 26
    REGISTER_CONTROLLER_RECORD = 27
    CLEAR_ELR_RECORD = 28
    UNREGISTER_CONTROLLER_RECORD = 29


_CLASSES = {
    0: ("metadata_records.register_broker_record", "RegisterBrokerRecord"),
    1: ("metadata_records.unregister_broker_record", "UnregisterBrokerRecord"),
    2: ("metadata_records.topic_record", "TopicRecord"),
    3: ("metadata_records.partition_record", "PartitionRecord"),
    4: ("metadata_records.config_record", "ConfigRecord"),
    5: ("metadata_records.partition_change_record", "PartitionChangeRecord"),
    7: ("metadata_records.fence_broker_record", "FenceBrokerRecord"),
    8: ("metadata_records.unfence_broker_record", "UnfenceBrokerRecord"),
    9: ("metadata_records.remove_topic_record", "RemoveTopicRecord"),
    10: ("metadata_records.delegation_token_record", "DelegationTokenRecord"),
    11: ("metadata_records.user_scram_credential_record", "UserScramCredentialRecord"),
    12: ("metadata_records.feature_level_record", "FeatureLevelRecord"),
    14: ("metadata_records.client_quota_record", "ClientQuotaRecord"),
    15: ("metadata_records.producer_ids_record", "ProducerIdsRecord"),
    17: ("metadata_records.broker_registration_change_record", "BrokerRegistrationChangeRecord"),
    18: ("metadata_records.access_control_entry_record", "AccessControlEntryRecord"),
    19: ("metadata_records.remove_access_control_entry_record", "RemoveAccessControlEntryRecord"),
    20: ("metadata_records.no_op_record", "NoOpRecord"),
    21: ("metadata_records.zk_migration_state_record", "ZkMigrationStateRecord"),
    22: ("metadata_records.remove_user_scram_credential_record", "RemoveUserScramCredentialRecord"),
    23: ("metadata_records.begin_transaction_record", "BeginTransactionRecord"),
    24: ("metadata_records.end_transaction_record", "EndTransactionRecord"),
    25: ("metadata_records.abort_transaction_record", "AbortTransactionRecord"),
    26: ("metadata_records.remove_delegation_token_record", "RemoveDelegationTokenRecord"),
    27: ("metadata_records.register_controller_record", "RegisterControllerRecord"),
    28: ("metadata_records.clear_elr_record", "ClearElrRecord"),
    29: ("metadata_records.unregister_controller_record", "UnregisterControllerRecord"),
}

_loaded: dict[int, type[Message]] = {}


def metadata_record_class(record_type: int) -> type[Message]:
    """The class of a record type.

    Raises:
        KeyError: if there is no such record type.
    """
    found = _loaded.get(record_type)
    if found is None:
        module, name = _CLASSES[record_type]
        found = cast("type[Message]", getattr(import_module(f"minikafka.messages.{module}"), name))
        _loaded[record_type] = found
    return found
