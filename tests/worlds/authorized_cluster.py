"""A simulated cluster with an authorizer, whose brokers and administrators are super users.

Listeners have no authentication here: all clients of the cluster are User:ANONYMOUS, the super
user. The principal of a client's connection is set on the node.
"""

from minikafka.common.principal import KafkaPrincipal
from minikafka.config.authorizer_keys import STANDARD_AUTHORIZER
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from minikafka.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT, INTERNAL_PORT, host
from tests.worlds.sim_world import started_cluster

MALLORY = KafkaPrincipal("User", "mallory")
ALLOW, DENY = 3, 2
GIVEN = {"authorizer.class.name": STANDARD_AUTHORIZER, "super.users": "User:ANONYMOUS"}


class AuthorizedCluster:
    """One broker and one controller, or one node that is both."""

    def __init__(self, *, separate_controller=True):
        self.cluster = started_cluster(1, separate_controller=separate_controller, given=GIVEN)

    def admin(self):
        """A client that may do everything."""
        return self.cluster.client(name="admin")

    def client(self, principal=MALLORY, *, listener="clients"):
        """A client that is `principal`, of "clients", "nodes" or "controllers"; it is connected."""
        cluster = self.cluster
        if listener == "controllers":
            number = cluster.controller_id
            client = SimClient(
                cluster.world, cluster.network, "mallory", (host(number), CONTROLLER_PORT)
            )
        else:
            port = INTERNAL_PORT if listener == "nodes" else BROKER_PORT
            number, client = 1, cluster.client(name="mallory", port=port)
        dispatcher = cluster.nodes[number].node.dispatcher
        before = set(dispatcher.connections)
        request = ApiVersionsRequest("c", "1")
        client.ask(request, ApiVersionsResponse, version=4)
        (connection,) = set(dispatcher.connections) - before
        dispatcher.connections[connection].principal = principal
        return client

    def allow(self, kind, name, operation, permission=ALLOW, pattern=3):
        """Create an entry for mallory."""
        acl = AclCreation(kind, name, pattern, str(MALLORY), "*", operation, permission)
        answer = self.admin().ask(CreateAclsRequest([acl]), CreateAclsResponse)
        assert [row.error_code for row in answer.results] == [0]
        self.settle()

    def remove_all(self):
        """Remove all entries."""
        row = DeleteAclsFilter(1, None, 1, None, None, 1, 1)
        answer = self.admin().ask(DeleteAclsRequest([row]), DeleteAclsResponse)
        assert answer.filter_results[0].error_code == 0
        self.settle()

    def settle(self):
        """Run until every node knows what the controller has committed."""
        nodes = [node.node for node in self.cluster.nodes.values()]
        end = max(node.raft.high_watermark for node in nodes)
        self.cluster.world.run_until(
            lambda: all(node.loader.image.offset + 1 >= end for node in nodes), 10_000, "metadata"
        )

    def restart(self):
        """Stop all nodes, and start them again."""
        for node in self.cluster.nodes.values():
            node.kill()
        self.cluster.start()

    def topics(self, client, *names):
        """The topics, and their errors, of a Metadata response; all topics without names."""
        topics = [MetadataRequestTopic(name=name) for name in names] if names else None
        answer = client.ask(MetadataRequest(topics, False), MetadataResponse, version=9)
        return [(topic.name, topic.error_code) for topic in answer.topics]
