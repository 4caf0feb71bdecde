#!/usr/bin/env bash
# Codex CLI in code mode calls hooks for the commands within a script, as "Bash", not for the script; they are not told what failed.
#
# Seen on 2026-11-28 with @openai/codex 0.171.0 (npm), Node.js 20, Python 3.11; the model gpt-6.2-sol is a stand-in on the loopback that
# makes one call, of the tool exec, whose script runs two commands. PreToolUse and PostToolUse come for each command, with the
# tool_name "Bash", the command as plain text and a tool_use_id that no call in the conversation has; "exec" and the script are in none.
# The tool_response is what the command printed, and that alone: the second command fails, which its exit code tells the script and the
# model, and nothing tells the hook.
# The hooks are trusted as their person would do it: with the digests that hooks/list of the app server has of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @openai/codex@0.171.0 >/dev/null
mkdir -p home/.codex work
echo 'x = 1' >work/pay.py
export HOME="$folder/home" CODEX_HOME="$folder/home/.codex"
cat >seen.py <<'PY'
import json, os, re, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

requests = []
CODE = """const one = await tools.exec_command({cmd: "cat pay.py"});
const two = await tools.exec_command({cmd: "echo two; false"});
text(JSON.stringify([one, two]));"""

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [], "models": []}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        requests.append(json.dumps(body["input"]))
        is_first = len(requests) == 1
        part = {"type": "output_text", "text": "Done.", "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
        if is_first:
            item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "exec", "namespace": "functions", "input": CODE}
        usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
        events = [
            {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": [item], "usage": usage}},
        ]
        self.answer("".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
told = Path("told").resolve()
home = Path(os.environ["CODEX_HOME"])
hook = [{"hooks": [{"type": "command", "command": f"cat >>{told}; echo >>{told}"}]}]
hooks = dict.fromkeys(("PreToolUse", "PostToolUse"), hook)
(home / "hooks.json").write_text(json.dumps({"hooks": hooks}))
config = f'''model = "gpt-6.2-sol"
model_provider = "stand-in"
check_for_update_on_startup = false

[model_providers.stand-in]
name = "Stand-in"
base_url = "http://127.0.0.1:{server.server_port}/v1"
wire_api = "responses"
'''
(home / "config.toml").write_text(config)
codex = Path("node_modules/.bin/codex").resolve()
lister = subprocess.Popen(
    [codex, "app-server", "--stdio"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
)
client = {"clientInfo": {"name": "finding", "version": "1"}}
for number, method, params in ((1, "initialize", client), (2, "hooks/list", {"cwds": [os.path.abspath("work")]})):
    lister.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
    lister.stdin.flush()
    result = next(each for each in map(json.loads, lister.stdout) if each.get("id") == number)["result"]
lister.stdin.close()
lister.wait(30)
for each in result["data"][0]["hooks"]:
    config += f'\n[hooks.state."{each["key"]}"]\ntrusted_hash = "{each["currentHash"]}"\n'
(home / "config.toml").write_text(config)

told.write_text("")
subprocess.run(
    [codex, "exec", "Begin.", "--skip-git-repo-check"], cwd="work",
    stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
)
calls = [each for each in json.loads(requests[-1]) if each["type"].startswith("custom_tool_call")]
for each in calls:
    print(each["type"], each.get("name", ""), "exit codes:", re.findall(r'exit_code\W+(\d)', json.dumps(each)))
for line in filter(None, told.read_text().splitlines()):
    each = json.loads(line)
    print(each["hook_event_name"], each["tool_name"], each["tool_input"], repr(each.get("tool_response")), end=" ")
    print("its id is sent:", each["tool_use_id"] in requests[-1], "exit code told:", "exit_code" in line)
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
custom_tool_call exec exit codes: []
custom_tool_call_output  exit codes: ['0', '1']
PreToolUse Bash {'command': 'cat pay.py'} None its id is sent: False exit code told: False
PostToolUse Bash {'command': 'cat pay.py'} 'x = 1\n' its id is sent: False exit code told: False
PreToolUse Bash {'command': 'echo two; false'} None its id is sent: False exit code told: False
PostToolUse Bash {'command': 'echo two; false'} 'two\n' its id is sent: False exit code told: False
EXPECTED
echo 'as seen'
