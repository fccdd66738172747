# SPDX-License-Identifier: Apache-2.0
"""A proxy between the product and a real store, on which chosen requests go wrong as networks and stores go wrong."""

import atexit
import http.client
import http.server
import socket
import struct
import threading
import time


class FaultProxy:
    """`plan(number, path, range)` names the fault of a request, counted from 0, or is None: let it through.

    500, 503, 429   that status, with S3's text
    reset           the connection is reset instead of an answer
    truncated       half of the body, then the end of the connection
    short           one byte less, and a Content-Length that says so
    shifted         the bytes of another place, with a Content-Range that says so
    swapped         the bytes of another place, as if all were well but for the ETag
    whole           status 200 and the whole file
    silent          nothing at all, for `silence_s`
    slow            the answer, after `slow_s`
    """

    def __init__(self, upstream_port, plan=None, slow_s=2.0, silence_s=30.0):
        self.upstream_port = upstream_port
        self.plan = plan or (lambda number, path, range_: None)
        self.slow_s, self.silence_s = slow_s, silence_s
        self.requests = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                proxy.serve(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # the product may break a connection off

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        atexit.register(self.server.shutdown)

    def forward(self, handler, range_=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream_port, timeout=30)
        headers = {k: v for k, v in handler.headers.items() if k.lower() not in ("connection", "range")}
        asked = range_ or handler.headers.get("Range")
        if asked and asked != "none":
            headers["Range"] = asked
        connection.request("GET", handler.path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, response.getheaders(), body

    def serve(self, handler):
        range_ = handler.headers.get("Range")
        with self.lock:
            number = len(self.requests)
            self.requests.append((handler.path, range_))
        fault = self.plan(number, handler.path, range_)
        if fault == "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            handler.close_connection = True
            return
        if fault == "silent":
            time.sleep(self.silence_s)
            handler.close_connection = True
            return
        if fault == "slow":
            time.sleep(self.slow_s)
        if isinstance(fault, int):
            body = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Please reduce your rate.</Message></Error>"
            self.answer(handler, fault, [], body, len(body))
            return
        status, headers, body = self.forward(handler, "none" if fault == "whole" else self.elsewhere(range_, fault))
        if fault == "truncated":
            self.answer(handler, status, headers, body[:len(body) // 2], len(body))
            handler.close_connection = True
        elif fault == "short":
            self.answer(handler, status, headers, body[:-1], len(body) - 1)
        elif fault == "swapped":
            first = range_.removeprefix("bytes=")
            headers = [(k, f"bytes {first}/{v.split('/')[1]}" if k.lower() == "content-range" else
                        '"another"' if k.lower() == "etag" else v) for k, v in headers]
            self.answer(handler, status, headers, body, len(body))
        else:
            self.answer(handler, status, headers, body, len(body))

    @staticmethod
    def elsewhere(range_, fault):
        """A range of the same length in another place."""
        if fault not in ("shifted", "swapped") or not range_ or range_.startswith("bytes=-"):
            return range_
        first, last = map(int, range_.removeprefix("bytes=").split("-"))
        return f"bytes={first + 64}-{last + 64}"

    @staticmethod
    def answer(handler, status, headers, body, length):
        handler.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(length))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()

    def variables(self, variables):
        return variables | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}
