"""Settings that every test shares."""

import os

from hypothesis import settings

# In CI a run must not depend on luck; elsewhere each run looks at new examples.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
