#!/usr/bin/env python3
"""Calls of every kind through an instrumented gateway, so that the compiler learns what is hot; see tools/build-tuned.

    bench/gateway/train.py BUILD_DIR GANTRY        mcp_upstream comes from BUILD_DIR, the gateway is GANTRY

No load generator and no yardstick: what counts is which way calls go, not how fast. The profile is written where the
instrumented program was told to when each gateway ends.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import speech  # noqa: E402
from calls import CASES  # noqa: E402
from rig import Rig  # noqa: E402

# Small calls are most of what a gateway sees; large ones spend their time in few places, which soon have been seen.
ROUNDS = {"small": 3000, "medium": 500, "large": 5, "progress": 100}
LISTS = 500


def calls(client, case, session):
    headers, body = speech.call(case.client, case.tool, case.token)
    for _ in range(ROUNDS[case.tool]):
        client.post(headers, body, session)


def main():
    build, program = sys.argv[1:3]
    with Rig(build) as rig:
        upstreams = {era: rig.upstream(era) for era in ("modern", "legacy")}
        rig.gantry_bin = os.path.abspath(program)
        for stdio in (False, True):
            for era, upstream in upstreams.items():
                server = rig.stdio_server(era) if stdio else rig.http_server(upstream, era)
                gateway = rig.gantry(f"train-{era}-{'stdio' if stdio else 'http'}", [server])
                client = speech.Client(gateway.port)
                session = client.open_session()
                for case in CASES:
                    if case.upstream == era and case.stdio == stdio:
                        calls(client, case, session if case.client == "legacy" else None)
                for spoken in ("modern", "legacy"):
                    headers, body = speech.listing(spoken)
                    for _ in range(LISTS):
                        client.post(headers, body, session if spoken == "legacy" else None)
                client.close()
                rig.stop(gateway)


if __name__ == "__main__":
    main()
