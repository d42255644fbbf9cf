"""The actions of an operator during a run, through the project's admin client."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from minikafka.admin.client import AdminClient, AdminError, check, error_text
from minikafka.admin.configs import Resource, ResourceType, alter_configs
from minikafka.admin.features import UpgradeType, describe_features, update_features
from minikafka.admin.quorum import describe_quorum
from minikafka.common.errors import ErrorCode
from minikafka.harness.clients import login
from minikafka.harness.plan.settings import HarnessError
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic

ELR = "eligible.leader.replicas.version"
_MIN_ISR = "min.insync.replicas"
_TIMEOUT_S = 15.0
_TYPES = {"preferred": 0, "unclean": 1}


class Operator:
    """An operator with an admin client. Each action opens a new connection."""

    def __init__(self, bootstrap_servers: Callable[[], str], *topics: str) -> None:
        """Act on these topics."""
        self._bootstrap_servers = bootstrap_servers
        self._topics = topics

    @contextmanager
    def _client(self) -> Iterator[AdminClient]:
        try:
            with AdminClient(
                self._bootstrap_servers(),
                client_id="minikafka-verify",
                timeout_s=_TIMEOUT_S,
                security=login.for_tools(),
            ) as client:
                yield client
        except AdminError as error:
            raise HarnessError(f"the cluster refused: {error}") from error

    def controller(self) -> int:
        """Return the node id of the active controller."""
        with self._client() as client:
            return describe_quorum(client).leader_id

    def set_min_isr(self, value: int) -> None:
        """Change the topics' min.insync.replicas."""
        with self._client() as client:
            for topic in self._topics:
                resource = Resource(ResourceType.TOPIC, topic)
                alter_configs(client, resource, {_MIN_ISR: str(value)}, ())

    def elr_level(self) -> int:
        """Return the finalized level of the ELR feature."""
        with self._client() as client:
            levels = {it.name: it.finalized for it in describe_features(client).features}
            return levels.get(ELR, 0)

    def set_elr_level(self, level: int) -> None:
        """Finalize another level of ELR."""
        kind = UpgradeType.UPGRADE if level else UpgradeType.SAFE_DOWNGRADE
        with self._client() as client:
            refusal = update_features(client, {ELR: level}, kind, dry_run=False)[ELR]
        if refusal is not None:
            raise HarnessError(f"the cluster refused: {refusal}")

    def elect(self, kind: str) -> str:
        """Run an election for every partition; return the outcomes with their counts."""
        with self._client() as client:
            asked = MetadataRequest(topics=[MetadataRequestTopic(name=it) for it in self._topics])
            numbers = {}
            for topic in client.ask(asked).topics:
                check(topic.error_code)
                numbers[topic.name] = sorted(it.partition_index for it in topic.partitions)
            request = ElectLeadersRequest(
                election_type=_TYPES[kind],
                topic_partitions=[TopicPartitions(name, found) for name, found in numbers.items()],
                timeout_ms=client.timeout_ms,
            )
            response = client.ask(request)
            check(response.error_code)
        outcomes = [
            error_text(it.error_code, it.error_message) if it.error_code else "elected"
            for result in response.replica_election_results
            for it in result.partition_result
            if it.error_code != ErrorCode.ELECTION_NOT_NEEDED
        ]
        counts = {text: outcomes.count(text) for text in dict.fromkeys(outcomes)}
        needless = sum(map(len, numbers.values())) - len(outcomes)
        words = [f"{count} {text}" for text, count in counts.items()]
        return ", ".join([*words, *([f"{needless} not needed"] if needless else [])])
