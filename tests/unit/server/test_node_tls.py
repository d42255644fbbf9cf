"""Keys and certificates that change while a node runs."""

import pytest

from minikafka.common.effects import Channel
from minikafka.config.ssl_keys import reloaded_key
from tests.unit.server.tls_world import tls_of

LOCATION = "listener.name.ssl.ssl.keystore.location"


@pytest.fixture
def issued(authority, tmp_path):
    """Issue a certificate, and put it in the file that the node reads."""
    path = tmp_path / "node.pem"

    def issue(subject="/O=Org/CN=node", **more):
        made = authority.issue("each", subject, **more)
        path.write_text(made.path.read_text())
        made.path = path
        return made

    return issue


def source(tls, name="SSL"):
    return tls._loaded[name].contexts


def test_a_changed_file_is_read_when_it_is_at_rest(authority, issued):
    tls = tls_of(issued(), authority)
    before = source(tls)
    tls.reload({})
    assert source(tls) is before
    issued()
    tls.reload({})
    assert source(tls) is before
    tls.reload({})
    assert source(tls) is not before


def test_what_cannot_be_used_is_logged_once_and_changes_nothing(authority, issued, caplog):
    made = issued()
    tls = tls_of(made, authority)
    before = source(tls)
    made.path.write_text("nothing")
    for _ in range(5):
        tls.reload({})
    lines = [line for line in caplog.messages if "has no private key in PEM" in line]
    assert len(lines) == 2, "one for each listener"
    made.path.unlink()
    tls.reload({})
    tls.reload({})
    assert "No such file" in caplog.messages[-1]
    assert source(tls) is before


@pytest.mark.parametrize(
    ("more", "allowed", "words"),
    [
        ({"subject": "/CN=other"}, "ssl.allow.dn.changes", "would be CN=other"),
        ({"names": "IP:127.0.0.1"}, "ssl.allow.san.changes", "lacks alternative names"),
    ],
)
def test_names_change_only_if_that_is_allowed(authority, issued, caplog, more, allowed, words):
    for is_allowed in ("false", "true"):
        tls = tls_of(issued(), authority, **{allowed: is_allowed})
        before = source(tls)
        issued(**more)
        tls.reload({}, at_once=True)
        assert (source(tls) is not before) == (is_allowed == "true")
        assert (words in caplog.text) is True
    issued(names="DNS:localhost,IP:127.0.0.1,DNS:added")


def test_more_alternative_names_are_always_allowed(authority, issued):
    tls = tls_of(issued(), authority)
    before = source(tls)
    issued(names="DNS:localhost,IP:127.0.0.1,DNS:added")
    tls.reload({}, at_once=True)
    assert source(tls) is not before


def test_dynamic_values_apply_to_their_listener(authority, issued, tmp_path):
    tls = tls_of(issued(), authority)
    both = source(tls), source(tls, "CONTROLLER")
    other = authority.issue("dynamic")
    given = {LOCATION: str(other.path), "listener.name.ssl.ssl.client.auth": "none"}
    tls.reload(given, at_once=True)
    assert source(tls) is not both[0]
    assert source(tls, "CONTROLLER") is both[1]
    assert tls._loaded["SSL"].settings.client_auth == "none"
    contradiction = {"listener.name.ssl.ssl.keystore.key": "secret-key"}
    now = source(tls)
    tls.reload({**given, **contradiction}, at_once=True)
    assert source(tls) is now


def test_a_listener_is_never_opened_by_a_dynamic_value(authority, issued):
    tls = tls_of(issued(), authority, ssl_client_auth="required")
    tls.reload({"listener.name.ssl.ssl.client.auth": "none"}, at_once=True)
    assert tls._loaded["SSL"].settings.client_auth == "required"
    assert reloaded_key(LOCATION) == "ssl.keystore.location"
    for name in ("ssl.keystore.location", "listener.name.ssl.ssl.client.auth", "other"):
        assert reloaded_key(name) is None


def test_a_broker_alone_connects_to_controllers_with_their_settings(authority, issued):
    """The listener of the controllers is not its own, and may trust another authority."""
    tls = tls_of(
        issued(), authority,
        process_roles="broker", listeners="SSL://127.0.0.1:1",
        listener_security_protocol_map="SSL:SSL,CONTROLLER:SSL",
    )  # fmt: skip
    to_controller = tls._client_context(Channel("h", 1, "p", is_to_controller=True))
    to_broker = tls._client_context(Channel("h", 1, "p"))
    assert to_controller is source(tls, "CONTROLLER").client
    assert to_broker is source(tls).client
    assert to_controller is not to_broker
    assert source(tls, "CONTROLLER").server is None


def test_a_channel_to_a_listener_without_tls_has_none(authority, issued):
    tls = tls_of(
        issued(), authority,
        listener_security_protocol_map="SSL:PLAINTEXT,CONTROLLER:SSL",
    )  # fmt: skip
    assert tls._client_context(Channel("h", 1, "p")) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"keystore.location": "/none"}, "/none: cannot be read: No such file or directory"),
        ({"keystore.location": "other"}, "would be CN=other; see ssl.allow.dn.changes"),
        ({"keystore.location": "less"}, "lacks alternative names of the one that it replaces"),
        ({"keystore.location": "same"}, ""),
        ({"keystore.type": "PKCS12"}, "needs ssl.keystore.password"),
        ({"keystore.key": "s3cret"}, "is given without ssl.keystore.certificate.chain"),
        ({"truststore.location": "/none"}, "/none: cannot be read: No such file or directory"),
        ({"client.auth": "none"}, ""),
    ],
)
def test_a_change_that_a_listener_could_not_use(authority, issued, changes, reason):
    others = {
        "other": authority.issue("other", "/CN=other"),
        "less": authority.issue("less", names="IP:127.0.0.1"),
        "same": authority.issue("same"),
    }
    tls = tls_of(issued(), authority)
    before = source(tls)
    values = {
        f"listener.name.ssl.ssl.{name}": str(others[text].path) if text in others else text
        for name, text in changes.items()
    }
    found = tls.problem(values)
    assert reason in found
    assert bool(reason) is bool(found)
    assert found.startswith("listener SSL: ") or not reason
    assert "s3cret" not in found
    assert source(tls) is before


def test_a_file_that_no_change_names_is_not_checked(authority, issued):
    made = issued()
    tls = tls_of(made, authority)
    made.path.write_text("broken")
    other = authority.issue("named")
    assert tls.problem({LOCATION: str(other.path)}) == ""
