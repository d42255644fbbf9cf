"""Names of cipher suites: IANA's, which Kafka's configuration has, and OpenSSL's.

Source: RFC 5246, RFC 8446, the TLS Cipher Suites registry of IANA.
"""

import re
from typing import Final

SUITES_OF_TLS_1_3: Final = (
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
)
_NAME: Final = re.compile(
    r"TLS_(?P<exchange>ECDHE_ECDSA|ECDHE_RSA|DHE_RSA|RSA)_WITH_"
    r"(?:(?P<cipher>AES|CAMELLIA|ARIA)_(?P<bits>128|256)_(?P<mode>GCM|CBC|CCM_8|CCM)"
    r"|(?P<chacha>CHACHA20_POLY1305))(?:_(?P<hash>SHA256|SHA384|SHA))?"
)


def openssl_name(name: str) -> str | None:
    """Return OpenSSL's name of a suite of TLSv1.2; None if there is no such suite."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    exchange = found["exchange"].replace("_", "-")
    begin = [] if exchange == "RSA" else [exchange]
    if found["chacha"]:
        return "-".join((*begin, "CHACHA20-POLY1305"))
    mode = found["mode"]
    end = [] if mode == "CBC" else [mode.replace("CCM_8", "CCM8")]
    # In OpenSSL's names the hash function of CCM is not written.
    end += [found["hash"]] if found["hash"] and not mode.startswith("CCM") else []
    return "-".join((*begin, f"{found['cipher']}{found['bits']}", *end))
