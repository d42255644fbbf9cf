#!/usr/bin/env python3
"""List groups of all types: see --help."""

import _checkout

_checkout.run()
