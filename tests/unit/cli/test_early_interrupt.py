"""Ctrl-C while the program imports its modules ends it without a traceback."""

import subprocess
import sys

PROGRAM = """
import os, signal, sys
from importlib.abc import MetaPathFinder

# A shell lets its background jobs ignore the signal, and their children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupt(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "minikafka.cli.main":
            os.kill(os.getpid(), 2)

from minikafka.__main__ import main
sys.meta_path.insert(0, Interrupt())
main()
"""


def test_ctrl_c_while_modules_are_imported():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (-2, "", "")
