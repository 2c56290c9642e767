#!/usr/bin/env python3
"""docs/security.md must stay true: every test it names exists and is built, and each row of its bounds names one that
drives the running gateway past the bound.

Usage: security_names_tests.py ROOT [PAGE]
"""

import pathlib
import re
import sys

from gtest_names import tests_of

# Tests in these folders run the gateway as a process of its own.
END_TO_END = ("tests/bad_clients/", "tests/gateway/", "tests/recording/")


def named_in(text):
    return re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", text)


def bounds(lines):
    """The rows of the tables of bounds, with their line numbers."""
    inside = False
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            inside = line == "## Bounds"
        if inside and line.startswith("|") and not set(line) <= set("|- ") and not line.startswith("| peer |"):
            yield number, line


def main():
    root = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "docs/security.md"
    lines = page.read_text().splitlines()
    tests = tests_of(root)
    faults = [
        f"{number}: there is no test {test}"
        for number, line in enumerate(lines, 1)
        for test in named_in(line)
        if test not in tests
    ]
    rows = list(bounds(lines))
    for number, row in rows:
        files = [tests[test].relative_to(root).as_posix() for test in named_in(row) if test in tests]
        if not any(file.startswith(END_TO_END) for file in files):
            faults.append(f"{number}: a bound that no test drives a running gateway past")
    for fault in faults:
        print(f"{page.name}:{fault}")
    print(f"{len(rows)} bounds, {len(faults)} faults")
    return 1 if faults or not rows else 0


sys.exit(main())
