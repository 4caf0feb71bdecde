#!/usr/bin/env bash
# Claude Code loads the AGENTS.md of a subfolder as it reads a file there, and InstructionsLoaded says nothing of it.
#
# Seen on 2026-11-27 with @anthropic-ai/claude-code 2.1.332 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback that
# calls Read once. src/AGENTS.md comes with the answer to a Read of src/pay.py that succeeds, not with one of a missing file, and not
# where the project or src has a CLAUDE.md. The hook InstructionsLoaded is called for each CLAUDE.md, but for no AGENTS.md,
# neither that of the subfolder nor that of the project, which is loaded at the start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @anthropic-ai/claude-code@2.1.332 >/dev/null
mkdir -p home work/src work/.claude
export HOME="$folder/home"
cat >work/.claude/settings.json <<'JSON'
{"hooks": {"InstructionsLoaded": [{"hooks": [{"type": "command", "command": "cat >>../loaded; echo >>../loaded"}]}]}}
JSON
echo 'Project, for all agents.' >work/AGENTS.md
echo 'Folder, for all agents.' >work/src/AGENTS.md
echo 'x = 1' >work/src/pay.py
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path("work").resolve()
turns, path = [], ""

class StandIn(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer("")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        messages = json.dumps(body.get("messages"))
        reads = bool(body.get("tools")) and "tool_result" not in messages
        if body.get("tools"):
            turns.append(messages)
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "Done."}
        if reads:
            block = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps({"file_path": str(work / path)})}
        usage = {"input_tokens": 9, "output_tokens": 9}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": body.get("model"), "usage": usage}
        events = [
            {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use" if reads else "end_turn"}, "usage": usage},
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
MARKS = {"Project, for all": "AGENTS.md", "Folder, for all": "src/AGENTS.md", "For Claude, above": "CLAUDE.md", "For Claude, src": "src/CLAUDE.md"}
for path, more in (("src/pay.py", ""), ("src/missing.py", ""), ("src/pay.py", "CLAUDE.md"), ("src/pay.py", "src/CLAUDE.md")):
    if more:
        (work / more).write_text("For Claude, src.\n" if "/" in more else "For Claude, above.\n")
    turns.clear()
    Path("loaded").write_text("")
    subprocess.run(
        ["../node_modules/.bin/claude", "-p", "Read it.", "--allowedTools", "Read"], cwd="work", env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    first, last = ([name for mark, name in MARKS.items() if mark in turn] for turn in (turns[0], turns[-1]))
    reported = [json.loads(line)["file_path"] for line in Path("loaded").read_text().split("\n") if line]
    print(f"Read {path}, with {more or 'no CLAUDE.md'}:")
    print(" at the start", first, "after the Read", last, "reported", [str(Path(each).relative_to(work)) for each in reported])
    if more:
        (work / more).unlink()
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
Read src/pay.py, with no CLAUDE.md:
 at the start ['AGENTS.md'] after the Read ['AGENTS.md', 'src/AGENTS.md'] reported []
Read src/missing.py, with no CLAUDE.md:
 at the start ['AGENTS.md'] after the Read ['AGENTS.md'] reported []
Read src/pay.py, with CLAUDE.md:
 at the start ['CLAUDE.md'] after the Read ['CLAUDE.md'] reported ['CLAUDE.md']
Read src/pay.py, with src/CLAUDE.md:
 at the start ['AGENTS.md'] after the Read ['AGENTS.md', 'src/CLAUDE.md'] reported ['src/CLAUDE.md']
EXPECTED
echo 'as seen'
