#!/usr/bin/env python3
"""Print what is in a log, index or snapshot file: see --help."""

import sys

from minikafka.cli.dump_log import main

sys.exit(main())
