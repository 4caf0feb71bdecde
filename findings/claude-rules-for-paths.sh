#!/usr/bin/env bash
# Claude Code loads rules with "paths" from the user's own folder, too; where a pattern begins depends on the place of the rule.
#
# Seen on 2026-11-28 with @anthropic-ai/claude-code 2.1.332 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback that
# reads src/pay.py. Rules of ~/.claude/rules come with the Read as those of the project do (in 2.1.197, too), though issues of
# anthropics/claude-code say that they never load (57722 with 2.1.116; 87217, open on 2026-08-16). Patterns of a project's rule
# count from the folder that holds its .claude, also below the root: in src/.claude/rules "/pay.py" matches src/pay.py,
# "src/**" and "/src/pay.py" do not. Patterns of the user's own rules count from where the host was started: "src/**" matches
# when it is started in the root, and not when it is started in src.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @anthropic-ai/claude-code@2.1.332 >/dev/null
mkdir -p home work/src
export HOME="$folder/home"
echo 'x = 1' >work/src/pay.py
cat >seen.py <<'PY'
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path("work").resolve()
program = Path("node_modules/.bin/claude").resolve()
turns = []

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
            delta = {"type": "input_json_delta", "partial_json": json.dumps({"file_path": str(work / "src/pay.py")})}
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
PATTERNS = ("src/**", "/src/pay.py", "pay.py", "/pay.py")
marks = {}
for place in ("home", "work", "work/src"):
    rules = Path(place, ".claude/rules")
    rules.mkdir(parents=True)
    for number, pattern in enumerate(PATTERNS):
        mark = marks[place, pattern] = f"Rule {number} of {place.replace('/', ' and ')}."
        (rules / f"{number}.md").write_text(f'---\npaths: ["{pattern}"]\n---\n\n{mark}\n')
for cwd in ("work", "work/src"):
    turns.clear()
    subprocess.run(
        [program, "-p", "Read it.", "--allowedTools", "Read"], cwd=cwd, env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    early = [key for key, mark in marks.items() if mark in turns[0]]
    print(f"started in {cwd}, before the Read: {early}, after it:")
    for place in ("home", "work", "work/src"):
        print(f" {place}/.claude/rules", [each for each in PATTERNS if marks[place, each] in turns[-1]])
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
started in work, before the Read: [], after it:
 home/.claude/rules ['src/**', '/src/pay.py', 'pay.py']
 work/.claude/rules ['src/**', '/src/pay.py', 'pay.py']
 work/src/.claude/rules ['pay.py', '/pay.py']
started in work/src, before the Read: [], after it:
 home/.claude/rules ['pay.py', '/pay.py']
 work/.claude/rules ['src/**', '/src/pay.py', 'pay.py']
 work/src/.claude/rules ['pay.py', '/pay.py']
EXPECTED
echo 'as seen'
