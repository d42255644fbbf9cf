"""How signed tokens of OAUTHBEARER are checked, from the configuration of a mechanism.

Source: `VerificationKeyResolverFactory`, `ConfigurationUtils`, KIP-768.
"""

from typing import Final, NamedTuple

from minikafka.config import sasl_keys as keys
from minikafka.config.file_url import path_of
from minikafka.config.values import Config

_EXAMPLE: Final = "file:///etc/kafka/jwks.json"


class SignedTokens(NamedTuple):
    """The file with the keys, and what a token must say.

    `audience` are the audiences of which it must name one, `issuer` is the only issuer; empty and
    None for those that are not configured.
    """

    key_file: str
    audience: frozenset[str]
    issuer: str | None
    scope_claim: str
    principal_claim: str
    skew_s: int


def signed_tokens(values: Config, errors: list[str]) -> SignedTokens | None:
    """Return the check of signed tokens; add a sentence to `errors` for each error."""
    path = path_of(values, keys.JWKS_ENDPOINT_URL, "keys", _EXAMPLE, errors)
    names = []
    for key in (keys.SCOPE_CLAIM_NAME, keys.SUB_CLAIM_NAME):
        names.append(values[key].strip())
        if not names[-1]:
            errors.append(f"{key.name}: is empty; expected the name of a claim")
    if errors:
        return None
    return SignedTokens(
        key_file=path,
        audience=frozenset(values[keys.EXPECTED_AUDIENCE]),
        issuer=(values[keys.EXPECTED_ISSUER] or "").strip() or None,
        scope_claim=names[0],
        principal_claim=names[1],
        skew_s=values[keys.CLOCK_SKEW_SECONDS],
    )
