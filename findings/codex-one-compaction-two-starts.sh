#!/usr/bin/env bash
# Codex CLI calls SessionStart twice for one compaction where a session is resumed and compacted at once: "resume", then "compact".
#
# Seen on 2026-11-28 with @openai/codex 0.171.0 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback whose second
# answer says that 150,000 tokens are used, above the limit of 100,000. The next `codex exec resume` compacts before the prompt:
# PreCompact and PostCompact come first, then SessionStart with the source "resume" and SessionStart with "compact", so both are after
# the compaction, and what the hook prints is in the new window for both.
# The hooks are trusted as their person would do it: with the digests that hooks/list of the app server has of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @openai/codex@0.171.0 >/dev/null
mkdir -p home/.codex work
export HOME="$folder/home" CODEX_HOME="$folder/home/.codex"
cat >seen.py <<'PY'
import json, os, re, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

requests = []

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [], "models": []}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        requests.append(json.dumps(body["input"]))
        is_summary = "CONTEXT CHECKPOINT" in requests[-1]
        text = "All went well." if is_summary else "Done."
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
        usage = {"input_tokens": used, "output_tokens": 10, "total_tokens": used + 10}
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
says = r"""sed -n 's/.*"source": *"\([a-z]*\)".*/Notes at \1./p'"""
hook = [{"hooks": [{"type": "command", "command": f"tee -a {told} | {says}; echo >>{told}"}]}]
hooks = dict.fromkeys(("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact"), hook)
(home / "hooks.json").write_text(json.dumps({"hooks": hooks}))
config = f'''model = "gpt-6.2-sol"
model_provider = "stand-in"
model_auto_compact_token_limit = 100000
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

def run(*words):
    told.write_text("")
    done = subprocess.run(
        [codex, "exec", *words, "--skip-git-repo-check"], cwd="work", text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    inputs = map(json.loads, filter(None, told.read_text().splitlines()))
    print(*([each["hook_event_name"], *(each[field] for field in ("source", "trigger") if field in each)] for each in inputs))
    print(" in the window:", re.findall(r"Notes at \w+", requests[-1]))
    return re.search(r"session id: (\S+)", done.stderr)[1]

used = 1000
name = run("Begin.")
used = 150_000
run("resume", name, "Go on.")
used = 1000
run("resume", name, "Go on.")
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
['SessionStart', 'startup'] ['UserPromptSubmit']
 in the window: ['Notes at startup']
['SessionStart', 'resume'] ['UserPromptSubmit']
 in the window: ['Notes at startup', 'Notes at resume']
['PreCompact', 'auto'] ['PostCompact', 'auto'] ['SessionStart', 'resume'] ['SessionStart', 'compact'] ['UserPromptSubmit']
 in the window: ['Notes at resume', 'Notes at compact']
EXPECTED
echo 'as seen'
