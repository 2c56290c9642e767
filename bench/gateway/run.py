#!/usr/bin/env python3
"""The gateway beside its yardsticks; python3 with nothing installed.

    bench/gateway/run.py [BUILD_DIR]         default build/release; build gantry and mcp_upstream first

Environment: ROUNDS (5), SECONDS_PER_RUN (2), PARTS ("calls latency warm cold idle sessions huge growth";
also "fairness"), CASES (a part of a case's words, for calls and latency: "small, modern → modern"), MAX_SIZE (10000, of catalogs and
numbers of sessions), OUT (a file for the figures as JSON; default BUILD_DIR/bench-gateway.json), MARKDOWN (a file for
the tables), GANTRY (the program under test; default BUILD_DIR/gantry).

Everything that is compared runs within every round, in turns; a result is the median of the per-round ratios. CPU time
is that of the process under test alone. Exits with 77 when a program is missing, with 1 when
something did not work.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from calls import Calls  # noqa: E402
from fairness import Fairness  # noqa: E402
from figures import Report  # noqa: E402
from growth import Growth  # noqa: E402
from lists import Lists  # noqa: E402
from memory import Memory  # noqa: E402
from rig import Rig  # noqa: E402

PARTS = "calls latency warm cold idle sessions huge growth"


class Settings:
    def __init__(self, environment):
        self.rounds = int(environment.get("ROUNDS", "5"))
        self.seconds = int(environment.get("SECONDS_PER_RUN", "2"))
        self.parts = environment.get("PARTS", PARTS).split()
        self.wanted = environment.get("CASES", "")
        self.max_size = int(environment.get("MAX_SIZE", "10000"))

    def chosen(self, cases):
        return [case for case in cases if self.wanted in f"{case.name}, {case.client} → {case.upstream}"]

    def sizes(self, all_sizes):
        return [size for size in all_sizes if size <= self.max_size]


def run(rig, report, settings):
    for make, steps in ((Calls, ("calls", "latency")), (Lists, ("warm", "cold")),
                        (Memory, ("idle", "sessions", "huge")), (Growth, ("growth",)), (Fairness, ("fairness",))):
        wanted = [step for step in steps if step in settings.parts]
        if not wanted:
            continue
        part = make(rig, report, settings)
        for step in wanted:
            getattr(part, {"calls": "throughput", "growth": "run", "fairness": "run"}.get(step, step))()
        rig.stop_all()


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    settings, report = Settings(os.environ), Report()
    with Rig(build) as rig:
        if rig.missing():
            print("skipped: needs " + ", ".join(rig.missing()), file=sys.stderr)
            sys.exit(77)
        run(rig, report, settings)
    with open(os.environ.get("OUT", os.path.join(build, "bench-gateway.json")), "w") as out:
        json.dump({"sections": report.sections, "plot": report.plot}, out, indent=1, ensure_ascii=False)
    if "MARKDOWN" in os.environ:
        with open(os.environ["MARKDOWN"], "w") as out:
            out.write(report.markdown())
    sys.exit(0 if report.whole else 1)


if __name__ == "__main__":
    main()
