#!/usr/bin/env python3
"""Elect leaders of partitions: see --help."""

import _checkout

_checkout.run()
