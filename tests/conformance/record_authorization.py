"""Record which rights Apache Kafka requires for each API, and its answers about ACLs and quotas.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python -m
tests.conformance.record_authorization, where DIR has kafka-run-class. Replaces authorization.json,
acls.json and client_quotas.json in tests/conformance/data, for test_authorization.py, test_acls.py
and test_client_quotas.py; with --check it compares with them.
"""

import argparse
import json
import sys
import time

from tests.conformance import acl_cases, quota_cases
from tests.conformance.authorization_cases import CASES
from tests.conformance.authorization_play import ACLS, DATA, QUOTAS, Play
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
        play = Play(admin.ask, kafka.client, wait)
        answers = {
            name: acl_cases.comparable(admin.ask(request, version))
            for name, request, version in acl_cases.CASES
        }
        topic_id = play.prepare()
        for case in CASES:
            found[case.name] = play.case(case, topic_id)
        # At the end, since they have an effect.
        kafka.alter_client_quotas(quota_cases.alteration())
        everything = quota_cases.describe("everything")[1]
        wait(lambda: len(admin.ask(everything, 1).entries) == len(quota_cases.QUOTAS))
        quotas = {
            name: acl_cases.comparable(admin.ask(request, version))
            for name, request, version in quota_cases.CASES
        }
    recorded = {ACLS: answers, DATA: found, QUOTAS: quotas}
    if args.check:
        sys.exit(sum(_differences(found, path) for path, found in recorded.items()))
    for path, found in recorded.items():
        path.write_text(json.dumps(found, indent=1) + "\n")


def _differences(found, path):
    known = json.loads(path.read_text())
    names = [name for name in {**known, **found} if known.get(name) != found.get(name)]
    print(f"{path.name}: {len(found)} cases, {len(names)} differ", *names, sep="\n  ")
    return len(names)


if __name__ == "__main__":
    main()
