"""What a call costs when there is much of everything: ratios of CPU per small call, much against little."""

import load
import speech
from figures import middle, ratio, verdict
from load import Target

# Rounds of one program against another of the same kind differ by a few percent.
TOLERANCE = 1.1


class Growth:
    def __init__(self, rig, report, settings):
        self.rig, self.report, self.settings = rig, report, settings

    def compare(self, what, little, much):
        done = load.rounds(self.rig, {"little": little, "much": much}, self.settings.rounds, self.settings.seconds, 32)
        grown = ratio(done["much"], done["little"], "cpu_us")
        self.report.row(what, f"{grown:.2f}", verdict(grown, at_most=TOLERANCE),
                        *(f"{middle(done[who], 'cpu_us'):.1f}" for who in ("little", "much")))

    def call_of(self, program, era="modern", tool="small", session=""):
        headers, body = speech.call(era, tool)
        return Target(program, "/mcp", headers, body, session=session)

    def run(self):
        self.report.section(
            "Cost per call does not grow",
            "CPU of the gateway per small call, much against little, 32 connections, validation on. \"In turn\" calls "
            "another tool, or comes from another session, with every request.",
            ["what", "CPU much / little", "target", "little, µs", "much, µs"])
        for part in (self.tools, self.servers, self.sessions):
            with self.report.attempt(part.__name__):
                part()

    def tools(self):
        few, many = self.rig.upstream("modern", 10), self.rig.upstream("modern", 10000)
        little = self.rig.gantry("few-tools", [self.rig.http_server(few, "modern")])
        much = self.rig.gantry("many-tools", [self.rig.http_server(many, "modern")])
        self.compare("10 → 10,000 tools, the same one", self.call_of(little), self.call_of(much))

        def in_turn(program, count):
            target = self.call_of(program)
            # The first five answer in other sizes.
            target.names = ("small", *(f"tool_{i:05d}" for i in range(5, count)))
            return target

        self.compare("10 → 10,000 tools, in turn", in_turn(little, 10), in_turn(much, 10000))
        for program in (little, much, few, many):
            self.rig.stop(program)

    def servers(self):
        upstream = self.rig.upstream("modern", 10)
        little = self.rig.gantry("one-server", [self.rig.http_server(upstream, "modern", name="s0", prefix="s0")])
        much = self.rig.gantry("many-servers", [self.rig.http_server(upstream, "modern", name=f"s{i}", prefix=f"s{i}")
                                                for i in range(20)])
        self.compare("1 → 20 servers", self.call_of(little, tool="s0_small"), self.call_of(much, tool="s0_small"))
        for program in (little, much, upstream):
            self.rig.stop(program)

    def sessions(self):
        upstream = self.rig.upstream("legacy", 10)
        server = self.rig.http_server(upstream, "legacy")
        little, much = self.rig.gantry("one-session", [server]), self.rig.gantry("many-sessions", [server])
        one = speech.Client(little.port).open_session()
        client = speech.Client(much.port)
        many = [client.open_session() for _ in range(10000)]
        client.close()
        first = self.call_of(little, "legacy", session=one)
        self.compare("1 → 10,000 legacy sessions, the same one", first, self.call_of(much, "legacy", session=many[0]))
        turned = self.call_of(much, "legacy")
        turned.sessions = tuple(many)
        self.compare("1 → 10,000 legacy sessions, in turn", first, turned)
        for program in (little, much, upstream):
            self.rig.stop(program)
