#!/usr/bin/env python3
"""List, describe and delete groups of consumers, reset their offsets: see --help."""

import _checkout

_checkout.run()
