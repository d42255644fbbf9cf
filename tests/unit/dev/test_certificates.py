"""Certificates that a cluster on this machine makes for itself."""

import builtins
import socket
import ssl
import stat
import threading

import pytest

from minikafka.dev.certificates import NODE_NAME, MissingPackageError, make_certificates


def contexts(paths, *, trusts=None):
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(paths.node)
    server.load_verify_locations(paths.truststore)
    server.verify_mode = ssl.CERT_REQUIRED
    client = ssl.create_default_context(cafile=(trusts or paths).truststore)
    # As Python 3.13 does by itself.
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    client.load_cert_chain(paths.client)
    return server, client


def shake_hands(server, client, host):
    """Return the subjects of both certificates."""
    ours, theirs = socket.socketpair()
    seen = []

    def serve():
        try:
            with server.wrap_socket(theirs, server_side=True) as secured:
                seen.append(secured.getpeercert()["subject"])
        except (ssl.SSLError, OSError):
            theirs.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client.wrap_socket(ours, server_hostname=host) as secured:
            seen.append(secured.getpeercert()["subject"])
    finally:
        ours.close()
        thread.join()
    return seen


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "kafka.example"])
def test_nodes_and_clients_know_each_other(tmp_path, host):
    paths = make_certificates(tmp_path, ["kafka.example"], client="alice")
    seen = shake_hands(*contexts(paths), host)
    names = {name for subject in seen for row in subject for _, name in row}
    assert names == {NODE_NAME, "alice"}


def test_a_name_in_unicode_is_in_the_certificate_as_dns_has_it(tmp_path):
    paths = make_certificates(tmp_path, ["küche.example"])
    for host in ("küche.example", "xn--kche-0ra.example"):
        assert shake_hands(*contexts(paths), host)


def test_another_host_and_another_authority_are_refused(tmp_path):
    paths = make_certificates(tmp_path / "a")
    others = make_certificates(tmp_path / "b")
    with pytest.raises(ssl.SSLCertVerificationError, match="not valid for 'elsewhere'"):
        shake_hands(*contexts(paths), "elsewhere")
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        shake_hands(*contexts(paths, trusts=others), "localhost")


def test_keys_are_private_and_replaced(tmp_path):
    first = make_certificates(tmp_path).node.read_bytes()
    paths = make_certificates(tmp_path)
    assert paths.node.read_bytes() != first
    for each in (paths.node, paths.client):
        assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    original = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("cryptography"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackageError, match=r"minikafka\[security\]"):
        make_certificates(tmp_path)
