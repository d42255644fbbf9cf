"""An answer without an error is found in the committed log, or it is a violation."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.messages import incremental_alter_configs as configs
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.remove_topic_record import RemoveTopicRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from minikafka.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from minikafka.raft.raft_log import MetadataBatch
from minikafka.records.batch import ControlType
from minikafka.sim.checks.committed_answers import CommittedAnswers
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.violation import Violation
from tests.worlds.voter_world import directory_of, voters_of

TOPIC_ID = Uuid.of(3, 3)


@pytest.fixture
def answers():
    return CommittedAnswers(Coverage())


def commit(answers, *records, voters=None):
    control = [] if voters is None else [(ControlType.KRAFT_VOTERS, voters.to_record())]
    answers.committed(MetadataBatch(0, 0, 1, 0, list(enumerate(records)), control, 0))


def created():
    return (
        CreateTopicsRequest(topics=[CreatableTopic("t")]),
        CreateTopicsResponse(topics=[CreatableTopicResult("t")]),
    )


def deleted():
    return DeleteTopicsRequest(), DeleteTopicsResponse(responses=[DeletableTopicResult("t")])


def altered(value="2"):
    change = configs.AlterableConfig("min.insync.replicas", 0, value)
    return (
        configs.IncrementalAlterConfigsRequest(
            resources=[configs.AlterConfigsResource(2, "t", [change])]
        ),
        configs.IncrementalAlterConfigsResponse(
            responses=[configs.AlterConfigsResourceResponse(0, None, 2, "t")]
        ),
    )


def finalized():
    update = FeatureUpdateKey(feature="f", max_version_level=1)
    return UpdateFeaturesRequest(feature_updates=[update]), UpdateFeaturesResponse()


def added():
    request = AddRaftVoterRequest(voter_id=103, voter_directory_id=directory_of(103))
    return request, AddRaftVoterResponse()


def removed():
    return RemoveRaftVoterRequest(None, 102, directory_of(102)), RemoveRaftVoterResponse()


TOPIC = TopicRecord(name="t", topic_id=TOPIC_ID)
CONFIG = ConfigRecord(resource_type=2, resource_name="t", name="min.insync.replicas", value="2")
THREE = voters_of(101, 102, 103)


@pytest.mark.parametrize(
    ("promise", "records", "voters"),
    [
        (created(), [TOPIC], None),
        (deleted(), [TOPIC, RemoveTopicRecord(topic_id=TOPIC_ID)], None),
        (altered(), [CONFIG], None),
        (finalized(), [FeatureLevelRecord(name="f", feature_level=1)], None),
        (added(), [], THREE),
    ],
)
def test_what_was_promised_is_committed(answers, promise, records, voters):
    with pytest.raises(Violation, match="CommittedAnswers"):
        answers.answered(*promise, 0)
    commit(answers, *records, voters=voters)
    answers.answered(*promise, 0)


def test_a_voter_that_was_removed_is_in_no_later_set(answers):
    commit(answers, voters=THREE)
    with pytest.raises(Violation, match="CommittedAnswers"):
        answers.answered(*removed(), 0)
    commit(answers, voters=voters_of(101, 103))
    answers.answered(*removed(), 0)


def test_a_later_change_does_not_make_an_answer_wrong(answers):
    asked_at = answers.position
    commit(answers, CONFIG)
    commit(answers, ConfigRecord(resource_type=2, resource_name="t", name=CONFIG.name, value="1"))
    answers.answered(*altered(), asked_at)


def test_what_held_when_it_was_asked_for_may_change_before_the_answer(answers):
    commit(answers, CONFIG)
    asked_at = answers.position
    commit(answers, ConfigRecord(resource_type=2, resource_name="t", name=CONFIG.name, value="1"))
    answers.answered(*altered(), asked_at)


def test_an_earlier_change_is_none_of_this_request(answers):
    commit(answers, CONFIG)
    commit(answers, ConfigRecord(resource_type=2, resource_name="t", name=CONFIG.name, value="1"))
    with pytest.raises(Violation, match="CommittedAnswers"):
        answers.answered(*altered(), answers.position)


def test_a_feature_without_a_record_has_level_0(answers):
    request, response = finalized()
    request.feature_updates[0].max_version_level = 0
    answers.answered(request, response, 0)


def test_errors_and_lost_connections_promise_nothing(answers):
    answers.answered(created()[0], None, 0)
    answers.answered(
        created()[0], CreateTopicsResponse(topics=[CreatableTopicResult("t", error_code=36)]), 0
    )
    answers.answered(removed()[0], RemoveRaftVoterResponse(error_code=127), 0)
    answers.answered(finalized()[0], UpdateFeaturesResponse(error_code=7), 0)
