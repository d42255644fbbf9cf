#!/usr/bin/env python3
"""List groups of all types: see --help."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from minikafka.cli.main import run_tool

sys.exit(run_tool("groups"))
