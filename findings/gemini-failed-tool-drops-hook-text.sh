#!/usr/bin/env bash
# Gemini CLI drops what an AfterTool hook adds where the tool failed: the model reads the error, and nothing of the hook.
#
# Seen on 2026-11-28 with @google/gemini-cli 0.61.0 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback that
# calls read_file for a file that is there and for one that is not. The hook runs for both and answers both alike; its text is
# in the response of the first call, and in no request after the second. No event says that it was dropped.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @google/gemini-cli@0.61.0 >/dev/null
mkdir -p home/.gemini work/.gemini
export HOME="$folder/home"
cat >home/.gemini/settings.json <<'JSON'
{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false}}
JSON
cat >work/.gemini/settings.json <<'JSON'
{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "name": "say", "command": "cat said.json; echo run >>ran"}]}]}}
JSON
echo 'x = 1' >work/there.py
echo '{"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "Use tabs."}}' >work/said.json
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

requests = []

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10}
        has_result = "functionResponse" in json.dumps(body.get("contents"))
        call = {"functionCall": {"name": "read_file", "args": {"file_path": file}}}
        part = {"text": "Done."} if has_result or "streamGenerateContent" not in self.path else call
        content = {"role": "model", "parts": [part]}
        answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
        text = json.dumps(answer)
        if "streamGenerateContent" in self.path:
            requests.append(body)
            text = f"data: {text}\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if text.startswith("data") else "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
environ = {
    "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{server.server_port}",
}
for file in ("there.py", "missing.py"):
    Path("work/ran").write_text("")
    requests.clear()
    subprocess.run(
        ["../node_modules/.bin/gemini", "-p", "Read it.", "--model", "gemini-3-pro-preview"], cwd="work", env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    (response,) = (
        part["functionResponse"]["response"] for content in requests[-1]["contents"] for part in content["parts"]
        if "functionResponse" in part
    )
    ran = Path("work/ran").read_text().count("run")
    print(file, sorted(response), "hook ran:", ran, "its text is sent:", "Use tabs." in json.dumps(requests[-1]))
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
there.py ['output'] hook ran: 1 its text is sent: True
missing.py ['error'] hook ran: 1 its text is sent: False
EXPECTED
echo 'as seen'
