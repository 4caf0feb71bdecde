#!/usr/bin/env bash
# Copilot CLI calls the hooks Stop and SessionEnd before the last answer is in events.jsonl: only waiting brings it there.
#
# Seen on 2026-11-28 with @github/copilot 1.0.102 (npm), Node.js 20, Python 3.11; the model is a stand-in on the loopback. The file is
# written from time to time: with -p a hook of Stop that looks at once does not find the answer in it, nor does one of SessionEnd,
# which is the last to be called and is given no transcript_path. Where one of them waits for 2 seconds the host writes meanwhile.
# How often a hook is too early depends on the machine, so one of four runs is enough here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 >/dev/null
mkdir -p home/.copilot work/.claude
export HOME="$folder/home"
printf '{"trustedFolders": ["%s"]}\n' "$folder/work" >home/.copilot/config.json
cat >seen.py <<'PY'
import json, os, shutil, subprocess, threading
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
        said = {"index": 0, "delta": {"role": "assistant", "content": "It is done."}, "finish_reason": None}
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
    "COPILOT_AUTO_UPDATE": "false", "COPILOT_HOME": os.path.abspath("home/copy"),
    "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
}
Path("work/hook.sh").write_text('''
case $(cat) in *transcript_path*) path=with;; *) path=without;; esac
has() { grep -q "It is done." "$COPILOT_HOME"/session-state/*/events.jsonl && echo written || echo missing; }
echo "$1 $path transcript_path, at once: $(has)" >>ran
[ "$1" != "$WAITS" ] || { sleep 2; echo "$1 $path transcript_path, after 2 seconds: $(has)" >>ran; }
''')
hooks = {each: [{"hooks": [{"type": "command", "command": f"sh hook.sh {each}"}]}] for each in ("Stop", "SessionEnd")}
Path("work/.claude/settings.json").write_text(json.dumps({"hooks": hooks}))
for waits in ("neither", "Stop", "neither", "SessionEnd"):
    shutil.copytree("home/.copilot", "home/copy")
    subprocess.run(
        ["../node_modules/.bin/copilot", "-p", "Say hello."], cwd="work", env={**environ, "WAITS": waits},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
    )
    (path,) = Path("home/copy").glob("session-state/*/events.jsonl")
    print("waits:", waits, "written in the end:", "It is done." in path.read_text())
    shutil.rmtree("home/copy")
for line in sorted(set(Path("work/ran").read_text().splitlines())):
    if "at once: written" not in line:
        print(line)
PY
python3 seen.py | tee seen
diff seen - <<'EXPECTED'
waits: neither written in the end: True
waits: Stop written in the end: True
waits: neither written in the end: True
waits: SessionEnd written in the end: True
SessionEnd without transcript_path, after 2 seconds: written
SessionEnd without transcript_path, at once: missing
Stop with transcript_path, after 2 seconds: written
Stop with transcript_path, at once: missing
EXPECTED
echo 'as seen'
