#!/usr/bin/env bash
# Copilot CLI writes calls into the conversation that the model never made, once a subagent in the background has ended.
#
# Seen on 2026-11-28 with @github/copilot 1.0.102 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback that calls the
# tool task with the mode "background", and no other. As the subagent ends, the next request of the session holds an
# assistant's message with a call of read_agent, and its result. In events.jsonl it is an assistant.message like any other; it
# has no "model" and no "apiCallId", which those that a model wrote have.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 >/dev/null
mkdir -p home/.copilot work
export HOME="$folder/home"
printf '{"trustedFolders": ["%s"]}\n' "$folder/work" >home/.copilot/config.json
cat >seen.py <<'PY'
import json, os, subprocess, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

requests, made = [], []

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "stand-in", "object": "model"}]}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        messages = body["messages"]
        delta = {"role": "assistant", "content": "It has begun."}
        if "Count them." in str(messages[1]["content"]):
            delta["content"] = "They are two."
            time.sleep(2)
        else:
            requests.append(messages)
            if len(requests) == 1:
                function = {"name": "task", "arguments": json.dumps(TASK)}
                delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
                made.append("task")
        frame = {"id": "chat-1", "created": 0, "model": "stand-in", "object": "chat.completion.chunk"}
        said = {"index": 0, "delta": delta, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if "tool_calls" in delta else "stop"}
        lines = [f"data: {json.dumps({**frame, 'choices': [each]})}\n\n" for each in (said, ended)]
        self.answer("".join(lines) + "data: [DONE]\n\n", "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

TASK = {"agent_type": "task", "name": "counter", "description": "Count", "prompt": "Count them.", "mode": "background"}
server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
environ = {
    "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
}
subprocess.run(
    ["../node_modules/.bin/copilot", "-p", "Say hello.", "--allow-all-tools"], cwd="work", env=environ,
    stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
)
print("the model called", made)
for number, request in enumerate(requests, 1):
    shown = []
    for message in request[1:]:
        shown.append([message["role"], *(each["function"]["name"] for each in message.get("tool_calls", ()))])
    print("request", number, shown)
(path,) = Path("home/.copilot").glob("session-state/*/events.jsonl")
for event in map(json.loads, path.read_text().splitlines()):
    if event["type"] == "assistant.message":
        data = event["data"]
        print(event["type"], [each["name"] for each in data["toolRequests"]], *(key for key in ("model", "apiCallId") if key in data))
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
the model called ['task']
request 1 [['user']]
request 2 [['user'], ['assistant', 'task'], ['tool']]
request 3 [['user'], ['assistant', 'task'], ['tool'], ['assistant'], ['user'], ['assistant', 'read_agent'], ['tool']]
assistant.message ['task'] model apiCallId
assistant.message [] model apiCallId
assistant.message [] model apiCallId
assistant.message ['read_agent']
assistant.message [] model apiCallId
EXPECTED
echo 'as seen'
