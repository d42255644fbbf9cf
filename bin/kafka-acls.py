#!/usr/bin/env python3
"""List, add and remove access control lists: see --help."""

import _checkout

_checkout.run()
