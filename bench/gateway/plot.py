#!/usr/bin/env python3
"""Draws the gateway's figures as an SVG: bars of CPU per call beside nginx's, and list throughput over catalog size.

    bench/gateway/plot.py FIGURES.json OUT.svg
"""

import json
import math
import sys

OURS, OTHER, LINE, TEXT = "#2266aa", "#88bbdd", "#cc5522", "#333333"
WIDTH, LEFT, BAR, GAP = 860, 300, 14, 10


def text(x, y, content, size=12, anchor="start", color=TEXT):
    safe = str(content).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{safe}</text>'


def box(x, y, width, height, color):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>'


def line(points, color, dash=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>'


def bars(rows, top):
    """Ratios of CPU per call; the line at 1 is nginx. Returns the parts and where they end."""
    parts = [text(20, top, "CPU per relayed call, nginx as a plain proxy = 1 (shorter is better)", 15)]
    parts += [box(LEFT, top + 14, 12, 12, OURS), text(LEFT + 18, top + 24, "arguments validated"),
              box(LEFT + 170, top + 14, 12, 12, OTHER), text(LEFT + 188, top + 24, "not validated")]
    y = top + 40
    begin = y
    longest = max([ratio for _, _, ratio in rows] + [1.2])
    scale = (WIDTH - LEFT - 70) / longest
    last = None
    for name, validation, ratio in rows:
        if name != last:
            y += GAP
            parts.append(text(LEFT - 8, y + BAR, name, anchor="end"))
            last = name
        parts += [box(LEFT, y, ratio * scale, BAR, OURS if validation == "on" else OTHER),
                  text(LEFT + ratio * scale + 5, y + BAR - 3, f"{ratio:.2f}", 11)]
        y += BAR + 1
    parts.append(line([(LEFT + scale, begin), (LEFT + scale, y + 6)], LINE, "5 3"))
    parts.append(text(LEFT + scale, y + 20, "nginx", 11, "middle", LINE))
    return parts, y + 40


def lists(rows, top):
    """Requests per second over the number of tools, both axes logarithmic."""
    height = 240
    parts = [text(20, top, "tools/list per second, one page, against nginx serving the same bytes as a file", 15)]
    values = [value for row in rows for value in row[1:]]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(rows[0][0]), math.log10(rows[-1][0])
    right, base = WIDTH - 120, top + 20 + height

    def place(tools, value):
        across = (math.log10(tools) - first) / ((last - first) or 1)
        up = (math.log10(value) - low) / ((high - low) or 1)
        return 100 + across * (right - 100), base - up * height

    for power in range(low, high + 1):
        y = place(rows[0][0], 10 ** power)[1]
        parts += [line([(100, y), (right, y)], "#dddddd"), text(92, y + 4, f"{10 ** power:,}", 11, "end")]
    for row in rows:
        parts.append(text(place(row[0], values[0])[0], base + 18, f"{row[0]:,} tools", 11, "middle"))
    for column, color, name in ((1, OURS, "gantry"), (2, LINE, "nginx, static")):
        points = [place(row[0], row[column]) for row in rows]
        parts.append(line(points, color))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>' for x, y in points]
        parts.append(text(right + 8, points[-1][1] + (14 if column == 1 else -6), name, 12, color=color))
    return parts, base + 40


def draw(figures):
    parts, y = [], 30
    if figures["cpu"]:
        drawn, y = bars(figures["cpu"], y)
        parts += drawn
    if figures["lists"]:
        drawn, y = lists(sorted(figures["lists"]), y + 10)
        parts += drawn
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y:.0f}" viewBox="0 0 {WIDTH} {y:.0f}" '
            'font-family="sans-serif">\n' + box(0, 0, WIDTH, y, "#ffffff") + "\n" + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as source:
        drawing = draw(json.load(source)["plot"])
    with open(sys.argv[2], "w") as out:
        out.write(drawing)
