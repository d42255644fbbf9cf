#!/usr/bin/env python3
"""Describe and alter configurations: see --help."""

import sys

from minikafka.cli.main import run_tool

sys.exit(run_tool("configs"))
