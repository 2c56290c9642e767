#!/usr/bin/env python3
"""docs/requirements.md must stay true: every test it names exists where it says and is built, and no row lacks one.

Usage: requirements_are_proved.py ROOT [PAGE]
"""

import pathlib
import re
import sys

# Rows that must be on the page: what the client library and its failures were ordered to cover.
ORDERED = [f"S4-{n:02}" for n in [*range(1, 25), *range(27, 31), 33]] + [f"S3-{n}" for n in range(33, 40)]


def tests_of(root):
    """'Suite.Name' -> the file it is in, for every gtest case whose file is part of a build."""
    found = {}
    for path in [*root.glob("src/**/*_test.cpp"), *root.glob("tests/**/*_test.cpp")]:
        lists = path.parent / "CMakeLists.txt"
        if "node_modules" in path.parts or not lists.exists() or path.name not in lists.read_text():
            continue
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", path.read_text(), re.M):
            found[f"{suite}.{name}"] = path
    return found


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
