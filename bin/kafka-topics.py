#!/usr/bin/env python3
"""Create, delete, list, describe and alter topics: see --help."""

import _checkout

_checkout.run()
