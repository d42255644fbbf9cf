#!/usr/bin/env python3
"""Format log directories: see --help."""

import _checkout

_checkout.run()
