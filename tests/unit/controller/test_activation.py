from minikafka.config.values import Config
from minikafka.controller.activation import activation_records, feature_levels
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.image import MetadataImage
from minikafka.raft.storage import bootstrap_records


def kinds(records):
    return [type(record).__name__.removesuffix("Record") for record in records]


def activation(levels, *, image=None, in_transaction=False, config=None):
    return activation_records(
        image or MetadataImage(),
        in_transaction=in_transaction,
        bootstrap=bootstrap_records(levels),
        config=Config(config or {}),
    )


NEW = {"metadata.version": 30, "eligible.leader.replicas.version": 1}


def test_an_empty_log_is_bootstrapped_in_one_transaction():
    records = activation(NEW, config={"min.insync.replicas": "2"})
    assert kinds(records) == [
        "BeginTransaction",
        "FeatureLevel",
        "FeatureLevel",
        "Config",
        "EndTransaction",
    ]
    assert records[0].name == "Bootstrap records"
    assert [x.name for x in records[1:3]] == list(NEW)
    config = records[3]
    assert (config.resource_type, config.resource_name) == (4, "")
    assert (config.name, config.value) == ("min.insync.replicas", "2")


def test_without_elr_no_min_isr_is_written():
    assert kinds(activation({"metadata.version": 30})) == [
        "BeginTransaction",
        "FeatureLevel",
        "EndTransaction",
    ]


def test_old_clusters_know_no_transactions():
    assert kinds(activation({"metadata.version": 12})) == ["FeatureLevel"]


def test_an_unfinished_bootstrap_is_aborted_and_done_again():
    records = activation({"metadata.version": 30}, in_transaction=True)
    assert kinds(records) == [
        "AbortTransaction",
        "BeginTransaction",
        "FeatureLevel",
        "EndTransaction",
    ]


def test_a_log_in_order_needs_nothing():
    assert activation(NEW, image=MetadataImage(features=NEW)) == []


def test_an_open_transaction_of_a_former_controller_is_aborted():
    records = activation(NEW, image=MetadataImage(features=NEW), in_transaction=True)
    assert kinds(records) == ["AbortTransaction"]


def test_levels_are_read_from_records():
    records = [FeatureLevelRecord(name="x", feature_level=3), *activation(NEW)]
    assert feature_levels(records) == {"x": 3, **NEW}
