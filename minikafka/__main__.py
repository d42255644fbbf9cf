"""`python -m minikafka` is the `minikafka` program."""

import sys

from minikafka.cli.main import main

sys.exit(main())
