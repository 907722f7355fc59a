"""Returns a greeting with the time from time-service."""
import json
import socket
import time

import telemetry

HOST, PORT = "time-service", 5001
TIMEOUT_SECONDS = 2


def fetch_time(context):
    """Sends one request on a new connection; the timeout applies to each socket operation."""
    request = "GET /time HTTP/1.0\r\nHost: %s:%d\r\ntraceparent: 00-%s-%s-01\r\n\r\n" % ((HOST, PORT) + context)
    with socket.create_connection((HOST, PORT), timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(request.encode())
        reply = b""
        while True:
            chunk = connection.recv(65536)
            if not chunk:
                break
            reply += chunk
    head, _, body = reply.partition(b"\r\n\r\n")
    status = int(head.split(None, 2)[1]) if head.startswith(b"HTTP/") else 0
    if status != 200:
        raise OSError("HTTP Error %d" % status if status else "Remote end closed connection without response")
    return json.loads(body)["time"]


class Handler(telemetry.Handler):
    def respond(self, method, path):
        if method == "GET" and path == "/healthz":
            return 200, "text/plain", b"OK"
        if method != "GET" or path != "/hello":
            return 404, "text/plain", b""
        start, context, failure = time.time(), (self.context[0], telemetry.hex_id(16)), None
        try:
            answer = {"msg": "Hello", "time": fetch_time(context)}
        except Exception as error:
            failure = str(error)
            print("[ERROR] Failed to call time-service: %s" % failure, flush=True)
            answer = {"error": failure}
        metrics = self.server.telemetry
        metrics.count("calls_total", "call_duration_seconds", (("peer", HOST), ("operation", "GET /time")),
                      ("outcome", "error" if failure else "ok"), time.time() - start)
        metrics.span(context, self.context[1], "GET /time", "client", start, failure, HOST)
        return 500 if failure else 200, "application/json", json.dumps(answer).encode()


telemetry.serve("hello-service", 5000, Handler)
