"""Guards of delegation tokens: see `unit_mutations`."""

from tests.mutation import UnitMutation, mutation

_TEST = (
    "tests/simulation/test_token_removals.py"
    "::test_tokens_count_as_long_as_they_are_in_the_metadata[0]"
)
_WHY = "no plan of the simulator has clients that log in"

UNIT_TOKEN_MUTATIONS = (
    UnitMutation(
        mutation(
            "a delegation token that was used once outlives its removal",
            (
                "metadata.delegation_tokens",
                "token_finder",
                "record = image().carried.get(CarriedKey(DELEGATION_TOKEN, token_id))",
                (
                    "record = found[token_id] = image().carried.get("
                    "CarriedKey(DELEGATION_TOKEN, token_id), found.get(token_id))"
                ),
            ),
            (
                "metadata.delegation_tokens",
                "token_finder",
                "    def find(",
                "    found: dict = {}\n\n    def find(",
            ),
        ),
        _TEST,
        _WHY,
    ),
    UnitMutation(
        mutation(
            "a delegation token outlives its end",
            (
                "security.scram",
                "ScramServer._credential_of_token",
                "if found.expires_ms <= now_ms:",
                "if False:",
            ),
        ),
        _TEST,
        _WHY,
    ),
    UnitMutation(
        mutation(
            "a delegation token is answered before it is committed",
            (
                "apis.create_delegation_token",
                "create",
                "return (yield from commit(ctx, result))",
                (
                    "yield from ()\n    ctx.services.controller.append(result)\n"
                    "    return result.response"
                ),
            ),
        ),
        _TEST,
        _WHY,
    ),
    UnitMutation(
        mutation(
            "an expired delegation token stays in the metadata",
            (
                "controller.quorum_controller",
                "QuorumController._remove_expired_tokens",
                "self._write(",
                "list(",
            ),
            (
                "controller.quorum_controller",
                "QuorumController._remove_expired_tokens",
                ", atomic=False)",
                ")",
            ),
        ),
        _TEST,
        _WHY,
    ),
)
