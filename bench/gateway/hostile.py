#!/usr/bin/env python3
"""Servers and clients that mean harm, for fairness.py.

    hostile.py server schema|tools|flood      an MCP server on standard input and output
    hostile.py calls PORT TOOL                calls a tool as fast as answers come, on eight connections
    hostile.py bodies PORT COUNT SECONDS      opens COUNT requests of 4 MB, evenly within SECONDS, and never finishes them
    hostile.py burn PART                      burns PART of a processor, and touches nothing else
"""

import json
import os
import socket
import sys
import threading
import time

TOOLS = 100_000


def costly_schema():
    """Every element of the list is held against two thousand alternatives."""
    return {"type": "object", "properties": {"list": {"items": {"anyOf": [{"const": n} for n in range(2000)]}}}}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools_of(kind):
    if kind == "schema":
        return [{"name": "costly", "inputSchema": costly_schema()}]
    if kind == "tools":
        return [{"name": f"tool{n}", "description": "one of very many", "inputSchema": {
            "type": "object", "properties": {"a": {"type": "string"}}}} for n in range(TOOLS)]
    return [{"name": "quiet", "inputSchema": {"type": "object"}}]


def change_lists():
    while True:
        time.sleep(1)
        say({"method": "notifications/tools/list_changed"})


def flood():
    os.set_blocking(1, True)
    number = 0
    while True:
        number += 1
        say({"id": f"f{number}", "method": "ping"})
        say({"method": "notifications/message", "params": {"level": "info", "data": "x" * 200}})


def serve(kind):
    listed = False
    for line in sys.stdin:
        request = json.loads(line)
        method, identifier = request.get("method"), request.get("id")
        if identifier is None or method is None:
            continue
        if method == "initialize":
            say({"id": identifier, "result": {"protocolVersion": "2025-11-25",
                                              "capabilities": {"tools": {"listChanged": True}, "logging": {}},
                                              "serverInfo": {"name": kind, "version": "1"}}})
        elif method == "tools/list":
            say({"id": identifier, "result": {"tools": tools_of(kind)}})
            if not listed and kind in ("tools", "flood"):
                listed = True
                threading.Thread(target=change_lists if kind == "tools" else flood, daemon=True).start()
        elif method in ("ping", "logging/setLevel"):
            say({"id": identifier, "result": {}})
        elif method == "tools/call":
            say({"id": identifier, "result": {"content": []}})
        else:
            say({"id": identifier, "error": {"code": -32601, "message": "unknown method"}})


def call_forever(port, tool):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import speech  # the folder is known only now

    # Fits, and takes a hundred thousand steps to see: 50 elements, each the last alternative.
    headers, body = speech.request("modern", "tools/call", {"name": tool, "arguments": {"list": [1999] * 50}})
    client = speech.Client(port)
    while True:
        client.post(headers, body)


def call_from_eight(port, tool):
    for _ in range(8):
        threading.Thread(target=call_forever, args=(port, tool), daemon=True).start()
    while True:
        time.sleep(60)


def leave_bodies_unfinished(port, count, seconds):
    size = 4_000_000
    head = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {size}\r\n\r\n").encode()
    held = []
    piece = b" " * 65536
    began = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, began + seconds * number / count - time.monotonic()))
        try:
            stream = socket.create_connection(("127.0.0.1", port), timeout=2)
            stream.sendall(head)
            for _ in range(size // len(piece) - 1):
                stream.sendall(piece)
            held.append(stream)
        except OSError:
            continue  # refused: that is an answer too
    while True:
        time.sleep(60)


def burn(part):
    period = 0.01
    while True:
        end = time.monotonic() + period * part
        while time.monotonic() < end:
            pass
        if part < 1:
            time.sleep(period * (1 - part))


def main():
    what, *rest = sys.argv[1:]
    if what == "server":
        serve(rest[0])
    elif what == "calls":
        call_from_eight(int(rest[0]), rest[1])
    elif what == "bodies":
        leave_bodies_unfinished(int(rest[0]), int(rest[1]), float(rest[2]))
    elif what == "burn":
        burn(float(rest[0]))


if __name__ == "__main__":
    main()
