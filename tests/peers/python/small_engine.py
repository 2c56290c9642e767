"""As much of Docker's Engine API as `docker run -i --rm IMAGE` uses, with a program in the place of every container.

    small_engine.py SOCKET PROGRAM      prints "listening", then one line per request

Needs the standard library only. Removes its socket when the process that started it is gone.
"""

import json
import os
import re
import socketserver
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler

PATH, PROGRAM = sys.argv[1:]
STDOUT_FRAME = 1


class Container:
    def __init__(self):
        self.started = threading.Event()
        self.process = None

    def start(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.started.set()

    def feed(self, source):
        """What the client sends, until it hangs up or closes its side."""
        try:
            while data := source.read1(65536):
                self.process.stdin.write(data)
                self.process.stdin.flush()
        except OSError:
            pass
        try:
            self.process.stdin.close()
        except OSError:
            pass


containers = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Api-Version", "1.47")
        self.send_header("Ostype", "linux")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = re.sub(r"^/v[0-9.]+", "", self.path).partition("?")[0]
        asked = json.loads(body) if body else {}
        print(self.command, re.sub(r"[0-9a-f]{32}", "ID", path), asked.get("Image", ""), flush=True)
        if path == "/_ping":
            return self.reply(200)
        if path == "/containers/create":
            name = uuid.uuid4().hex
            containers[name] = Container()
            return self.reply(201, {"Id": name, "Warnings": []})
        parts = path.split("/")
        container = containers.get(parts[2]) if len(parts) == 4 and parts[1] == "containers" else None
        action = getattr(self, "do_container_" + parts[-1], None)
        if container is None or action is None:
            return self.reply(404, {"message": "not a part of this engine: " + path})
        return action(container)

    do_GET = do_HEAD = do_POST = do_DELETE = serve

    def do_container_attach(self, container):
        """The connection becomes the container's streams: plain bytes in, frames with a length out."""
        self.close_connection = True
        self.send_response(101, "UPGRADED")
        self.send_header("Content-Type", "application/vnd.docker.multiplexed-stream")
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", "tcp")
        self.end_headers()
        self.wfile.flush()
        container.started.wait()
        threading.Thread(target=container.feed, args=[self.rfile], daemon=True).start()
        while data := container.process.stdout.read1(65536):
            self.wfile.write(bytes([STDOUT_FRAME, 0, 0, 0]) + len(data).to_bytes(4, "big") + data)
            self.wfile.flush()

    def do_container_start(self, container):
        container.start()
        self.reply(204)

    def do_container_wait(self, container):
        """The head comes at once, for the client starts nothing before; the body when the container has ended."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        container.started.wait()
        text = json.dumps({"StatusCode": container.process.wait()}).encode()
        self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text))

    def do_container_kill(self, container):
        container.process.kill()
        self.reply(204)


class Engine(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os.unlink(PATH)
    os._exit(0)


threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
with Engine(PATH, Handler) as engine:
    os.chmod(PATH, 0o660)
    print("listening", flush=True)
    engine.serve_forever()
