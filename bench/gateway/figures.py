"""From rounds to figures: medians of per-round ratios, and whether a target is met."""

import contextlib
import http.client
from statistics import median

from rig import Failure


def ratio(ours, theirs, field):
    """The median of the per-round ratios of one field."""
    return median(getattr(a, field) / getattr(b, field) for a, b in zip(ours, theirs))


def middle(rounds, field):
    return median(getattr(one, field) for one in rounds)


def verdict(value, at_most=None, at_least=None):
    if at_most is not None:
        return f"≤ {at_most:g}: " + ("met" if value <= at_most else "MISSED")
    if at_least is not None:
        return f"≥ {at_least:g}: " + ("met" if value >= at_least else "MISSED")
    return ""


class Report:
    """Sections of tables; each row is printed as soon as it is known."""

    def __init__(self):
        self.sections = []
        self.plot = {"cpu": [], "lists": []}
        self.whole = True

    def section(self, title, text, header):
        self.sections.append({"title": title, "text": text, "header": header, "rows": []})
        print(f"\n{title}\n  " + " | ".join(header), flush=True)

    def row(self, *cells):
        self.sections[-1]["rows"].append([str(cell) for cell in cells])
        print("  " + " | ".join(str(cell) for cell in cells), flush=True)

    @contextlib.contextmanager
    def attempt(self, what):
        """What fails inside says so in the table, and the rest goes on."""
        try:
            yield
        except (Failure, OSError, http.client.HTTPException) as failure:
            self.row(f"failed: {what}: {failure or type(failure).__name__}")
            self.whole = False

    def markdown(self):
        lines = []
        for section in self.sections:
            lines += [f"### {section['title']}", "", section["text"], "",
                      "| " + " | ".join(section["header"]) + " |", "|" + "---|" * len(section["header"])]
            lines += ["| " + " | ".join(row) + " |" for row in section["rows"]]
            lines.append("")
        return "\n".join(lines)
