#!/usr/bin/env python3
"""Print what is in a log, index or snapshot file: see --help."""

import _checkout

_checkout.run()
