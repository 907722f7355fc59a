"""Returns the current time in UTC."""
import datetime
import json

import telemetry


class Handler(telemetry.Handler):
    def respond(self, method, path):
        if method != "GET" or path != "/time":
            return 404, "text/plain", b""
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        return 200, "application/json", json.dumps({"time": now.isoformat() + "Z"}).encode()


telemetry.serve("time-service", 5001, Handler)
