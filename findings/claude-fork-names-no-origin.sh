#!/usr/bin/env bash
# Claude Code tells the hooks of a fork nothing of its origin but a count of tokens, and names a transcript that is not there yet.
#
# Seen on 2026-11-28 with @anthropic-ai/claude-code 2.1.332 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback. With
# `--resume ID --fork-session`, SessionStart has the source "fork" and a transcript_path that does not exist, neither then nor at the
# first UserPromptSubmit. Neither is given the id or path of the origin: there is only SessionStart's context_tokens, which is the
# usage of the origin's last answer, input and output together. With `--resume-session-at` the source is "resume", and context_tokens
# is that of the last answer of the whole session, here the second, although the model is sent the first one only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @anthropic-ai/claude-code@2.1.332 >/dev/null
mkdir -p home work/.claude
export HOME="$folder/home"
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

requests = []

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer("")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        requests.append(json.dumps(body["messages"]))
        usage = {"input_tokens": len(requests) * 1000, "output_tokens": 7}
        message = {"id": f"msg_{len(requests)}", "type": "message", "role": "assistant", "content": [], "model": body.get("model")}
        delta = {"type": "text_delta", "text": f"Answer {len(requests)}."}
        events = [
            {"type": "message_start", "message": {**message, "usage": usage, "stop_reason": None, "stop_sequence": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
            {"type": "message_stop"},
        ]
        self.answer("".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events))

    def answer(self, text):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
environ = {
    "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
}
Path("hook.py").write_text('''
import json, os, sys
given = json.load(sys.stdin)
print(json.dumps({**given, "exists": os.path.exists(given["transcript_path"])}), file=open("../told", "a"))
''')
hooks = [{"hooks": [{"type": "command", "command": "python3 ../hook.py"}]}]
settings = {"hooks": dict.fromkeys(("SessionStart", "UserPromptSubmit"), hooks)}
Path("work/.claude/settings.json").write_text(json.dumps(settings))
ONE, TWO = (f"00000000-0000-4000-8000-00000000000{each}" for each in (1, 2))

def run(*more):
    Path("told").write_text("")
    subprocess.run(
        ["../node_modules/.bin/claude", "-p", "Go on.", *more], cwd="work", env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    options = [each for each in more if each.startswith("--")]
    print(*options, "sends answers", [each for each in range(1, 6) if f"Answer {each}." in requests[-1]])
    for line in Path("told").read_text().splitlines():
        each = json.loads(line)
        start = [each["source"], each.get("context_tokens")] if each["hook_event_name"] == "SessionStart" else []
        print("", each["hook_event_name"], *start, "transcript exists:", each["exists"], "origin named:", ONE in line)

run("--session-id", ONE)
run("--resume", ONE)
run("--resume", ONE, "--fork-session", "--session-id", TWO)
(path,) = Path("home/.claude/projects").glob(f"*/{ONE}.jsonl")
first = next(each["uuid"] for each in map(json.loads, path.read_text().splitlines()) if each["type"] == "assistant")
run("--resume", ONE, "--resume-session-at", first)
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
--session-id sends answers []
 SessionStart startup None transcript exists: False origin named: True
 UserPromptSubmit transcript exists: False origin named: True
--resume sends answers [1]
 SessionStart resume 1007 transcript exists: True origin named: True
 UserPromptSubmit transcript exists: True origin named: True
--resume --fork-session --session-id sends answers [1, 2]
 SessionStart fork 2007 transcript exists: False origin named: False
 UserPromptSubmit transcript exists: False origin named: False
--resume --resume-session-at sends answers [1]
 SessionStart resume 2007 transcript exists: True origin named: True
 UserPromptSubmit transcript exists: True origin named: True
EXPECTED
echo 'as seen'
