#!/usr/bin/env python3
"""Where the instructions of a relayed call go, free of noise: `gantry serve` under callgrind.

    bench/gateway/hot_path.py [BUILD_DIR]         default build/release; needs valgrind and strip

Counts a number of calls on one connection alone: start-up and the first calls do not show. Prints two tables, by what a
function costs with everything it calls and by what it costs itself, in instructions per call. The kernel's part is not
in it.

Environment: CALLS (500), CLIENT, UPSTREAM (modern), TOOL (small), WHAT (call, or list), VALIDATE (on), TOP (40),
KEEP (a file for callgrind's raw output). Children cannot be started under valgrind, so the upstream is an HTTP one.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import speech  # noqa: E402
from rig import Rig  # noqa: E402

# They were running when counting began, so what is said of them means nothing.
ABOVE = ("main", "(below main)")
ABOVE_TOO = ("__libc_start", "0x", "gantry::cli::run(", "gantry::app::(anonymous namespace)::run(",
             "gantry::Loop::drive(", "int gantry::Loop::run_until_done", "std::_Function_handler<int ()")
# Names that hide the others.
SHORT = ((r"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "string"),
         (r"std::basic_string_view<char, std::char_traits<char> >", "string_view"),
         (r"boost::asio::detail::", "asio::"), (r"boost::asio::", "asio::"),
         (r", asio::io_context::basic_executor_type<std::allocator<void>, 0ul> ?", ""),
         (r" \[clone \.resume\]", " (resumed)"), (r"\[abi:cxx11\]", ""), (r"\(anonymous namespace\)::", ""),
         (r"gantry::", ""))


def without_debug_information(rig):
    """A copy of gantry with names but without line tables, which older valgrinds cannot read."""
    folder = rig.path("bin")
    os.makedirs(folder)
    copy = os.path.join(folder, "gantry")
    subprocess.run(["strip", "--strip-debug", "-o", copy, rig.gantry_bin], check=True)
    return copy


def control(program, *arguments):
    subprocess.run(["callgrind_control", *arguments, str(program.pid)], check=True, stdout=subprocess.DEVNULL)


def calls(program, era, what, tool, count):
    client = speech.Client(program.port)
    session = client.open_session() if era == "legacy" else None
    headers, body = speech.listing(era) if what == "list" else speech.call(era, tool)

    def some(number):
        for _ in range(number):
            client.post(headers, body, session)

    _, answer = client.post(headers, body, session)
    if b'"result":{' not in answer:
        sys.exit(f"hot_path: no result to count the way of: {answer[:300]!r}")
    some(50)
    control(program, "--zero")
    some(count)
    control(program, "--dump")


def table(file, inclusive, top, count):
    command = ["callgrind_annotate", "--threshold=100", f"--inclusive={'yes' if inclusive else 'no'}", file]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = []
    for found in re.finditer(r"^\s*([\d,]+) \(\s*([\d.]+)%\)\s+(.*)$", report, re.M):
        instructions = int(found.group(1).replace(",", ""))
        if "PROGRAM TOTALS" in found.group(3):
            print(f"{instructions / count:,.0f} instructions per request\n")
            continue
        place = re.sub(r" \[[^\]]*\]$", "", found.group(3))
        function = place.partition(":")[2] if ":" in place else place
        if function in ABOVE or function.startswith(ABOVE_TOO):
            continue
        for long, short in SHORT:
            function = re.sub(long, short, function)
        lines.append(f"| {instructions / count:,.0f} | {found.group(2)} | `{function.replace('|', '/')[:200]}` |")
    return "\n".join(["| per request | % | function |", "|---|---|---|", *lines[:top]])


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    environment = os.environ
    count, top = int(environment.get("CALLS", "500")), int(environment.get("TOP", "40"))
    client, era = environment.get("CLIENT", "modern"), environment.get("UPSTREAM", "modern")
    with Rig(build) as rig:
        missing = [name for name in rig.missing() if name in ("gantry", "mcp_upstream")]
        if missing or not shutil.which("valgrind") or not shutil.which("strip"):
            sys.exit("hot_path: needs valgrind, strip, gantry and mcp_upstream")
        server = rig.http_server(rig.upstream(era), era)
        rig.gantry_bin = without_debug_information(rig)
        raw = rig.path("callgrind.out")
        program = rig.gantry("profiled", [server], validate=environment.get("VALIDATE", "on") == "on",
                             wrapper=("valgrind", "--tool=callgrind", f"--callgrind-out-file={raw}"))
        calls(program, client, environment.get("WHAT", "call"), environment.get("TOOL", "small"), count)
        dumps = sorted(glob.glob(raw + ".*"))  # the first is the one asked for
        for inclusive, title in ((True, "With everything it calls"), (False, "By itself")):
            print(f"\n## {title}\n\n{table(dumps[0], inclusive, top, count)}")
        if "KEEP" in environment:
            shutil.copy(dumps[0], environment["KEEP"])


if __name__ == "__main__":
    main()
