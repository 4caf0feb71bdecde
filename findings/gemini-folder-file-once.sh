#!/usr/bin/env bash
# Gemini CLI shows the GEMINI.md of a subfolder once a process, to the agent that reads there first; the others never have it.
#
# Seen on 2026-11-28 with @google/gemini-cli 0.61.0 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback. As an agent
# reads src/pay.py the content of src/GEMINI.md comes behind the result. Where two subagents read it one after the other, and then the
# session, only the first subagent is sent it; where the session reads first, its subagent is not. The windows of these agents are
# separate: none of them reads what another was sent. A new process that goes on with the session sends it anew.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @google/gemini-cli@0.61.0 >/dev/null
mkdir -p home/.gemini work/src
export HOME="$folder/home"
cat >home/.gemini/settings.json <<'JSON'
{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false}}
JSON
echo 'Use tabs.' >work/GEMINI.md
echo 'Amounts are cents.' >work/src/GEMINI.md
echo 'x = 1' >work/src/pay.py
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

requests = {}

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        part = {"text": "Done."}
        if "streamGenerateContent" in self.path and body.get("tools"):
            begun = json.dumps(body["contents"][0])
            agent = next((each for each in plan if f"As the {each} agent" in begun), "session")
            requests[agent] = body["contents"]
            part = {"functionCall": plan[agent].pop(0)} if plan[agent] else part
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10}
        content = {"role": "model", "parts": [part]}
        answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
        text = json.dumps(answer)
        if "streamGenerateContent" in self.path:
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
READ = {"name": "read_file", "args": {"file_path": "src/pay.py"}}
END = {"name": "complete_task", "args": {"result": {"response": "Looked."}}}

FIRST, SECOND = (
    {"name": "invoke_agent", "args": {"agent_name": "generalist", "prompt": f"As the {each} agent, look."}} for each in ("first", "second")
)

for session, *more in ([FIRST, SECOND, READ],), ([READ, FIRST],), ([READ], "--resume", "latest"):
    plan = {"session": session, "first": [READ, END], "second": [READ, END]}
    requests.clear()
    subprocess.run(
        ["../node_modules/.bin/gemini", "-p", "Begin.", "--model", "gemini-3-pro-preview", *more], cwd="work", env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    print("a process", *more)
    for agent, contents in requests.items():
        parts = [part["functionResponse"] for each in contents for part in each["parts"] if "functionResponse" in part]
        result = [json.dumps(each["response"]) for each in parts if each["name"] == "read_file"][-1]
        print("", agent, "is sent the file:", "x = 1" in result, "src/GEMINI.md:", "Amounts are cents." in result)
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
a process
 session is sent the file: True src/GEMINI.md: False
 first is sent the file: True src/GEMINI.md: True
 second is sent the file: True src/GEMINI.md: False
a process
 session is sent the file: True src/GEMINI.md: True
 first is sent the file: True src/GEMINI.md: False
a process --resume latest
 session is sent the file: True src/GEMINI.md: True
EXPECTED
echo 'as seen'
