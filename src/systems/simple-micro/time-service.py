"""Tells the time, in UTC."""
import datetime
import http.server
import json


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/time":
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        body = json.dumps({"time": now.isoformat() + "Z"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


print("time-service listens on port 5001", flush=True)
http.server.HTTPServer(("0.0.0.0", 5001), Handler).serve_forever()
