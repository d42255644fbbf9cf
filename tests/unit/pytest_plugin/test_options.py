"""The options of the plugin, which pytest reads in every run of an environment that has it."""

from dataclasses import fields
from pathlib import Path
from unittest.mock import Mock

from minikafka.pytest_plugin.options import MARKER_HELP, GivenSettings, Settings, declare

DOCUMENT = Path(__file__).parents[3] / "docs" / "in-your-tests.md"


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


def test_every_setting_can_be_given_and_is_described():
    names = [field.name for field in fields(Settings)]
    assert sorted(GivenSettings.__annotations__) == sorted(names)
    table = DOCUMENT.read_text("utf-8")
    assert [name for name in names if f"{name}=" not in MARKER_HELP] == []
    assert [name for name in names if f"| `{name}` |" not in table] == []


def test_every_option_is_in_the_table_of_settings():
    parser = Mock()
    declare(parser)
    table = DOCUMENT.read_text("utf-8")
    flags = [call.args[0] for call in parser.getgroup().addoption.call_args_list]
    assert len(flags) > 10
    assert [flag for flag in flags if f"| `{flag}" not in table] == []
