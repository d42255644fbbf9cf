"""Record which rights Apache Kafka requires for each API, and what it answers about ACLs.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_authorization, where DIR has kafka-run-class. Replaces
tests/conformance/data/authorization.json and acls.json, for test_authorization.py and test_acls.py;
with --check it compares with them.
"""

import argparse
import json
import sys
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
    parser.add_argument("--check", action="store_true", help="compare with the files instead")
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
    if args.check:
        sys.exit(_differences(answers, ACLS) + _differences(found, DATA))
    ACLS.write_text(json.dumps(answers, indent=1) + "\n")
    DATA.write_text(json.dumps(found, indent=1) + "\n")


def _differences(found, path):
    known = json.loads(path.read_text())
    names = [name for name in {**known, **found} if known.get(name) != found.get(name)]
    print(f"{path.name}: {len(found)} cases, {len(names)} differ", *names, sep="\n  ")
    return len(names)


if __name__ == "__main__":
    main()
