#!/usr/bin/env bash
# Copilot CLI drops all hooks of a .claude/settings.json in silence where one event about tools has an empty matcher.
#
# Seen on 2026-11-27 with @github/copilot 1.0.102 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback. With
# "matcher": "", which in Claude Code's settings means every tool, below PreToolUse or PostToolUse, a hook of UserPromptSubmit in
# the same file does not run either; hooks of .claude/settings.local.json still do. Nothing is printed, the exit code is 0,
# and the log does not speak of a matcher. Without a matcher, with "*", or with an empty one below SessionStart all run.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 >/dev/null
mkdir -p home/.copilot work/.claude
export HOME="$folder/home"
printf '{"trustedFolders": ["%s"]}\n' "$folder/work" >home/.copilot/config.json
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "stand-in", "object": "model"}]}), "application/json")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        frame = {"id": "chat-1", "created": 0, "model": "stand-in", "object": "chat.completion.chunk"}
        said = {"index": 0, "delta": {"role": "assistant", "content": "Done."}, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
        lines = [f"data: {json.dumps({**frame, 'choices': [each]})}\n\n" for each in (said, ended)]
        self.answer("".join(lines) + "data: [DONE]\n\n", "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
environ = {
    "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true",
    "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
}

def group(word, **matcher):
    return [{**matcher, "hooks": [{"type": "command", "command": f"echo {word} >>ran"}]}]

def ran(event, **matcher):
    hooks = {"UserPromptSubmit": group("shared"), event: group(event, **matcher)}
    Path("work/.claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    Path("work/.claude/settings.local.json").write_text(json.dumps({"hooks": {"UserPromptSubmit": group("local")}}))
    Path("work/ran").write_text("")
    done = subprocess.run(
        ["../node_modules/.bin/copilot", "-p", "Say hello."], cwd="work", env=environ, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
    )
    logs = "".join(path.read_text() for path in Path("home/.copilot/logs").glob("*.log"))
    words = [word for word in ("hook", "matcher") if word in (done.stdout + done.stderr).lower()]
    words += ["matcher in the log"] if "matcher" in logs.lower() else []
    return sorted(Path("work/ran").read_text().split()), done.returncode, words

for event in ("PostToolUse", "PreToolUse", "SessionStart"):
    for matcher in ({}, {"matcher": "*"}, {"matcher": ""}):
        print(event, json.dumps(matcher), *ran(event, **matcher))
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
PostToolUse {} ['local', 'shared'] 0 []
PostToolUse {"matcher": "*"} ['local', 'shared'] 0 []
PostToolUse {"matcher": ""} ['local'] 0 []
PreToolUse {} ['local', 'shared'] 0 []
PreToolUse {"matcher": "*"} ['local', 'shared'] 0 []
PreToolUse {"matcher": ""} ['local'] 0 []
SessionStart {} ['SessionStart', 'local', 'shared'] 0 []
SessionStart {"matcher": "*"} ['SessionStart', 'local', 'shared'] 0 []
SessionStart {"matcher": ""} ['SessionStart', 'local', 'shared'] 0 []
EXPECTED
echo 'as seen'
