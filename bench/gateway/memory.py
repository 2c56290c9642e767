"""Memory: idle, per idle session, while something huge passes."""

import socket
import time

import speech
from figures import verdict
from rig import Failure

COUNTS = [1, 100, 1000, 10000]


def receive(port, headers, body, session="", pause=0.0):
    """Reads one answer without keeping it; `pause` seconds after every 256 KB. Returns its length."""
    fields = {**headers, "Host": f"127.0.0.1:{port}", "Content-Length": len(body), "Connection": "close"}
    if session:
        fields["Mcp-Session-Id"] = session
    head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in fields.items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as stream:
        stream.sendall((head + body).encode())
        total, since = 0, 0
        while data := stream.recv(1 << 18):
            total += len(data)
            since += len(data)
            if pause and since > 1 << 18:
                since = 0
                time.sleep(pause)
    return total


class Memory:
    def __init__(self, rig, report, settings):
        self.rig, self.report, self.settings = rig, report, settings
        self.upstreams = {era: rig.upstream(era) for era in ("modern", "legacy")}

    def http_gateway(self, name, era):
        return self.rig.gantry(name, [self.rig.http_server(self.upstreams[era], era)])

    def idle(self):
        self.report.section(
            "Memory: idle", "Resident memory of the gateway with one server of ten tools, before any call.",
            ["upstream", "MB", "target"])
        for era in self.upstreams:
            gateway = self.http_gateway(f"idle-{era}", era)
            time.sleep(0.5)
            self.report.row(era, f"{gateway.rss_kb() / 1024:.1f}", verdict(gateway.rss_kb() / 1024, at_most=20))
            self.rig.stop(gateway)

    def sessions(self):
        self.report.section(
            "Memory: idle legacy sessions without a stream",
            "Each session did the handshake, one list and one call. The growth is against the row before, so that what "
            "the first calls leave behind for good does not count for every session.",
            ["upstream", "sessions", "resident, MB", "KB per further session", "target"])
        for era in self.upstreams:
            gateway = self.http_gateway(f"sessions-{era}", era)
            client = speech.Client(gateway.port)
            before, opened = gateway.rss_kb(), 0
            with self.report.attempt(f"{era} sessions"):
                for count in self.settings.sizes(COUNTS):
                    for _ in range(count - opened):
                        client.open_session(used=True)
                    now = gateway.rss_kb()
                    each = (now - before) / (count - opened)
                    checked = verdict(each, at_most=10) if count >= 1000 else ""
                    self.report.row(era, count, f"{now / 1024:.1f}", f"{each:.2f}", checked)
                    before, opened = now, count
            client.close()
            self.rig.stop(gateway)

    def huge(self):
        self.report.section(
            "Memory: a 64 MB result passes",
            "Peak resident memory during the call less resident memory before it, after one such call to warm up. A "
            "child process may spool to a file instead, so no target holds there.",
            ["client → upstream", "reader", "added, MB", "target", "seconds"])
        eventful = {era: self.rig.upstream(era, events=True) for era in self.upstreams}
        for client, era, form in (("modern", "modern", "JSON"), ("legacy", "legacy", "JSON"),
                                  ("modern", "legacy", "JSON"), ("legacy", "modern", "JSON"),
                                  ("modern", "modern", "events"), ("legacy", "legacy", "events"),
                                  ("modern", "legacy", "events"), ("legacy", "modern", "events"),
                                  ("modern", "modern", "stdio"), ("legacy", "legacy", "stdio")):
            stdio = form == "stdio"
            behind = eventful if form == "events" else self.upstreams
            server = (self.rig.stdio_server(era) if stdio else self.rig.http_server(behind[era], era))
            gateway = self.rig.gantry(f"huge-{client}-{era}-{form}", [server])
            session = speech.Client(gateway.port).open_session() if client == "legacy" else ""
            for reader, pause in (("warm-up", 0), ("fast", 0), ("slow", 0.02)):
                with self.report.attempt(f"{client} → {era}, {reader}"):
                    gateway.forget_peak()
                    before, began = gateway.rss_kb(), time.monotonic()
                    length = receive(gateway.port, *speech.call(client, "huge"), session, pause)
                    if length < 63_000_000:
                        raise Failure(f"only {length} bytes of the huge result came through {gateway.name}")
                    added = (gateway.peak_kb() - before) / 1024
                    if reader != "warm-up":
                        self.report.row(f"{client} → {era}, {form}", reader, f"{added:.2f}",
                                        "" if stdio else verdict(added, at_most=2), f"{time.monotonic() - began:.2f}")
            self.rig.stop(gateway)
