#!/usr/bin/env bash
# Gemini CLI with -p reads what a SessionStart hook says as part of the prompt: "@FILE" in it brings in that file.
#
# Seen on 2026-11-27 with @google/gemini-cli 0.61.0 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback. The
# additionalContext of the hook is put before the prompt in <hook_context>, and the whole is then searched for "@FILE": the content of a
# file of the project is sent, under "Content from referenced files", though the person named none. With a blank
# between "@" and the name, or without the file, nothing is added.
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
{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "name": "say", "command": "cat said.json"}]}]}}
JSON
echo 'Use tabs.' >work/rules.md
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
        content = {"role": "model", "parts": [{"text": "Done."}]}
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
for said in ("See @rules.md for more.", "See @ rules.md for more.", "See @missing.md for more."):
    output = {"hookEventName": "SessionStart", "additionalContext": said}
    Path("work/said.json").write_text(json.dumps({"hookSpecificOutput": output}))
    requests.clear()
    subprocess.run(
        ["../node_modules/.bin/gemini", "-p", "Say hello.", "--model", "gemini-3-pro-preview"], cwd="work", env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    for part in requests[0]["contents"][-1]["parts"]:
        if not part["text"].startswith("<session_context>"):
            print(repr(part["text"]))
    print("--")
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
'<hook_context>See @rules.md for more.</hook_context>\n\nSay hello.'
'\n--- Content from referenced files ---'
'\nContent from @rules.md:\n'
'Use tabs.'
'\n--- End of content ---'
--
'<hook_context>See @ rules.md for more.</hook_context>\n\nSay hello.'
--
'<hook_context>See @missing.md for more.</hook_context>\n\nSay hello.'
--
EXPECTED
echo 'as seen'
