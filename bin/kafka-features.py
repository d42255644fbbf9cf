#!/usr/bin/env python3
"""Describe, raise and lower feature levels: see --help."""

import _checkout

_checkout.run()
