"""Distinguished names as `X500Principal.getName()` of Java 17 prints them."""

import ssl

import pytest

from minikafka.security.certificate import parse_certificate
from tests.certificates import EXPIRED, Authority

EMAIL = "2.5.4.5=#13023737,1.2.840.113549.1.9.1=#16056140622e63,CN=\\ lead trail\\ "


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


def parsed(issued):
    return parse_certificate(ssl.PEM_cert_to_DER_cert(issued.chain.read_text()))


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("/C=DE/ST=Bay\\/ern/L=M=x/O=Ex, Inc./OU=a", "OU=a,O=Ex\\, Inc.,L=M\\=x,ST=Bay/ern,C=DE"),
        ("/CN= lead trail /emailAddress=a@b.c/serialNumber=77", EMAIL),
        (
            "/DC=org/DC=example/UID=u1/CN=#x/street=S 1",
            "STREET=S 1,CN=\\#x,UID=u1,DC=example,DC=org",
        ),
        ("/CN=Jürgen Ä/O=日本", "O=日本,CN=Jürgen Ä"),
        ("/title=Dr/CN=z", "CN=z,2.5.4.12=#0c024472"),
    ],
)
def test_names_are_printed_as_java_does(authority, subject, name):
    assert parsed(authority.issue("each", subject)).subject == name


def test_times_and_alternative_names_are_read(authority):
    found = parsed(authority.issue("times", names="DNS:a,DNS:b,IP:127.0.0.1"))
    assert found.not_after_s - found.not_before_s == 30 * 86400
    assert found.alternative_names == {b"\x82\x01a", b"\x82\x01b", b"\x87\x04\x7f\0\0\1"}
    expired = parsed(authority.issue("expired", validity=EXPIRED))
    assert expired.not_after_s < found.not_before_s


def test_bytes_that_are_no_certificate_are_refused(authority):
    der = ssl.PEM_cert_to_DER_cert(authority.path.read_text())
    for bad in (b"", b"\x30", b"abc", der[:-20], der[:40], b"\x30\x03\x02\x01\x01"):
        with pytest.raises(ValueError):
            parse_certificate(bad)
