"""wrk as load: what it sends, and what comes of it."""

import re
import subprocess
from dataclasses import dataclass

from rig import Failure

UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7}

IDS = 1024  # more than ever are in flight
LUA_ROUND = """
local all, at = {}, 0
init = function()
  local named = wrk.headers["Mcp-Name"]
  for i = 1, count do
    local text = body:gsub('"id":1,', '"id":' .. i .. ',', 1)
    if #names > 0 then
      local name = names[i % #names + 1]
      text = text:gsub('"name":"small"', '"name":"' .. name .. '"', 1)
      if named then wrk.headers["Mcp-Name"] = name end
    end
    if #sessions > 0 then wrk.headers["Mcp-Session-Id"] = sessions[i % #sessions + 1] end
    all[i] = wrk.format(nil, nil, nil, text)
  end
end
request = function() at = at % #all + 1; return all[at] end
"""


@dataclass
class Target:
    """Somewhere to send a load: a program, where in it, and what."""
    program: object
    path: str
    headers: dict
    body: str = ""
    method: str = "POST"
    session: str = ""
    names: tuple = ()     # tools to call in turn
    sessions: tuple = ()  # to come from in turn


@dataclass
class Measured:
    requests_per_second: float
    cpu_us: float       # of the program, per request
    p50_us: float
    p99_us: float
    mb_per_second: float


def quoted(text):
    # No long bracket of this level occurs in JSON or in header fields.
    return "[==[" + text + "]==]"


def lua(target, names=(), sessions=()):
    """The load as a script. Requests carry ids in turn, since a session answers each id once at a time; with `names`
    each calls another tool, with `sessions` each comes from another one."""
    lines = [f"wrk.method = {quoted(target.method)}"]
    headers = dict(target.headers)
    if target.session:
        headers["Mcp-Session-Id"] = target.session
    lines += [f"wrk.headers[ {quoted(key)} ] = {quoted(value)}" for key, value in headers.items()]
    if not target.body:
        return "\n".join(lines) + "\n"
    count = max(len(names), len(sessions), IDS)
    lines += [f"local body, count = {quoted(target.body)}, {count}",
              "local names = {" + ",".join(quoted(name) for name in names) + "}",
              "local sessions = {" + ",".join(quoted(one) for one in sessions) + "}"]
    return "\n".join(lines) + LUA_ROUND


def micros(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * UNITS[unit]


def run(rig, target, seconds, connections):
    script = rig.path("load.lua")
    with open(script, "w") as out:
        out.write(lua(target, target.names, target.sessions))
    before = target.program.cpu_seconds()
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "20s", "-s", script,
               target.program.url(target.path)]
    done = subprocess.run(command, capture_output=True, text=True)
    spent = target.program.cpu_seconds() - before
    report = done.stdout
    where = f"{target.program.name}{target.path}"
    if done.returncode != 0:
        raise Failure(f"wrk failed at {where}: {done.stderr or report}")
    for bad in ("Non-2xx", "Socket errors"):
        found = re.search(rf"^.*{bad}.*$", report, re.M)
        if found:
            raise Failure(f"under load at {where}: {found.group(0).strip()}")
    requests, elapsed = re.search(r"(\d+) requests in ([\d.]+\w+)", report).groups()
    if int(requests) == 0:
        raise Failure(f"no answer at {where}")
    rate = re.search(r"Transfer/sec:\s+([\d.]+)([KMG]?B)", report)
    scale = {"B": 1e-6, "KB": 1 / 1024, "MB": 1.0, "GB": 1024.0}[rate.group(2)]
    return Measured(requests_per_second=int(requests) / (micros(elapsed) / 1e6),
                    cpu_us=spent * 1e6 / int(requests),
                    p50_us=micros(re.search(r"^\s+50%\s+(\S+)", report, re.M).group(1)),
                    p99_us=micros(re.search(r"^\s+99%\s+(\S+)", report, re.M).group(1)),
                    mb_per_second=float(rate.group(1)) * scale)


def rounds(rig, targets, count, seconds, connections):
    """`targets`: name → Target. All of them within every round, each time in another order, because machines drift.
    Returns name → list of Measured."""
    results = {name: [] for name in targets}
    names = list(targets)
    for target in targets.values():
        run(rig, target, 1, connections)  # connections, caches, the branch predictor
    for number in range(count):
        turned = names[number % len(names):] + names[:number % len(names)]
        for name in turned if number % 2 == 0 else reversed(turned):
            results[name].append(run(rig, targets[name], seconds, connections))
    return results
