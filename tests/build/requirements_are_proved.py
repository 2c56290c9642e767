#!/usr/bin/env python3
"""docs/requirements.md must stay true: in the words of the catalogue, complete, proved by tests that exist, counted right.

Usage: requirements_are_proved.py ROOT [PAGE] [--catalogue FILE] [--words] [--results FILE] [--fix]

The catalogue is requirements.md in the folder `shared` beside ROOT; where it is absent, words are not compared.
  --words         compare words only, and end with status 77 where there is no catalogue
  --results FILE  JUnit results of a whole run (tools/run-tests): refuses a row none of whose tests ran
  --fix           write the totals, then check
"""

import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree

from gtest_names import tests_of

STATUSES = ["holds", "deviates", "superseded", "settled", "open"]
PROVED = ["holds", "deviates"]

# How many rows each design has: S0-01 … S0-61 and so on.
DESIGNS = {"S0": 61, "S1": 44, "S2": 58, "S3": 65, "S4": 34}

# Rows that contradict another one, which was chosen: never held, however true they may seem.
CONTRADICTED = {"S1-36": "S2-03", "S3-46": "S3-52", "S3-50": "S4-27", "S4-15": "S4-29", "S4-31": "S4-23"}

# What earlier systems did and Gantry has an answer to.
FACTS = """Y-04 Y-05 Y-10 Y-11 Y-12 Y-13 Y-14 Y-22 Y-27 Y-28 T-18 T-22 T-23 T-25 T-28 T-29 T-31 T-32 T-33 T-36 T-37 T-42
    O-17 O-20 O-21 O-27 O-28 O-30 W-13 W-14 W-18 W-21 W-22 A-01 A-04 A-06 A-08 A-09 A-10 A-12 A-24 A-26""".split()


def cells_of(line):
    """The cells of a row of a table; none for other lines and for the rule below a header."""
    if not line.startswith("|") or set(line.strip()) <= set("|-: "):
        return []
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


class Row:
    def __init__(self, number, id, words, status, proof):
        self.number, self.id, self.words, self.status, self.proof = number, id, words, status, proof
        # `Suite.Name`, `Suite.Other` (path); `Suite.Third` (other path)
        groups = re.findall(r"((?:`\w+\.\w+`(?:, )?)+) \(([\w./]+)\)", proof)
        self.tests = {test: where for group, where in groups for test in re.findall(r"`(\w+\.\w+)`", group)}
        self.named = re.findall(r"`([A-Z]\w*\.[A-Z]\w+)`", proof)
        self.scripts = re.findall(r"\btests/build/\w+\.\w+", proof)

    def reason(self):
        """The text beside the proofs."""
        return re.sub(r"`[A-Z]\w*\.[A-Z]\w+`|\([\w./]+\)|[,;:.\s]", "", self.proof)


def rows_of(lines):
    """Every row that has to be true, and faults of lines that are no such row."""
    rows, faults = [], []
    demands = False
    for number, line in enumerate(lines, 1):
        cells = cells_of(line)
        if line.startswith("## "):
            demands = line == "## Demands that have no row"
        elif not cells or cells[0] in ("id", "status", "design", "what holds", "all", *STATUSES, *DESIGNS):
            continue
        elif re.fullmatch(r"S\d-\d\d", cells[0]) and len(cells) == 4:
            rows.append(Row(number, *cells))
        elif re.fullmatch(r"[YTOWA]-\d\d", cells[0]) and len(cells) == 3:
            rows.append(Row(number, cells[0], "", "fact", cells[2]))
        elif demands and len(cells) == 2:
            rows.append(Row(number, "", "", "demand", cells[1]))
        else:
            faults.append(f"{number}: not a row of this page: {line[:60]}")
    return rows, faults


def totals_of(rows):
    """The lines of the table of totals."""
    count = {(design, status): 0 for design in DESIGNS for status in STATUSES}
    for row in rows:
        if (row.id[:2], row.status) in count:
            count[row.id[:2], row.status] += 1
    lines = []
    for name, designs in [*((design, [design]) for design in DESIGNS), ("all", DESIGNS)]:
        numbers = [sum(count[design, status] for design in designs) for status in STATUSES]
        lines.append(f"| {name} | " + " | ".join(str(number) for number in [sum(numbers), *numbers]) + " |")
    return lines


def is_total(line):
    return re.match(r"\| (all|S\d) \|", line)


def faults_of_totals(lines, rows):
    there = [line for line in lines if is_total(line)]
    computed = totals_of(rows)
    if len(there) != len(computed):
        return ["the table of totals is incomplete"]
    return [f"the totals are '{old}', not '{new}' (--fix writes them)" for old, new in zip(there, computed) if old != new]


