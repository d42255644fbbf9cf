#!/usr/bin/env python3
"""Print what is in a log, index or snapshot file: see --help."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from minikafka.cli.dump_log import main

sys.exit(main())
