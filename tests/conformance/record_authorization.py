"""Record which rights Apache Kafka requires for each API, and what it answers about ACLs.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_authorization, where DIR has kafka-run-class. Replaces
tests/conformance/data/authorization.json and acls.json, for test_authorization.py and test_acls.py.
"""

import argparse
import json
import time

from tests.conformance import acl_cases
from tests.conformance.authorization_cases import CASES
from tests.conformance.authorization_play import ACLS, DATA, Play
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
        answers = {
            name: acl_cases.comparable(admin.ask(request, version))
            for name, request, version in acl_cases.CASES
        }
        topic_id = play.prepare()
        for case in CASES:
            found[case.name] = play.case(case, topic_id)
            print(case.name, flush=True)
    ACLS.write_text(json.dumps(answers, indent=1) + "\n")
    DATA.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
