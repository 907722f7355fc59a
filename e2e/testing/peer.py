"""The program that pods run in the fault tests: answers HTTP requests, records received datagrams and reports its clock."""

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECEIVED = set()


def listen():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("0.0.0.0", 9000))
    while True:
        RECEIVED.add(server.recv(1500).decode())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Buffers the response, so that headers and body are sent together.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        topic, _, rest = self.path.strip("/").partition("/")
        if topic == "bytes":
            body = bytes(range(256)) * (int(rest) // 256)
        elif topic == "received":
            body = json.dumps(sorted(RECEIVED)).encode()
        else:
            body = str(time.time()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


threading.Thread(target=listen, daemon=True).start()
Server(("0.0.0.0", 8080), Handler).serve_forever()
