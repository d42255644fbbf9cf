"""The options of the plugin, which pytest reads in every run of an environment that has it."""

from unittest.mock import Mock

from minikafka.pytest_plugin.options import declare


def test_every_ini_value_has_a_default_of_its_type():
    """For a default of None, pytest 7 returns an empty list also for a string."""
    parser = Mock()
    declare(parser)
    defaults = {
        call.args[0]: (call.kwargs["type"], call.kwargs["default"])
        for call in parser.addini.call_args_list
    }
    types = {"string": str, "bool": bool, "linelist": list}
    assert len(defaults) > 10
    assert [name for name, (kind, it) in defaults.items() if not isinstance(it, types[kind])] == []
