#!/usr/bin/env python3
"""Describe the metadata quorum, change its voters: see --help."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from minikafka.cli.main import run_tool

sys.exit(run_tool("metadata-quorum"))
