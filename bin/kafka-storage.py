#!/usr/bin/env python3
"""Format log directories: see --help."""

import sys

from minikafka.cli.main import run_tool

sys.exit(run_tool("storage"))
