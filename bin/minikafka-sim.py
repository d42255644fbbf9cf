#!/usr/bin/env python3
"""Run clusters in virtual time, and break them: see --help."""

import _checkout

_checkout.run()
