"""Programs of a benchmark: started on free ports, measured through /proc, ended by their own ids."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time


class Failure(Exception):
    """Something does not work as a benchmark needs it."""


HERTZ = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, seconds=60.0):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.02)


def status_kb(pid, field):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise KeyError(field)


class Program:
    """A process under a name; `pid` is the one whose CPU time and memory count."""

    def __init__(self, name, process, port=0):
        self.name, self.process, self.port = name, process, port
        self.pid = process.pid

    def cpu_seconds(self):
        """To the nanosecond where the kernel keeps such a count, else in ticks of its clock."""
        spent = 0
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{thread}/schedstat") as stat:
                    spent += int(stat.read().split()[0])
            except FileNotFoundError:  # no such count, or the thread is gone
                continue
        if spent > 0:
            return spent / 1e9
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / HERTZ

    def rss_kb(self):
        return status_kb(self.pid, "VmRSS")

    def peak_kb(self):
        return status_kb(self.pid, "VmHWM")

    def forget_peak(self):
        with open(f"/proc/{self.pid}/clear_refs", "w") as refs:
            refs.write("5")

    def url(self, path="/mcp"):
        return f"http://127.0.0.1:{self.port}{path}"

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Rig:
    """Everything that runs during one benchmark. Leaves nothing behind."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.gantry_bin = os.path.abspath(os.environ.get("GANTRY") or os.path.join(self.build, "gantry"))
        self.upstream_bin = self.built("mcp_upstream")
        self.nginx_bin = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        self.work = tempfile.mkdtemp(prefix="gantry-bench-")
        os.chmod(self.work, 0o755)
        self.programs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop_all()
        shutil.rmtree(self.work, ignore_errors=True)

    def built(self, name):
        """A program of the benchmarks; None: it was not built."""
        for folder, _, files in os.walk(os.path.join(self.build, "bench")):
            if name in files and os.access(os.path.join(folder, name), os.X_OK):
                return os.path.join(folder, name)
        return None

    def missing(self):
        """What stands in the way of a run; empty: nothing."""
        needs = {"nginx": self.nginx_bin, "wrk": shutil.which("wrk"), "mcp_upstream": self.upstream_bin,
                 "gantry": self.gantry_bin if os.access(self.gantry_bin, os.X_OK) else None}
        return [name for name, found in needs.items() if not found]

    def path(self, name):
        return os.path.join(self.work, name)

    def stop_all(self):
        while self.programs:
            self.programs.pop().stop()

    def stop(self, program):
        program.stop()
        self.programs.remove(program)

    def _start(self, name, command, **more):
        log = open(self.path(name + ".log"), "wb")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, **more)
        self.programs.append(Program(name, process))
        return self.programs[-1]

    def upstream(self, era, tools=10, events=False):
        """The server behind it all; with `events` it answers with event streams, as many real ones do."""
        program = self._start(f"upstream-{era}-{tools}" + ("-events" if events else ""),
                              [self.upstream_bin, "--era", era, "--tools", str(tools), *(["--events"] if events else [])])
        program.port = int(program.process.stdout.readline())
        return program

    def http_server(self, upstream, era, name="up", **more):
        return {"name": name, "url": upstream.url(), "era": era, "prefix": "none", **more}

    def stdio_server(self, era, tools=10, name="up", **more):
        return {"name": name, "command": self.upstream_bin, "era": era, "prefix": "none",
                "args": ["--stdio", "--era", era, "--tools", str(tools)], **more}

    def gantry(self, name, servers, validate=True, wrapper=(), **keys):
        """A gateway, once it is ready. It keeps no record of calls unless `audit` says otherwise, as nginx keeps no log."""
        folder = self.path("gantry-" + name)
        os.makedirs(folder, mode=0o700)
        config = {"servers": servers, "limits": {"validate_arguments": validate, "list_page_size": 20000},
                  "audit": {"mode": "off"}, **keys}
        file = os.path.join(folder, "gantry.json")
        with open(file, "w") as out:
            json.dump(config, out, indent=1)
        port = free_port()
        command = [*wrapper, self.gantry_bin, "serve", "--config", file, "--listen", f"127.0.0.1:{port}",
                   "--state-dir", os.path.join(folder, "state")]
        log = self.path(f"gantry-{name}.log")
        with open(log, "wb") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        program = Program("gantry-" + name, process, port)
        self.programs.append(program)

        def settled():
            with open(log) as lines:
                text = lines.read()
            if process.poll() is not None:
                raise Failure(f"{program.name} ended: {text}")
            return " tools of " in text

        wait_for(f"{program.name} to serve", settled)
        return program

    def nginx(self, upstreams, static):
        """Plain reverse proxy: /NAME/… goes to upstreams[NAME]; /static/ serves the folder `static`."""
        port = free_port()
        pools = "".join(f"upstream {name} {{ server 127.0.0.1:{up.port}; keepalive 256; "
                        f"keepalive_requests 100000000; }}\n" for name, up in upstreams.items())
        places = "".join(f'location /{name}/ {{ proxy_pass http://{name}/; proxy_http_version 1.1; '
                         f'proxy_set_header Connection ""; }}\n' for name in upstreams)
        temporary = "".join(f"{kind}_temp_path {self.work}/nginx-{kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file = self.path("nginx.conf")
        with open(file, "w") as out:
            out.write(f"""
worker_processes 1;
daemon off;
pid {self.work}/nginx.pid;
error_log {self.work}/nginx.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    keepalive_timeout 75s;
    {temporary}
    default_type application/json;
    tcp_nodelay on;
    sendfile on;
    open_file_cache max=100 inactive=600s;
    open_file_cache_valid 600s;
    # Room for a whole answer, so that none goes through a temporary file.
    proxy_buffer_size 32k; proxy_buffers 8 32k; proxy_max_temp_file_size 0;
    {pools}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location /static/ {{ alias {static}/; }}
        {places}
    }}
}}
""")
        program = self._start("nginx", [self.nginx_bin, "-p", self.work, "-c", file])
        program.port = port
        children = f"/proc/{program.process.pid}/task/{program.process.pid}/children"

        def worker():
            if program.process.poll() is not None:
                raise Failure("nginx ended: " + open(self.path("nginx.log")).read())
            with open(children) as ids:
                return ids.read().split()[:1]

        program.pid = int(wait_for("nginx's worker", worker)[0])
        return program
