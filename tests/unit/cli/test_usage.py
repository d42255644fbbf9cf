"""Commands that say 3 for a usage error say so for every one."""

import pytest

from minikafka.cli._usage import USAGE
from minikafka.cli.main import main


@pytest.mark.parametrize("command", ["sim", "judge", "demo-elr", "verify"])
def test_an_unknown_option_is_a_usage_error(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--no-such-option"])
    assert ended.value.code == USAGE
    assert f"minikafka {command}: error: unrecognized arguments: --no-such-option" in (
        capsys.readouterr().err
    )
