#!/usr/bin/env python3
"""docs/requirements.md must stay true: every test it names exists where it says and is built, and no row lacks one.

Usage: requirements_are_proved.py ROOT [PAGE]
"""

import pathlib
import re
import sys

from gtest_names import tests_of


def rows(text):
    """'S0-17..S0-37 Y-10' -> every id."""
    for word in text.split():
        first, _, last = word.partition("..")
        prefix, number = first.rsplit("-", 1)
        for n in range(int(number), int((last or first).rsplit("-", 1)[1]) + 1):
            yield f"{prefix}-{n:02}"


# Rows that must be on the page: what was ordered of the client library, and of operating the gateway.
ORDERED = [
    *rows("S4-01..S4-24 S4-27..S4-30 S4-33 S3-33..S3-39"),
    *rows("S0-01 S0-02 S0-10..S0-12 S0-17..S0-39 S0-44..S0-46 S0-48 S0-54 S0-57..S0-59 S1-24 S1-42 S2-13 S2-14"),
    *rows("S2-16..S2-18 S2-36 S2-43 S2-44 S3-04 S3-30 S3-35..S3-42 S3-45 S3-61 S4-25 Y-10..Y-14 Y-22 Y-27"),
    *rows("T-23 T-25 T-28 T-29 T-42 O-21 O-27 O-30 W-13 W-14 W-18 W-21 W-22"),
]


def main():
    root = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "docs/requirements.md"
    tests = tests_of(root)
    faults, ids, named = [], set(), 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ids.update(re.findall(r"\b[A-Z]\d?-\d\d\b", cells[0]))
        if "no test yet" in line:
            faults.append(f"{number}: a row without a test")
        # `Suite.Name`, `Suite.Other` (path); `Suite.Third` (other path)
        for group, where in re.findall(r"((?:`\w+\.\w+`(?:, )?)+) \(([\w./]+)\)", line):
            file = root / where if where.startswith("tests/") else root / "src" / where
            for test in re.findall(r"`(\w+\.\w+)`", group):
                if tests.get(test) != file:
                    faults.append(f"{number}: {test} is not a test of {where}")
        for test in re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", line):
            named += 1
            if test not in tests:
                faults.append(f"{number}: there is no test {test}")
        for path in re.findall(r"\btests/build/[\w.]+", line):
            if not (root / path).exists():
                faults.append(f"{number}: there is no {path}")
    faults += [f"{row} is missing" for row in ORDERED if row not in ids]
    for fault in faults:
        print(f"{page.name}:{fault}")
    print(f"{len(ids)} rows, {named} times a test is named, {len(faults)} faults")
    return 1 if faults or named == 0 else 0


sys.exit(main())
