# SPDX-License-Identifier: Apache-2.0
"""Answers of a REST catalog that a real one gives seldom or never: refusals, overload, circles, hostile ones. A server
inside the test gives them, and writes down what it was asked."""

import base64
import gzip
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from services import ask, refusal

METADATA = {"format-version": 2, "table-uuid": "u", "snapshot": 9007199254740993}
FAST = {"rest.client.max-retries": "2"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        url = urlsplit(self.path)
        self.server.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        scripted = self.server.answers.get(url.path, (404, {"error": {"message": "no", "type": "NoRoute"}}))
        if callable(scripted):
            scripted = scripted(self, body)
        if scripted is None:  # it has answered itself
            return
        status, content, *headers = scripted
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers[0].items() if headers else []:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Answers(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.uri = f"http://127.0.0.1:{self.server.server_port}"
        self.server.asked = []
        self.server.answers = {"/v1/config": (200, {"defaults": {}, "overrides": {}}),
                               "/v1/namespaces/a/tables/t": (200, self.table())}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.properties = {"uri": self.uri} | FAST

    @staticmethod
    def table(**more):
        return {"metadata-location": "s3://b/t/m.json", "metadata": METADATA} | more

    def load(self, **properties):
        return ask("r", self.properties | properties, "table", "a", "t")

    def refused(self, **properties):
        return refusal("r", self.properties | properties, "table", "a", "t")

    def paths(self):
        return [path for _, path, _, _ in self.server.asked]

    def test_what_is_asked(self):
        self.server.answers["/v1/config"] = (200, {"defaults": {"x": "server", "y": "server"},
                                                   "overrides": {"prefix": "p/q", "z": "server"}})
        self.server.answers["/v1/p/q/namespaces/a%1Fb.c/tables/t%20%2F"] = (200, self.table())
        answer = ask("r", self.properties | {"y": "own", "z": "own", "warehouse": "w&x", "token": "tok",
                                             "header.x-team": "blue", "snapshot-loading-mode": "refs"},
                     "table", "a/b.c", "t /")
        self.assertEqual(self.paths(), ["/v1/config?warehouse=w%26x",
                                        "/v1/p/q/namespaces/a%1Fb.c/tables/t%20%2F?snapshots=refs"])
        headers = self.server.asked[1][2]
        self.assertEqual(headers["authorization"], "Bearer tok")
        self.assertEqual(headers["x-iceberg-access-delegation"], "vended-credentials")
        self.assertEqual(headers["x-team"], "blue")
        self.assertEqual({k: answer["properties"][k] for k in "xyz"}, {"x": "server", "y": "own", "z": "server"})
        self.assertEqual(json.loads(answer["metadata_json"]), METADATA)

    def test_vended_credentials(self):
        self.server.answers["/v1/namespaces/a/tables/t"] = (200, self.table(
            config={"s3.region": "eu", "s3.access-key-id": "table", "s3.endpoint": "http://theirs"},
            **{"storage-credentials": [{"prefix": "s3://b", "config": {"s3.access-key-id": "short"}},
                                       {"prefix": "s3://b/t/", "config": {"s3.access-key-id": "long"}},
                                       {"prefix": "s3://b/t/other", "config": {"s3.access-key-id": "other"}}]}))
        answer = self.load()
        self.assertEqual(len(answer["credentials"]), 3)
        self.assertEqual(answer["storage_properties"]["s3.access-key-id"], "long")
        self.assertEqual(answer["storage_properties"]["s3.region"], "eu")
        self.assertEqual(answer["storage_properties"]["s3.endpoint"], "http://theirs")
        answer = self.load(**{"s3.endpoint": "http://mine", "s3.access-key-id": "mine"})
        self.assertEqual(answer["storage_properties"]["s3.endpoint"], "http://mine")
        self.assertEqual(answer["storage_properties"]["s3.access-key-id"], "long")

    def test_client_credentials(self):
        tokens = iter(["first", "second"])
        self.server.answers["/v1/oauth/tokens"] = lambda *_: (200, {"access_token": next(tokens), "expires_in": 1})
        self.server.answers["/v1/namespaces/a/tables/t"] = lambda handler, _: (
            (200, self.table()) if handler.headers["Authorization"] == "Bearer second" else
            (419, {"error": {"message": "expired", "type": "AuthenticationTimeoutException", "code": 419}}))
        self.load(credential="id:se:cr&t", audience="au")
        posts = [parse_qs(body) for method, _, _, body in self.server.asked if method == "POST"]
        self.assertEqual(posts, [{"grant_type": ["client_credentials"], "client_id": ["id"], "client_secret":
                                  ["se:cr&t"], "scope": ["catalog"], "audience": ["au"]}] * 2)

    def test_other_ways_to_log_in(self):
        self.load(**{"auth.type": "basic", "auth.basic.username": "me", "auth.basic.password": "pw"})
        expected = "Basic " + base64.b64encode(b"me:pw").decode()
        self.assertEqual(self.server.asked[-1][2]["authorization"], expected)
        self.server.answers["/tok"] = (200, {"access_token": "oauth"})
        self.load(**{"auth.type": "oauth2", "auth.oauth2.client_id": "i", "auth.oauth2.client_secret": "s",
                     "auth.oauth2.token_url": self.uri + "/tok"})
        self.assertEqual(self.server.asked[-1][2]["authorization"], "Bearer oauth")
        self.assertTrue(self.refused(**{"auth.type": "entra"}).startswith("unsupported"))
        self.assertTrue(self.refused(**{"rest.sigv4-enabled": "true"}).startswith("unsupported"))

    def test_refusals_keep_the_words_of_the_server_but_no_secret(self):
        for status, kind in [(400, "usage"), (401, "access"), (403, "access"), (404, "not found"), (409, "conflict"),
                             (419, "access"), (500, "unavailable"), (501, "unsupported"), (502, "unavailable")]:
            self.server.answers["/v1/namespaces/a/tables/t"] = (
                status, {"error": {"message": "about tok-123\nand\x1b[31m", "type": "SomeException", "code": status}})
            words = self.refused(token="tok-123")
            self.assertTrue(words.startswith(f"{kind}: {self.uri}/v1/namespaces/a/tables/t: "), words)
            self.assertIn(f"status {status}: SomeException: about ***\\x0aand\\x1b[31m", words)
        self.server.answers["/v1/oauth/tokens"] = (400, {"error": "invalid_client", "error_description": "no sec-1"})
        words = self.refused(credential="me:sec-1")
        self.assertTrue(words.startswith("access"), words)
        self.assertIn("no token", words)
        self.assertIn("invalid_client: no ***", words)
        self.server.answers["/v1/namespaces/a/tables/t"] = (418, b"<html>" + b"x" * 10000)
        self.assertLess(len(self.refused()), 1000)

    def test_overload(self):
        tries = []

        def busy_twice(*_):
            tries.append(1)
            return (503, b"", {"Retry-After": "0"}) if len(tries) < 3 else (200, self.table())
        self.server.answers["/v1/namespaces/a/tables/t"] = busy_twice
        self.load()
        self.assertEqual(len(tries), 3)
        self.server.answers["/v1/namespaces/a/tables/t"] = (429, {"error": {"message": "slow", "type": "TooMany"}})
        self.server.asked.clear()
        self.assertTrue(self.refused().startswith("unavailable"))
        self.assertEqual(len(self.paths()), 1 + 3)
        # A server that asks for an hour is not asked again.
        self.server.answers["/v1/namespaces/a/tables/t"] = (503, b"", {"Retry-After": "3600"})
        self.server.asked.clear()
        self.assertTrue(self.refused().startswith("unavailable"))
        self.assertEqual(len(self.paths()), 1 + 1)

    def test_broken_connections(self):
        def cut(handler, _):
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b"{")
            handler.close_connection = True
        self.server.answers["/v1/namespaces/a/tables/t"] = cut
        self.assertTrue(self.refused().startswith("unavailable"))
        self.assertEqual(len(self.paths()), 1 + 3)

        given_up = threading.Event()

        def silent(handler, _):
            given_up.wait(100)
            handler.close_connection = True
        self.server.answers["/v1/namespaces/a/tables/t"] = silent
        words = self.refused(**{"rest.client.socket-timeout-ms": "1000", "rest.client.max-retries": "0"})
        given_up.set()
        self.assertRegex(words, "^unavailable: .*(too slow|timed out)")
        self.server.shutdown()
        self.server.server_close()
        self.assertTrue(self.refused().startswith("unavailable"))

    def test_redirects(self):
        def to(target, status=302):
            self.server.answers["/v1/namespaces/a/tables/t"] = (status, b"", {"Location": target})
        self.server.answers["/there"] = (200, self.table())
        to("/there")
        self.load(token="tok")
        self.assertEqual(self.server.asked[-1][2]["authorization"], "Bearer tok")
        for target in ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://127.0.0.1:1/x", "gopher://127.0.0.1/x",
                       "http://other.invalid/x", f"https://127.0.0.1:{self.server.server_port}/there"]:
            to(target)
            words = self.refused(token="tok")
            self.assertTrue(words.startswith("unsupported"), words)
            self.assertIn("redirects to " + target, words)
        to("/v1/namespaces/a/tables/t")
        self.assertIn("more than 3 redirects", self.refused())
        self.server.answers["/v1/oauth/tokens"] = (307, b"", {"Location": "/there"})
        self.assertTrue(self.refused(credential="a:b").startswith("unsupported"))
        for uri in ["file:///etc/passwd", "gopher://127.0.0.1:1/"]:
            words = refusal("r", {"uri": uri, "type": "rest"}, "table", "a", "t")
            self.assertIn("is neither http nor https", words)

    def test_hostile_bodies(self):
        for body in [b"", b"{", b"[]", b"null", b'{"metadata": 1}', b'{"metadata": {}, "config": []}', b"\xff\xfe",
                     b"[" * 100000, b'{"metadata": {}, "storage-credentials": [{"prefix": 1}]}',
                     b'{"metadata": {}, "metadata": {}}', b"<html>welcome</html>"]:
            self.server.answers["/v1/namespaces/a/tables/t"] = (200, body)
            words = self.refused()
            self.assertIn(words.split(":")[0], ("corrupt", "budget"), (body[:60], words))
            self.assertIn("/v1/namespaces/a/tables/t", words)
        self.server.answers["/v1/config"] = (200, b"x")
        self.assertTrue(self.refused().startswith("corrupt"))
        self.server.answers["/v1/config"] = (204, b"")
        self.assertTrue(self.refused().startswith("corrupt"))

    def test_endless_bodies(self):
        bomb = gzip.compress(b" " * (300 << 20), compresslevel=6)
        self.assertLess(len(bomb), 1 << 20)
        self.server.answers["/v1/namespaces/a/tables/t"] = (200, bomb, {"Content-Encoding": "gzip"})
        words = self.refused()
        self.assertTrue(words.startswith("budget"), words)

    def test_pages(self):
        def page(handler, _):
            token = parse_qs(urlsplit(handler.path).query).get("pageToken", ["0"])[0]
            following = {"0": "1 &", "1 &": "2", "2": None}[token]
            names = [{"namespace": ["a"], "name": f"t{token[0]}"}]
            return 200, {"identifiers": names, "next-page-token": following}
        self.server.answers["/v1/namespaces/a/tables"] = page
        self.assertEqual(ask("r", self.properties, "tables", "a"), ["t0", "t1", "t2"])
        self.server.answers["/v1/namespaces/a/tables"] = (200, {"identifiers": [], "next-page-token": "again"})
        self.assertIn("in a circle", refusal("r", self.properties, "tables", "a"))
        self.server.answers["/v1/namespaces"] = (200, {"namespaces": [["b"], ["a"]]})
        self.assertEqual(ask("r", self.properties, "namespaces"), [["a"], ["b"]])
        self.server.answers["/v1/namespaces"] = (200, {"namespaces": [["x", "y", "z"]]})
        self.assertEqual(ask("r", self.properties, "namespaces", "x/y"), [["x", "y", "z"]])
        self.assertEqual(self.paths()[-1], "/v1/namespaces?parent=x%1Fy")

    def test_headers_can_not_be_smuggled(self):
        self.assertTrue(self.refused(**{"header.x-a": "b\r\nX-Evil: 1"}).startswith("usage"))
        self.assertEqual(self.server.asked, [])


if __name__ == "__main__":
    unittest.main()
