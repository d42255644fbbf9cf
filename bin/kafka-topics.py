#!/usr/bin/env python3
"""Create, delete, list, describe and alter topics: see --help."""

import sys

from minikafka.cli.main import run_tool

sys.exit(run_tool("topics"))
