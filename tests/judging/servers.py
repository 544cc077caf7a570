"""A server on this machine that answers judges, and writes down who asked what when; and clients of it."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen


class Server:
    """Answers every text with a letter that depends on nothing else, after ``latency`` seconds."""

    def __init__(self, latency: float = 0.0, letters: str = "AB") -> None:
        self.asked: list[tuple[float, str]] = []  # when, and what
        self.most_at_once = 0
        self.port = 0
        self._latency = latency
        self._letters = letters
        self._under_way = 0
        self._lock = threading.Lock()

    def answer(self, text: str) -> str:
        """Answer a call."""
        with self._lock:
            self.asked.append((time.monotonic(), text))
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        time.sleep(self._latency)
        with self._lock:
            self._under_way -= 1
        return self._letters[hashlib.sha256(text.encode()).digest()[0] % len(self._letters)]

    def most_within(self, seconds: float) -> int:
        """Return how many calls came within any so many seconds, at most."""
        times = sorted(when for when, _ in self.asked)
        return max(sum(1 for other in times if start <= other < start + seconds) for start in times)

    def ask(self, text: str) -> str:
        """Ask it, as a client does."""
        url = f"http://127.0.0.1:{self.port}/"
        with urlopen(Request(url, data=text.encode())) as response:
            return str(response.read().decode())

    async def ask_async(self, text: str) -> str:
        """Ask it with await."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = text.encode()
        writer.write(b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        try:
            return (await reader.read()).decode().rpartition("\n")[2]
        finally:
            writer.close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 200

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that were killed."""


@contextmanager
def serve(server: Server) -> Iterator[Server]:
    """Have it listen on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            said = server.answer(text).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Be silent."""

    with _Listener(("127.0.0.1", 0), Handler) as listener:
        server.port = listener.server_port
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
