"""Greets, with the time that time-service tells."""
import http.server
import json
import urllib.request

TIME_SERVICE = "http://time-service:5001/time"
TIMEOUT_SECONDS = 2


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, status, value):
        self.answer(status, "application/json", json.dumps(value).encode())

    def greet(self):
        try:
            with urllib.request.urlopen(TIME_SERVICE, timeout=TIMEOUT_SECONDS) as reply:
                time = json.load(reply)["time"]
        except Exception as error:
            print("[ERROR] Failed to call time-service: %s" % error, flush=True)
            self.answer_json(500, {"error": str(error)})
            return
        self.answer_json(200, {"msg": "Hello", "time": time})

    def do_GET(self):
        if self.path == "/hello":
            self.greet()
        elif self.path == "/healthz":
            self.answer(200, "text/plain", b"OK")
        else:
            self.answer(404, "text/plain", b"")


print("hello-service listens on port 5000", flush=True)
http.server.HTTPServer(("0.0.0.0", 5000), Handler).serve_forever()
