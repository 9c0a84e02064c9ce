"""A server that answers every POST like a chat model: `python little_server.py PORT [HABIT…]`.

It says what it was given before it listens. Habits: `late` (never listens), `ill` (ends with status 7), `stubborn`
(ignores SIGTERM).
"""

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Chat(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"choices": [{"message": {"content": "hardware"}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    port, *habits = sys.argv[1:]
    said = {
        "pid": os.getpid(),
        "folder": str(Path.cwd()),
        "stdin": sys.stdin.read(),
        "greeting": os.environ.get("GREETING"),
    }
    print(json.dumps(said), flush=True)
    if "ill" in habits:
        print("no model to be found", file=sys.stderr)
        sys.exit(7)
    if "stubborn" in habits:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while "late" in habits:
        time.sleep(60)
    HTTPServer(("127.0.0.1", int(port)), Chat).serve_forever()


if __name__ == "__main__":
    main()
