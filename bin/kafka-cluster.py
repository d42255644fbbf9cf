#!/usr/bin/env python3
"""Print the id and the nodes of a cluster: see --help."""

import _checkout

_checkout.run()
