#!/usr/bin/env python3
"""Describe the metadata quorum, change its voters: see --help."""

import _checkout

_checkout.run()
