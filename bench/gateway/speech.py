"""MCP as the clients of the benchmark speak it: bodies and header fields of both eras, and a small blocking client."""

import http.client
import json
import socket

from rig import Failure

MODERN, LEGACY = "2026-07-28", "2025-11-25"
ARGUMENTS = {"city": "Berlin", "units": "metric", "days": 3, "note": "n" * 130}


def request(era, method, params=None, token=None):
    """Header fields (without session) and body of one request; its id is 1."""
    params = dict(params or {})
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": MODERN if era == "modern" else LEGACY}
    meta = {} if token is None else {"progressToken": token}
    if era == "modern":
        meta.update({"io.modelcontextprotocol/protocolVersion": MODERN,
                     "io.modelcontextprotocol/clientCapabilities": {},
                     "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0.0"}})
        headers["Mcp-Method"] = method
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
    if meta:
        params["_meta"] = meta
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return headers, json.dumps(body, separators=(",", ":"))


def call(era, tool, token=None):
    return request(era, "tools/call", {"name": tool, "arguments": ARGUMENTS}, token)


def listing(era):
    return request(era, "tools/list")


class Client:
    """One keep-alive connection. A request leaves in one write, as from wrk and from most clients."""

    def __init__(self, port, path="/mcp"):
        self.host, self.path = f"127.0.0.1:{port}", path
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, headers, body, session=None, expect=200):
        fields = {"Host": self.host, **headers, "Content-Length": len(body)}
        if session:
            fields["Mcp-Session-Id"] = session
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"POST {self.path} HTTP/1.1\r\n{head}\r\n{body}".encode())
        answer = http.client.HTTPResponse(self.socket, method="POST")
        answer.begin()
        data = answer.read()
        if answer.status != expect:
            raise Failure(f"{self.path}: HTTP {answer.status}: {data[:300]!r}")
        return answer.headers, data

    def open_session(self, used=False):
        """A legacy session: handshake, and when `used` a list and a call as a client makes them."""
        headers, body = request("legacy", "initialize", {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1.0.0"}})
        del headers["MCP-Protocol-Version"]
        answer, _ = self.post(headers, body)
        session = answer["Mcp-Session-Id"]
        headers, _ = request("legacy", "notifications/initialized")
        self.post(headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}', session, expect=202)
        if used:
            self.post(*listing("legacy"), session)
            self.post(*call("legacy", "small"), session)
        return session

    def close(self):
        self.socket.close()
