"""The servers behind the gateway during a soak: some steady, some killed again and again, one that comes and goes with reloads."""

import json
import os
import random
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gateway"))

from rig import Failure, Program, free_port, wait_for  # noqa: E402

STEADY = ("http_both", "http_legacy", "pipe_modern", "pipe_legacy")
CRASHING = ("crash_modern", "crash_legacy", "crash_http")
EXTRA = "extra"


class Town:
    """Owns every process of a run: the gateway, the HTTP servers, and through the gateway the stdio servers."""

    def __init__(self, gantry, server, work):
        self.gantry_bin, self.server_bin, self.work = gantry, server, work
        self.ports = {name: free_port() for name in ("http_both", "http_legacy", "crash_http")}
        self.http = {}
        self.with_extra = False
        self.kills = 0
        self.gateway = None

    def start(self):
        for name in self.ports:
            self._start_http(name)
        os.makedirs(self.work + "/state", mode=0o700)
        self.write_config()
        port = free_port()
        log = open(self.work + "/gantry.log", "wb")
        process = subprocess.Popen([self.gantry_bin, "serve", "--config", self.config_file, "--listen", f"127.0.0.1:{port}",
                                    "--state-dir", self.work + "/state"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.gateway = Program("gantry", process, port)

    def stop(self):
        if self.gateway:
            self.gateway.stop()
        for process in self.http.values():
            process.kill()
            process.wait()

    # The configuration: the extra server joins and leaves with every other reload.

    @property
    def config_file(self):
        return self.work + "/gantry.json"

    def write_config(self):
        def pipe(era, repeat=1):
            return {"command": self.server_bin, "args": ["--stdio", *["--era", era] * repeat]}

        servers = [{"name": "http_both", "url": self._url("http_both")},
                   {"name": "http_legacy", "url": self._url("http_legacy")},
                   {"name": "pipe_modern", **pipe("modern")}, {"name": "pipe_legacy", **pipe("legacy")},
                   # The era given twice marks their processes for kill_one().
                   {"name": "crash_modern", **pipe("modern", 2)}, {"name": "crash_legacy", **pipe("legacy", 2)},
                   {"name": "crash_http", "url": self._url("crash_http")}]
        if self.with_extra:
            servers.append({"name": EXTRA, **pipe("modern")})
        text = json.dumps({"servers": servers}, indent=1)
        fresh = self.config_file + ".new"
        with open(fresh, "w") as out:
            out.write(text)
        os.replace(fresh, self.config_file)

    def toggle_extra(self):
        self.with_extra = not self.with_extra
        self.write_config()

    # Crashes.

    def kill_one(self):
        """Kills one of the crashing servers with SIGKILL; false when none of the chosen kind is running."""
        if random.random() < 0.2:
            self.http["crash_http"].kill()
            self.http["crash_http"].wait()
            self._start_http("crash_http")
        else:
            victims = [pid for pid in self.descendants() if self._cmdline(pid).count("--era") == 2]
            if not victims:
                return False
            try:
                os.kill(random.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                return False
        self.kills += 1
        return True

    def descendants(self):
        """Every process below the gateway."""
        children = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    children.setdefault(int(stat.read().rpartition(")")[2].split()[1]), []).append(int(entry))
            except (FileNotFoundError, ProcessLookupError):
                continue
        found, queue = [], [self.gateway.pid]
        while queue:
            below = children.get(queue.pop(), [])
            found += below
            queue += below
        return found

    def _cmdline(self, pid):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                return file.read().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            return []

    def _url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}/mcp"

    def _start_http(self, name):
        era = "legacy" if name.endswith("legacy") else "both"
        process = subprocess.Popen([self.server_bin, "--port", str(self.ports[name]), "--era", era],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.http[name] = process

        def listening():
            if process.poll() is not None:
                raise Failure(f"{name} ended with {process.returncode}")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.ports[name])) == 0

        wait_for(f"{name} to listen", listening)
