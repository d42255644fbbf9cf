#!/usr/bin/env python3
"""Run one node from a properties file: see --help."""

import _checkout

_checkout.run()
