"""Telemetry of both services: metrics in Prometheus format, spans over a Unix socket."""
import json
import os
import random
import signal
import socket
import socketserver
import time

SOCKET = os.environ.get("REMEDIUM_TELEMETRY", "/run/remedium/telemetry.sock")
POD = os.environ.get("HOSTNAME", "")
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
BATCH_SPANS = 200
PAUSE_SECONDS = 0.25
# The pod's volume for logs.
REQUEST_FILE = "/var/log/mysql/requests.log"
REQUEST_FILE_BYTES = 1 << 20
REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 500: "Internal Server Error"}


def hex_id(digits):
    return "%0*x" % (digits, random.getrandbits(4 * digits))


class Telemetry:
    def __init__(self, service):
        self.service = service
        self.counts = {}
        self.durations = {}
        self.spans = []
        self.connection = None
        self.flushed = self.refused = time.monotonic() - 1

    def count(self, counter, histogram, labels, outcome, seconds):
        """Increments the counter, labelled with the outcome, and adds the seconds to the histogram."""
        key = (counter, labels + (outcome,))
        self.counts[key] = self.counts.get(key, 0) + 1
        buckets = self.durations.setdefault((histogram, labels), [0] * (len(BOUNDS) + 1) + [0.0])
        for index, bound in enumerate(BOUNDS):
            if seconds <= bound:
                buckets[index] += 1
        buckets[-2] += 1
        buckets[-1] += seconds

    def text(self):
        lines = []
        for (name, labels), value in self.counts.items():
            lines.append("%s%s %d" % (name, as_labels(labels), value))
        for (name, labels), buckets in self.durations.items():
            for index, bound in enumerate(BOUNDS + ("+Inf",)):
                lines.append("%s_bucket%s %d" % (name, as_labels(labels + (("le", bound),)), buckets[index]))
            lines.append("%s_sum%s %.6f" % (name, as_labels(labels), buckets[-1]))
            lines.append("%s_count%s %d" % (name, as_labels(labels), buckets[-2]))
        lines.append("process_cpu_seconds_total %.3f" % time.process_time())
        with open("/proc/self/statm") as statm:
            pages = int(statm.read().split()[1])
        lines.append("process_resident_memory_bytes %d" % (pages * os.sysconf("SC_PAGE_SIZE")))
        return "\n".join(lines) + "\n"

    def span(self, context, parent, name, kind, start, failure=None, peer=None, **attributes):
        span = {"traceId": context[0], "spanId": context[1], "name": name, "service": self.service, "pod": POD,
                "kind": kind, "start": start * 1000, "durationMs": (time.time() - start) * 1000,
                "status": "error" if failure else "ok", "attributes": attributes}
        if parent:
            span["parentId"] = parent
        if failure:
            span["message"] = failure
        if peer:
            span["peer"] = peer
        if len(self.spans) < 10 * BATCH_SPANS:
            self.spans.append(span)

    def flush(self):
        """Does not block for long and does not raise; spans that cannot be sent are dropped."""
        now = time.monotonic()
        if not self.spans or (len(self.spans) < BATCH_SPANS and now - self.flushed < PAUSE_SECONDS):
            return
        spans, self.spans, self.flushed = self.spans, [], now
        try:
            if self.connection is None:
                if now - self.refused < 1:
                    return
                self.connection = socket.socket(socket.AF_UNIX)
                self.connection.settimeout(0.05)
                self.connection.connect(SOCKET)
            self.connection.sendall(json.dumps({"spans": spans}).encode() + b"\n")
        except OSError:
            self.refused = now
            if self.connection is not None:
                self.connection.close()
                self.connection = None


class RequestFile:
    """Writes a line for each request before the response is sent; lines that cannot be written are dropped."""

    def __init__(self):
        self.file = None

    def write(self, line):
        try:
            if self.file is None:
                self.file = open(REQUEST_FILE, "ab", 0)
            if self.file.tell() > REQUEST_FILE_BYTES:
                self.file.truncate(0)
                self.file.seek(0)
            self.file.write(line.encode() + b"\n")
        except OSError:
            self.file = None


def as_labels(labels):
    return "{%s}" % ",".join('%s="%s"' % pair for pair in labels) if labels else ""


class Handler(socketserver.StreamRequestHandler):
    """Reads one HTTP request, and closes the connection after the response."""

    def handle(self):
        start = time.time()
        try:
            method, path, _ = self.rfile.readline(65537).decode("latin-1").split()
            headers = {}
            while True:
                line = self.rfile.readline(65537)
                if line in (b"\r\n", b"\n", b""):
                    break
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
        except (OSError, ValueError):
            return
        path = path.partition("?")[0]
        if path == "/metrics":
            return self.answer(200, "text/plain; version=0.0.4", self.server.telemetry.text().encode())
        parent = headers.get("traceparent", "").split("-")
        is_traced = len(parent) == 4 and len(parent[1]) == 32
        self.context = (parent[1] if is_traced else hex_id(32), hex_id(16))
        # Probes of the kubelet are not traced.
        self.is_probe = headers.get("user-agent", "").startswith("kube-probe")
        failure = None
        try:
            status, kind, body = self.respond(method, path)
        except Exception as error:
            failure = str(error)
            print("[ERROR] %s %s: %s" % (method, path, failure), flush=True)
            status, kind, body = 500, "application/json", b'{"error": "Internal Server Error"}'
        if not self.is_probe:
            self.server.requests.write("%.3f %s %s %d" % (start, method, path, status))
        endpoint = "%s %s" % (method, path if status != 404 else "*")
        telemetry = self.server.telemetry
        telemetry.count("requests_served_total", "request_duration_seconds", (("endpoint", endpoint),),
                        ("status", status), time.time() - start)
        if not self.is_probe:
            telemetry.span(self.context, parent[2] if is_traced else None, endpoint, "server", start,
                           failure or ("HTTP %d" % status if status >= 500 else None),
                           **{"http.response.status_code": status})
        self.answer(status, kind, body)

    def answer(self, status, kind, body):
        head = "HTTP/1.0 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (
            status, REASONS[status], kind, len(body))
        try:
            self.wfile.write(head.encode() + body)
        except OSError:
            pass


class Server(socketserver.TCPServer):
    """Serves one request at a time, like the server of the standard library."""

    allow_reuse_address = True
    # The default backlog is 5; a client beyond it retries only after a second or more.
    request_queue_size = 128

    def __init__(self, service, port, handler):
        self.telemetry = Telemetry(service)
        self.requests = RequestFile()
        super().__init__(("0.0.0.0", port), handler)

    def service_actions(self):
        self.telemetry.flush()


def serve(service, port, handler):
    # The first process of a container ignores SIGTERM unless it handles it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = Server(service, port, handler)
    print("%s listens on port %d" % (service, server.server_address[1]), flush=True)
    server.serve_forever(poll_interval=PAUSE_SECONDS)
