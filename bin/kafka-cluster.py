#!/usr/bin/env python3
"""Print the id and the nodes of a cluster: see --help."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from minikafka.cli.main import run_tool

sys.exit(run_tool("cluster"))
