"""What clients do during a soak. Each kind runs in threads of its own until told to stop.

A call to a steady server must be answered, and with exactly its own word. A call to a crashing server may be refused,
but what is answered must still be its own.
"""

import http.client
import itertools
import json
import random
import socket
import threading
import time

import speech
from rig import Failure
from town import CRASHING, STEADY

COUNTER = itertools.count()


class Tally:
    """Counts shared by all threads; `wrong` keeps the first mistakes in words."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.wrong = []

    def add(self, what, number=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + number

    def mistake(self, text):
        self.add("wrong")
        with self.lock:
            if len(self.wrong) < 20:
                self.wrong.append(f"{time.strftime('%H:%M:%S')} {text}")


def unique_word():
    return f"w{next(COUNTER)}-{random.getrandbits(64):x}"


def greeting(era, server, word, token=None):
    return speech.request(era, "tools/call", {"name": server + "_greet", "arguments": {"name": word}}, token)


def last_message(data):
    """The JSON-RPC response in a JSON body or at the end of an event stream."""
    text = data.decode()
    if text.startswith("{"):
        return json.loads(text)
    found = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    return found[-1] if found else {}


def said(message):
    try:
        return message["result"]["content"][0]["text"]
    except (KeyError, IndexError):
        return None


class Crowd:
    def __init__(self, town, tally):
        self.town, self.tally = town, tally
        self.over = threading.Event()
        self.threads = []

    def start(self):
        for kind, number in ((self.steady_modern, 2), (self.steady_legacy, 2), (self.reconnecting, 2), (self.at_crashing, 2),
                             (self.with_progress, 1), (self.slow_reader, 2), (self.slow_writer, 2), (self.abandoning, 1),
                             (self.listing, 1), (self.over_sse, 1)):
            for _ in range(number):
                thread = threading.Thread(target=self._loop, args=(kind,), name=kind.__name__)
                thread.start()
                self.threads.append(thread)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _loop(self, kind):
        while not self.over.is_set():
            try:
                kind()
            except Exception as error:  # every surprise is a finding, never the end of a thread
                self.tally.mistake(f"{kind.__name__}: {type(error).__name__}: {error}")
                self.over.wait(1)

    def _client(self):
        return speech.Client(self.town.gateway.port)

    def _greet(self, client, era, server, session=None):
        word = unique_word()
        _, data = client.post(*greeting(era, server, word), session)
        answer = said(last_message(data))
        self.tally.add("calls")
        if answer != f"Hello, {word}!":
            self.tally.mistake(f"{server} ({era}): asked for {word}, got {data[:200]!r}")

    # One keep-alive connection for a few hundred calls.

    def steady_modern(self):
        self._steady("modern")

    def steady_legacy(self):
        self._steady("legacy")

    def _steady(self, era):
        client = self._client()
        session = client.open_session() if era == "legacy" else None
        for _ in range(300):
            if self.over.is_set():
                break
            self._greet(client, era, random.choice(STEADY), session)
            time.sleep(random.uniform(0.0, 0.03))
        client.close()

    # A connection and a session for three calls.

    def reconnecting(self):
        client = self._client()
        session = client.open_session()
        for _ in range(3):
            self._greet(client, "legacy", random.choice(STEADY), session)
        client.close()
        if random.random() < 0.5:
            connection = http.client.HTTPConnection("127.0.0.1", self.town.gateway.port, timeout=60)
            connection.request("DELETE", "/mcp", headers={"Mcp-Session-Id": session, "MCP-Protocol-Version": speech.LEGACY})
            status = connection.getresponse().status
            connection.close()
            if status not in (200, 202, 204):
                self.tally.mistake(f"DELETE of a session: HTTP {status}")
        self.tally.add("sessions")
        self.over.wait(random.uniform(0.0, 0.2))

    def at_crashing(self):
        client = self._client()
        for _ in range(20):
            server, word = random.choice(CRASHING), unique_word()
            fields, body = greeting("modern", server, word)
            try:
                _, data = client.post(fields, body)
            except Failure:  # refused with a status: the connection is still good
                self.tally.add("refused")
                continue
            answer = said(last_message(data))
            if answer == f"Hello, {word}!":
                self.tally.add("crashing_calls")
            elif answer is not None and answer.startswith("Hello, "):
                self.tally.mistake(f"{server}: asked for {word}, got {data[:200]!r}")
            else:
                self.tally.add("refused")
            self.over.wait(0.02)
        client.close()

    def with_progress(self):
        client = self._client()
        name = random.choice(STEADY) + "_test_tool_with_progress"
        _, data = client.post(*speech.request("modern", "tools/call", {"name": name, "arguments": {}}, token=unique_word()))
        if said(last_message(data)) != "Tool with progress executed successfully":
            self.tally.mistake(f"{name}: {data[-200:]!r}")
        client.close()
        self.tally.add("progress_calls")
        self.over.wait(0.1)

    # Clients that would hold something if the gateway let them.

    def slow_reader(self):
        """Takes the answer to a call with progress a few bytes at a time, and leaves in the middle."""
        client = self._client()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        name = random.choice(STEADY) + "_test_tool_with_progress"
        self._send(client, *speech.request("modern", "tools/call", {"name": name, "arguments": {}}, token=unique_word()))
        for _ in range(random.randrange(20)):
            if self.over.wait(0.2) or not client.socket.recv(7):
                break
        client.close()
        self.tally.add("slow_readers")

    def slow_writer(self):
        """Sends a call in pieces; finishes half of them."""
        client, word = self._client(), unique_word()
        fields, body = greeting("modern", random.choice(STEADY), word)
        pieces = [body[i:i + 40] for i in range(0, len(body), 40)]
        finishes = random.random() < 0.5
        self._send(client, fields, "", length=len(body))
        for piece in pieces if finishes else pieces[:len(pieces) // 2]:
            if self.over.wait(0.2):
                return client.close()
            client.socket.sendall(piece.encode())
        if finishes:
            answer = http.client.HTTPResponse(client.socket, method="POST")
            answer.begin()
            data = answer.read()
            if said(last_message(data)) != f"Hello, {word}!":
                self.tally.mistake(f"slow writer asked for {word}, got {data[:200]!r}")
        client.close()
        self.tally.add("slow_writers")

    def abandoning(self):
        client = self._client()
        self._send(client, *greeting("modern", random.choice(STEADY), unique_word()))
        client.close()
        self.tally.add("abandoned")
        self.over.wait(0.05)

    def listing(self):
        client = self._client()
        _, data = client.post(*speech.listing("modern"))
        names = {tool["name"] for tool in last_message(data)["result"]["tools"]}
        for server in STEADY:
            if server + "_greet" not in names:
                self.tally.mistake(f"{server}_greet is not listed")
        client.close()
        self.tally.add("lists")
        self.over.wait(0.5)

    def over_sse(self):
        """One client of the oldest transport: stream, handshake, one call."""
        with socket.create_connection(("127.0.0.1", self.town.gateway.port), timeout=60) as stream:
            stream.sendall(f"GET /sse HTTP/1.1\r\nHost: 127.0.0.1:{self.town.gateway.port}\r\nAccept: text/event-stream\r\n\r\n"
                           .encode())
            answer = http.client.HTTPResponse(stream)
            answer.begin()
            place = self._event(answer)
            self._message(place, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {},
                                                "clientInfo": {"name": "soak", "version": "1"}})
            self._event(answer)
            self._message(place, "notifications/initialized", None)
            word = unique_word()
            self._message(place, "tools/call", {"name": random.choice(STEADY) + "_greet", "arguments": {"name": word}})
            message = json.loads(self._event(answer))
            while "id" not in message:  # a list changed meanwhile
                message = json.loads(self._event(answer))
            got = said(message)
            if got != f"Hello, {word}!":
                self.tally.mistake(f"over SSE: asked for {word}, got {got!r}")
        self.tally.add("sse_clients")
        self.over.wait(0.3)

    def _event(self, answer):
        data = []
        while True:
            line = answer.readline()
            if not line:
                raise Failure("the event stream ended")
            line = line.decode().rstrip("\r\n")
            if line.startswith("data:"):
                data.append(line[5:].strip())
            elif not line and data:
                return "\n".join(data)

    def _message(self, place, method, params):
        body = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            body.update(id=1, params=params)
        connection = http.client.HTTPConnection("127.0.0.1", self.town.gateway.port, timeout=60)
        connection.request("POST", place, json.dumps(body), {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        if status != 202:
            raise Failure(f"{method} over SSE: HTTP {status}")

    def _send(self, client, headers, body, length=None):
        fields = {"Host": client.host, **headers, "Content-Length": len(body) if length is None else length}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        client.socket.sendall(f"POST {client.path} HTTP/1.1\r\n{head}\r\n{body}".encode())
