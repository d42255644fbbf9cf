"""A broker on loopback that answers an admin client by functions."""

import socket
import threading

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
)
from minikafka.protocol.framing import FrameReader
from minikafka.rpc.envelope import decode_request, encode_response

VERSIONS = [
    ApiVersion(ApiKey.API_VERSIONS, 0, 3),
    ApiVersion(ApiKey.METADATA, 0, 12),
    ApiVersion(ApiKey.LIST_GROUPS, 0, 4),
]


class Server:
    """A broker that answers by functions; serves one connection after the other."""

    def __init__(self, answers, broken_connections=0, port=0):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.answers = answers
        self.broken_connections = broken_connections
        self.accepted = 0
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            with connection:
                if self.accepted > self.broken_connections:
                    self.converse(connection)

    def converse(self, connection):
        frames = FrameReader(1 << 20)
        while data := connection.recv(65536):
            for frame in frames.feed(data):
                try:
                    header, body = decode_request(frame)
                    parts = encode_response(
                        header.correlation_id,
                        self.answers[type(body)](self, body),
                        header.api_version,
                    )
                except KeyError:
                    return
                for part in parts:
                    connection.sendall(part)

    def close(self):
        # Closing alone does not wake a thread that waits in accept().
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        self.thread.join(5)


def versions(_server, _request):
    return ApiVersionsResponse(api_keys=VERSIONS)


def one_broker(server, _request):
    return MetadataResponse(brokers=[MetadataResponseBroker(7, "127.0.0.1", server.port)])


def no_groups(_server, _request):
    return ListGroupsResponse()


ANSWERS = {
    ApiVersionsRequest: versions,
    MetadataRequest: one_broker,
    ListGroupsRequest: no_groups,
}
