"""Fairness: what a hostile server or client costs calls to other servers.

Calls to a well-behaved server come at half the rate at which the gateway is saturated, whatever the answers do. Their p99
under attack is held against a control run at the same rate in which a process that never touches the gateway burns the
processor time the attack took: what is left is what the attack does to the gateway beyond needing a processor.
"""

import json
import os
import subprocess
import sys
from statistics import median

import speech
from figures import verdict
from rig import HERTZ, Failure

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTILE = os.path.join(HERE, "hostile.py")
CONNECTIONS = 32
# Many short rounds: a stall of the machine, which a p99 shows in full, then spoils one ratio and not the median.
ROUNDS, SECONDS = 7, 4


def family(pid):
    """A process and all below it."""
    found = [pid]
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as children:
                for child in children.read().split():
                    found += family(int(child))
    except FileNotFoundError:
        pass
    return found


def cpu_of(pids):
    spent = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        spent += int(fields[11]) + int(fields[12])
    return spent / HERTZ


class Attack:
    """Hostile servers behind the gateway, and hostile clients in front of it."""

    def __init__(self, name, servers=(), client=()):
        self.name, self.servers, self.client = name, list(servers), list(client)


def hostile_server(kind, **more):
    return {"name": "bad", "command": sys.executable, "args": [HOSTILE, "server", kind], "prefix": "bad",
            "isolation": "off", **more}


def attacks(scale):
    silent = [{"name": f"silent{n}", "command": "/bin/sleep", "args": ["86400"], "connect_timeout": "1s", "isolation": "off"}
              for n in range(8)]
    return [Attack("hostile schema", [hostile_server("schema")], ["calls", "{port}", "bad_costly"]),
            Attack("list of 100,000 tools, changing", [hostile_server("tools")]),
            Attack("flooding server", [hostile_server("flood")]),
            Attack("slow start: eight silent servers", silent),
            # Spread over the run, as the control's burning is: a burst would be held against an even load.
            Attack(f"{scale} unfinished bodies", [], ["bodies", "{port}", str(scale), str(SECONDS)])]


class Fairness:
    def __init__(self, rig, report, settings):
        self.rig, self.report, self.settings = rig, report, settings
        self.load_bin = rig.built("fixed_rate")
        if not self.load_bin:
            raise Failure("fixed_rate is not built")
        self.upstream = rig.upstream("modern")
        self.good = rig.http_server(self.upstream, "modern", name="good")

    def request_file(self, port):
        headers, body = speech.call("modern", "small")
        fields = {"Host": f"127.0.0.1:{port}", **headers, "Content-Length": len(body)}
        file = self.rig.path("request")
        with open(file, "w", newline="") as out:
            out.write("POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n" + body)
        return file

    def load(self, port, rate, seconds):
        done = subprocess.run([self.load_bin, str(port), f"{rate:.1f}", str(seconds), str(CONNECTIONS),
                               self.request_file(port)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"fixed_rate failed: {done.stderr or done.stdout}")
        return json.loads(done.stdout)

    def gateway(self, name, servers):
        return self.rig.gantry(name, [self.good, *servers])

    def measure(self, gateway, rate, seconds, client=(), burnt=None):
        """One run: the load's figures, and the processor time of gateway, hostile servers and hostile client."""
        self.load(gateway.port, rate, 1)  # connections to the server and memory are there before anything is measured
        others = []
        if client:
            others.append(subprocess.Popen([sys.executable, HOSTILE, *(w.format(port=gateway.port) for w in client)],
                                           stdin=subprocess.DEVNULL))
        while burnt and burnt > 0.001:  # one process burns one processor at most
            others.append(subprocess.Popen([sys.executable, HOSTILE, "burn", f"{min(burnt, 1.0):.3f}"]))
            burnt -= 1.0
        try:
            pids = family(gateway.pid) + [other.pid for other in others]
            before = cpu_of(pids)
            figures = self.load(gateway.port, rate, seconds)
            spent = (cpu_of(pids) - before) / seconds
        finally:
            for other in others:
                other.kill()
                other.wait()
        return figures, spent

    def run(self):
        rounds, seconds = (ROUNDS, SECONDS) if self.settings.rounds >= 3 else (self.settings.rounds, SECONDS)
        plain = self.gateway("fair-plain", [])
        saturation = median(self.load(plain.port, 0, 3)["per_second"] for _ in range(3))
        rate = saturation / 2
        alone, base = self.measure(plain, rate, seconds)
        self.rig.stop(plain)
        self.report.section(
            "Fairness: other servers' calls under attack",
            f"Calls at a fixed {rate:.0f}/s, half of saturation, for {seconds} s, {rounds} rounds in turn with the control's, medians; latency from when a call was due. The "
            "control burns the same processor time in a process that does not touch the gateway. Without either, p99 is "
            f"{alone['p99_us'] / 1000:.2f} ms.",
            ["attack", "p99, ms", "p99 of the control, ms", "ratio", "target", "failed calls", "processor time of the attack"])
        for attack in attacks(300):
            with self.report.attempt(attack.name):
                ratios, rows = [], []
                for number in range(rounds):
                    hostile = self.gateway(f"fair-{len(self.report.sections[-1]['rows'])}-{number}", attack.servers)
                    attacked, spent = self.measure(hostile, rate, seconds, attack.client)
                    self.rig.stop(hostile)
                    extra = max(spent - base, 0.0)
                    calm = self.gateway(f"calm-{len(self.report.sections[-1]['rows'])}-{number}", [])
                    control, _ = self.measure(calm, rate, seconds, burnt=extra)
                    self.rig.stop(calm)
                    ratios.append(attacked["p99_us"] / control["p99_us"])
                    rows.append((attacked["p99_us"] / 1000, control["p99_us"] / 1000, attacked["failed"], extra))
                result = median(ratios)
                self.report.row(attack.name, f"{median(r[0] for r in rows):.2f}", f"{median(r[1] for r in rows):.2f}",
                                f"{result:.2f}", verdict(result, at_most=2), sum(r[2] for r in rows),
                                f"{median(r[3] for r in rows):.2f}")
