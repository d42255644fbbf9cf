"""Programs of a checkout: they need no installation of the package."""

import sys
from pathlib import Path


def run() -> None:
    """Run the program of this process's name, with the package beside this folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from minikafka.__main__ import main

    sys.exit(main())
