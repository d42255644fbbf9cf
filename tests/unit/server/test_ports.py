import socket

import pytest

from minikafka.server.ports import is_free


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_is_free_until_something_listens_on_it(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        assert not is_free(host, port)
    assert is_free(host, port)


def test_an_address_of_another_machine_is_for_its_user_to_report():
    assert is_free("192.0.2.1", 9092)