def faults_of_ids(rows):
    ids = [row.id for row in rows if row.id]
    ordered = [f"{design}-{n:02}" for design, count in DESIGNS.items() for n in range(1, count + 1)]
    yield from (f"{id} is missing" for id in [*ordered, *FACTS] if id not in ids)
    yield from (f"{id} is there twice" for id in sorted(set(ids)) if ids.count(id) > 1)
    yield from (f"there is no {id} in any design or list of facts" for id in ids if id not in ordered and id not in FACTS)
    designed = [id for id in ids if id in ordered]
    yield from (f"{after} stands after {id}" for id, after in zip(designed[1:], designed) if id < after)


def faults_of_status(row, by_id):
    if row.status not in [*STATUSES, "fact", "demand"]:
        yield f"'{row.status}' is no status; there are {', '.join(STATUSES)}"
    if row.status in [*PROVED, "fact", "demand"] and not row.tests and not row.scripts:
        yield f"{row.status} without a test that proves it"
    if row.status in ["deviates", "settled", "open"] and not row.reason():
        yield f"{row.status} without a reason"
    if row.id in CONTRADICTED and row.status in PROVED:
        yield f"it contradicts {CONTRADICTED[row.id]}, so it is superseded and does not count as held"
    if row.status == "superseded":
        instead = CONTRADICTED.get(row.id)
        if instead is None:
            yield "superseded, but the check knows no row that it contradicts"
        elif not row.proof.startswith(f"by {instead}"):
            yield f"superseded, but the text does not begin with 'by {instead}'"
        elif instead in by_id and by_id[instead].status == "superseded":
            yield f"superseded by {instead}, which does not count either"


def faults_of_proof(row, root, tests, ran):
    for test, where in row.tests.items():
        file = root / where if where.startswith("tests/") else root / "src" / where
        if test not in tests:
            yield f"there is no test {test}"
        elif tests[test] != file:
            yield f"{test} is not a test of {where}"
    yield from (f"{test} is named without its file" for test in row.named if test not in row.tests)
    yield from (f"there is no {path}" for path in row.scripts if not (root / path).exists())
    if ran is not None and row.status != "open" and row.tests and not row.scripts and not ran & row.tests.keys():
        yield f"none of its tests ran: {', '.join(row.tests)}"


def words_of(catalogue):
    """id -> statement."""
    cells = [cells_of(line) for line in catalogue.read_text().splitlines()]
    return {row[0]: row[2] for row in cells if len(row) == 3 and re.fullmatch(r"S\d-\d\d", row[0])}


def faults_of_words(rows, words):
    for row in rows:
        if row.id in words and row.words != words[row.id]:
            yield f"{row.number}: {row.id} is not in the words of the catalogue"
    ids = [row.id for row in rows]
    yield from (f"{id} of the catalogue is missing" for id in words if id not in ids)


def tests_that_ran(results):
    """'Suite.Name' of every gtest case of which at least one instance ran."""
    ran = set()
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        # Suite.Name, Instance/Suite.Name/parameter or Suite/0.Name
        name = re.search(r"(\w+)(?:/\d+)?\.(\w+)", case.get("name"))
        if name and case.get("status") != "notrun":
            ran.add(f"{name[1]}.{name[2]}")
    return ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path, nargs="?")
    parser.add_argument("--catalogue", type=pathlib.Path)
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    args = parser.parse_args()
    if args.results and not args.results.exists():
        parser.error(f"there is no {args.results}: run the tests first")
    root = args.root.resolve()
    page = args.page or root / "docs/requirements.md"
    catalogue = args.catalogue or root.parent / "shared/requirements.md"

    lines = page.read_text().splitlines()
    rows, faults = rows_of(lines)
    if args.fix:
        totals = iter(totals_of(rows))
        lines = [next(totals) if is_total(line) else line for line in lines]
        page.write_text("\n".join(lines) + "\n")

    if catalogue.exists():
        faults += faults_of_words(rows, words_of(catalogue))
    else:
        print("SKIPPED: the words are not compared, since there is no ../shared/requirements.md")
        if args.words:
            return 77
    if not args.words:
        tests = tests_of(root)
        ran = tests_that_ran(args.results) if args.results else None
        by_id = {row.id: row for row in rows}
        faults += [*faults_of_ids(rows), *faults_of_totals(lines, rows)]
        for row in rows:
            for fault in [*faults_of_status(row, by_id), *faults_of_proof(row, root, tests, ran)]:
                faults.append(f"{row.number}: {row.id or 'a demand'}: {fault}")
    for fault in faults:
        print(f"{page.name}:{fault}")
    print(f"{len(rows)} rows, {sum(len(row.tests) for row in rows)} times a test is named, {len(faults)} faults")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
