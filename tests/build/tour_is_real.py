#!/usr/bin/env python3
"""docs/tour.md must lead through the real files: every file and every name it mentions exists.

Usage: tour_is_real.py ROOT [PAGE]
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "docs/tour.md"
    files = [p for folder in ("src", "include") for p in (root / folder).rglob("*.[ch]pp") if not p.name.endswith("_test.cpp")]
    words = set()
    for file in files:
        words.update(re.findall(r"\w+", file.read_text()))
    file_names = {file.name for file in files}
    faults, checked = [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for quoted in re.findall(r"`([^`]+)`", line):
            if re.fullmatch(r"[\w./-]+\.(?:[ch]pp|md)", quoted):
                known = (root / quoted).exists() if "/" in quoted else quoted in file_names
            elif re.fullmatch(r"[A-Za-z_]\w*(?:::\w+)*_?(?:\(…?\))?", quoted):
                known = all(word in words for word in re.findall(r"\w+", quoted))
            else:
                continue
            checked += 1
            if not known:
                faults.append(f"{page.name}:{number}: there is no {quoted}")
    print("\n".join([*faults, f"{checked} names, {len(faults)} unknown"]))
    return 1 if faults or checked == 0 else 0


sys.exit(main())
