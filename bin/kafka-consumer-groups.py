#!/usr/bin/env python3
"""List, describe and delete groups of consumers, reset their offsets: see --help."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from minikafka.cli.main import run_tool

sys.exit(run_tool("consumer-groups"))
