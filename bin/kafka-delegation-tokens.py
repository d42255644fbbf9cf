#!/usr/bin/env python3
"""Create, renew, expire and describe delegation tokens: see --help."""

import _checkout

_checkout.run()
