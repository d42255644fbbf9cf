#!/usr/bin/env python3
"""List and describe transactions, find and abort hanging ones: see --help."""

import _checkout

_checkout.run()
