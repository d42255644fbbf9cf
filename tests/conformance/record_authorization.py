"""Record which rights Apache Kafka requires for each API, for test_authorization.py.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_authorization, where DIR has kafka-run-class. Replaces
tests/conformance/data/authorization.json.
"""

import argparse
import json
import time

from tests.conformance.authorization_cases import CASES
from tests.conformance.authorization_play import DATA, Play
from tests.conformance.secured_kafka import SecuredKafka


def wait(condition):
    deadline_s = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-port", type=int, default=21600)
    args = parser.parse_args()
    found = {}
    with SecuredKafka(args.base_port) as kafka:
        admin = kafka.admin()
        play = Play(
            admin.ask,
            lambda to_controller: kafka.client(to_controller=to_controller),
            wait,
        )
        topic_id = play.prepare()
        for case in CASES:
            found[case.name] = play.case(case, topic_id)
            print(case.name, flush=True)
    DATA.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
