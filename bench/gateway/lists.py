"""tools/list of catalogs of any size, beside nginx serving the same bytes as a static file."""

import os
import signal
import time

import load
import speech
from figures import middle, ratio, verdict
from load import Target
from rig import Failure

SIZES = [10, 100, 1000, 10000]
# Every tool whose name ends in an even digit, and the first two: about half of all.
PATTERNS = ["small", "medium"] + [f"tool_*{digit}" for digit in "02468"]
DENIED = [f"tool_*{digit}" for digit in "13579"]


class Lists:
    def __init__(self, rig, report, settings):
        self.rig, self.report, self.settings = rig, report, settings
        self.static = rig.path("static")
        os.makedirs(self.static, exist_ok=True)
        self.nginx = rig.nginx({}, self.static)

    def kinds(self, upstream, size):
        """Name → where to list: all; a group of patterns; a server with a deny list; a legacy client."""
        server = self.rig.http_server(upstream, "modern")
        whole = self.rig.gantry(f"list-{size}", [server], groups=[{"name": "half", "tools": PATTERNS}])
        denied = self.rig.gantry(f"list-denied-{size}", [{**server, "deny": DENIED}])
        headers, body = speech.listing("modern")
        legacy_headers, legacy_body = speech.listing("legacy")
        session = speech.Client(whole.port).open_session()
        return {"all": Target(whole, "/mcp", headers, body),
                "all, legacy client": Target(whole, "/mcp", legacy_headers, legacy_body, session=session),
                "group of patterns": Target(whole, "/mcp/groups/half", headers, body),
                "deny list": Target(denied, "/mcp", headers, body)}

    def static_twin(self, name, target):
        """The same bytes as a file of nginx's; returns where, how many bytes and how many tools."""
        client = speech.Client(target.program.port, target.path)
        _, data = client.post(target.headers, target.body, target.session)
        client.close()
        file = name.replace(" ", "-").replace(",", "") + ".json"
        with open(os.path.join(self.static, file), "wb") as out:
            out.write(data)
        return Target(self.nginx, "/static/" + file, {}, method="GET"), len(data), data.count(b'"inputSchema"')

    def warm(self):
        self.report.section(
            "Lists: warm, beside nginx serving the same bytes as a static file",
            "`tools/list` in one page, 32 connections. nginx answers a GET with `sendfile` and an open-file cache.",
            ["tools", "list", "KB", "throughput / nginx", "target", "req/s", "nginx", "CPU / nginx", "CPU, µs",
             "nginx, µs"])
        for size in self.settings.sizes(SIZES):
            upstream = self.rig.upstream("modern", size)
            kinds = self.kinds(upstream, size)
            for name, target in kinds.items():
                with self.report.attempt(f"{size} tools, {name}"):
                    twin, length, count = self.static_twin(f"{size}-{name}", target)
                    done = load.rounds(self.rig, {"ours": target, "nginx": twin}, self.settings.rounds,
                                       self.settings.seconds, 32)
                    rate = ratio(done["ours"], done["nginx"], "requests_per_second")
                    self.report.row(
                        count, name, f"{length / 1000:.1f}", f"{rate:.2f}", verdict(rate, at_least=0.9),
                        *(f"{middle(done[who], 'requests_per_second'):.0f}" for who in ("ours", "nginx")),
                        f"{ratio(done['ours'], done['nginx'], 'cpu_us'):.2f}",
                        *(f"{middle(done[who], 'cpu_us'):.1f}" for who in ("ours", "nginx")))
                    if name == "all":
                        self.report.plot["lists"].append(
                            [count, *(middle(done[who], "requests_per_second") for who in ("ours", "nginx"))])
            for program in {target.program for target in kinds.values()}:
                self.rig.stop(program)
            self.rig.stop(upstream)

    def cold(self):
        self.report.section(
            "Lists: cold, the first after the upstream's catalog changed",
            "The upstream says `list_changed`; once the gateway has taken the new list over, one list is asked for, "
            "then another. CPU is what the gateway spends on fetching, checking, merging and swapping, in all threads: "
            "when every tool has changed, and when one has.",
            ["tools", "start to ready, ms", "CPU, all changed, ms", "CPU, one changed, ms", "target", "first list, ms",
             "next list, ms", "idle memory, MB"])
        for size in self.settings.sizes(SIZES):
            upstream = self.rig.upstream("modern", size)
            began = time.monotonic()
            gateway = self.rig.gantry(f"cold-{size}", [self.rig.http_server(upstream, "modern")])
            ready = time.monotonic() - began
            memory = gateway.rss_kb()
            with self.report.attempt(f"{size} tools"):
                samples = [self.change(upstream, gateway, edition, size)
                           for edition in range(1, self.settings.rounds + 1)]
                middles = [sorted(column)[len(column) // 2] * 1e3 for column in zip(*samples)]
                one = middles[1]
                self.report.row(size, f"{ready * 1e3:.0f}", f"{middles[0]:.2f}", f"{one:.2f}",
                                verdict(one, at_most=5), *(f"{value:.2f}" for value in middles[2:]),
                                f"{memory / 1024:.1f}")
            self.rig.stop(gateway)
            self.rig.stop(upstream)

    def spent_on(self, upstream, gateway, change, size):
        before = gateway.cpu_seconds()
        upstream.process.send_signal(change)
        # A list is read again after a pause that grows with its length (src/gateway/sources/mcp/list_pause.hpp).
        time.sleep(0.0005 * size)
        last, still = before, 0
        for _ in range(600):  # until it has been idle for a while after having worked
            time.sleep(0.05)
            now = gateway.cpu_seconds()
            still = still + 1 if now - last < 0.0005 and now > before else 0
            last = now
            if still == 6:
                break
        return last - before

    def change(self, upstream, gateway, edition, size):
        one = self.spent_on(upstream, gateway, signal.SIGUSR2, size)
        spent = self.spent_on(upstream, gateway, signal.SIGUSR1, size)
        client = speech.Client(gateway.port)
        times = []
        for _ in range(2):
            began = time.monotonic()
            _, data = client.post(*speech.listing("modern"))
            times.append(time.monotonic() - began)
        client.close()
        if f"(edition {edition})".encode() not in data:
            raise Failure(f"{gateway.name} still lists the catalog before edition {edition}")
        return spent, one, *times
