#!/usr/bin/env python3
"""Move partitions to other brokers: see --help."""

import _checkout

_checkout.run()
