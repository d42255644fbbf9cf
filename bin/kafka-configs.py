#!/usr/bin/env python3
"""Describe and alter configurations: see --help."""

import _checkout

_checkout.run()
