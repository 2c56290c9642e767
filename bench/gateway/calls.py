"""tools/call through the gateway, beside nginx relaying to the same upstream and beside the upstream itself."""

from dataclasses import dataclass

import load
import speech
from figures import middle, ratio, verdict
from load import Target
from rig import Failure


@dataclass(frozen=True)
class Case:
    name: str
    client: str            # era the client speaks
    upstream: str          # era of the upstream
    tool: str
    token: int = None
    stdio: bool = False
    targets: bool = False  # the targets hold for it
    latency: bool = False
    recorded: bool = False  # with the journal on, as it is unless configured otherwise


CASES = [
    Case("small", "modern", "modern", "small", targets=True, latency=True),
    Case("small", "legacy", "legacy", "small", targets=True, latency=True),
    Case("small", "modern", "legacy", "small", latency=True),
    Case("small", "legacy", "modern", "small", latency=True),
    Case("small, recorded", "modern", "modern", "small", recorded=True),
    Case("small, recorded", "legacy", "legacy", "small", recorded=True),
    Case("10 KB", "modern", "modern", "medium"),
    Case("10 KB", "legacy", "legacy", "medium"),
    Case("10 KB", "modern", "legacy", "medium"),
    Case("10 KB", "legacy", "modern", "medium"),
    Case("1 MB", "modern", "modern", "large"),
    Case("1 MB", "legacy", "legacy", "large"),
    Case("20 progress events", "modern", "modern", "progress", token=7),
    Case("20 progress events", "legacy", "legacy", "progress", token=7),
    Case("small, stdio", "modern", "modern", "small", stdio=True),
    Case("small, stdio", "legacy", "legacy", "small", stdio=True),
]


class Calls:
    def __init__(self, rig, report, settings):
        self.rig, self.report, self.settings = rig, report, settings
        self.upstreams = {era: rig.upstream(era) for era in ("modern", "legacy")}
        self.nginx = rig.nginx(self.upstreams, rig.work)
        self.gateways = {}

    def gateway(self, case, validate):
        key = (case.upstream, case.stdio, case.recorded, validate)
        if key not in self.gateways:
            server = (self.rig.stdio_server(case.upstream) if case.stdio
                      else self.rig.http_server(self.upstreams[case.upstream], case.upstream))
            name = "-".join([case.upstream, "stdio" if case.stdio else "http", "checked" if validate else "unchecked",
                             *(["recorded"] if case.recorded else [])])
            more = {"audit": {"mode": "async"}} if case.recorded else {}
            program = self.rig.gantry(name, [server], validate, **more)
            session = speech.Client(program.port).open_session()
            self.gateways[key] = program, session
        return self.gateways[key]

    def ours(self, case, validate):
        program, session = self.gateway(case, validate)
        headers, body = speech.call(case.client, case.tool, case.token)
        return Target(program, "/mcp", headers, body, session=session if case.client == "legacy" else "")

    def theirs(self, case, program, path):
        # A plain proxy translates nothing: its client speaks as the upstream does.
        headers, body = speech.call(case.upstream, case.tool, case.token)
        session = "0123456789abcdef0123456789abcdef" if case.upstream == "legacy" else ""
        return Target(program, path, headers, body, session=session)

    def targets(self, case):
        return {"checked": self.ours(case, True), "unchecked": self.ours(case, False),
                "nginx": self.theirs(case, self.nginx, f"/{case.upstream}/mcp"),
                "direct": self.theirs(case, self.upstreams[case.upstream], "/mcp")}

    def check(self, case):
        """Every way gives a result before any is measured."""
        for name, target in self.targets(case).items():
            client = speech.Client(target.program.port, target.path)
            _, data = client.post(target.headers, target.body, target.session)
            if b'"result":{' not in data or b'"isError":true' in data:
                raise Failure(f"{case.name} at {name}: {data[:300]!r}")
            if case.token is not None and data.count(b"notifications/progress") != 20:
                raise Failure(f"{case.name} at {name}: progress is missing: {data[:300]!r}")
            client.close()

    def throughput(self):
        self.report.section(
            "Relayed calls: CPU and throughput beside nginx",
            "`tools/call` through the gateway (client era → upstream era), argument validation on and off, against "
            "nginx as a plain reverse proxy in front of the same upstream, 32 connections. Where eras differ nginx "
            "relays the upstream's own era, and where the upstream is a child process nginx relays to its HTTP form. "
            "The last column is the upstream without anything in front. Neither nginx nor the gateway keeps a record of calls, "
            "except where it says recorded: there the gateway's journal is on, and the CPU of its writer counts.",
            ["call", "client → upstream", "validation", "CPU / nginx", "target", "throughput / nginx", "target",
             "CPU, µs", "nginx, µs", "req/s", "nginx", "direct"])
        for case in self.settings.chosen(CASES):
            with self.report.attempt(f"{case.name}, {case.client} → {case.upstream}"):
                self.check(case)
                done = load.rounds(self.rig, self.targets(case), self.settings.rounds, self.settings.seconds, 32)
                for name, word in (("checked", "on"), ("unchecked", "off")):
                    cpu = ratio(done[name], done["nginx"], "cpu_us")
                    rate = ratio(done[name], done["nginx"], "requests_per_second")
                    self.report.row(
                        case.name, f"{case.client} → {case.upstream}", word,
                        f"{cpu:.2f}", verdict(cpu, at_most=1.0) if case.targets else "",
                        f"{rate:.2f}", verdict(rate, at_least=1.0) if case.targets else "",
                        f"{middle(done[name], 'cpu_us'):.1f}", f"{middle(done['nginx'], 'cpu_us'):.1f}",
                        *(f"{middle(done[who], 'requests_per_second'):.0f}" for who in (name, "nginx", "direct")))
                    self.report.plot["cpu"].append([f"{case.name}, {case.client} → {case.upstream}", word, cpu])

    def latency(self):
        self.report.section(
            "Relayed calls: latency beside nginx",
            "As above with 4 connections and three times the rounds, each half as long: what the scheduler does in a moment "
            "decides about a round's 99th percentile. Medians of the 50th and 99th percentile of each round, and the median "
            "of the per-round ratios of the latter.",
            ["call", "client → upstream", "validation", "p99 / nginx", "target", "p99, µs", "nginx, µs", "p50, µs",
             "nginx, µs", "direct p99, µs"])
        for case in self.settings.chosen([one for one in CASES if one.latency]):
            with self.report.attempt(f"{case.name}, {case.client} → {case.upstream}"):
                done = load.rounds(self.rig, self.targets(case), 3 * self.settings.rounds,
                                   max(1, self.settings.seconds // 2), 4)
                for name, word in (("checked", "on"), ("unchecked", "off")):
                    p99 = ratio(done[name], done["nginx"], "p99_us")
                    self.report.row(
                        case.name, f"{case.client} → {case.upstream}", word, f"{p99:.2f}",
                        verdict(p99, at_most=1.3) if case.targets else "",
                        *(f"{middle(done[who], 'p99_us'):.0f}" for who in (name, "nginx")),
                        *(f"{middle(done[who], 'p50_us'):.0f}" for who in (name, "nginx")),
                        f"{middle(done['direct'], 'p99_us'):.0f}")
