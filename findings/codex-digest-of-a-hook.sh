#!/usr/bin/env bash
# Codex CLI knows a hook by SHA-256 of its JSON: compact, keys sorted, defaults that the file leaves out filled in.
#
# Seen on 2026-11-27 with @openai/codex 0.171.0 (npm), Node.js 20, Python 3.11: `codex app-server --stdio` lists each hook by the
# method hooks/list with a currentHash. It is the digest of {"event_name", "hooks": [{"async", "command", "timeout", "type"}],
# "matcher"}: the event in lower case with underscores, 600 seconds where none are given, no "matcher" where none is given.
# So a change of layout or of the order of keys leaves the digest as it is, and so do defaults that are written out; the file and
# the place in it are no part of it: they are the key. ctx computes it to say which hooks will not run (ctx/hosts/codex/trust.py).
# Nothing is trusted here: all are listed as untrusted. Needs no model and no network once installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" @openai/codex@0.171.0 >/dev/null
mkdir -p home/.codex work/.codex
export HOME="$folder/home" CODEX_HOME="$folder/home/.codex"
printf '[projects."%s"]\ntrust_level = "trusted"\n' "$folder/work" >"$CODEX_HOME/config.toml"
cat >work/.codex/hooks.json <<'JSON'
{"hooks": {
  "SessionStart": [
    {"matcher": "startup", "hooks": [{"type": "command", "command": "echo one", "timeout": 7}]},
    {"hooks": [{"timeout": 600, "command": "echo two", "type": "command"}]}
  ],
  "PostToolUse": [{"hooks": [{"type": "command", "command": "echo \"drei\u00df\""}], "matcher": "^Bash$"}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo two"}]}]
}}
JSON
cat >seen.py <<'PY'
import hashlib, json, os, subprocess

codex = subprocess.Popen(
    ["node_modules/.bin/codex", "app-server", "--stdio"], text=True, encoding="utf-8",
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
)

def send(message):
    codex.stdin.write(json.dumps(message) + "\n")
    codex.stdin.flush()

def asked(number, method, params):
    send({"id": number, "method": method, "params": params})
    return next(each for each in map(json.loads, codex.stdout) if each.get("id") == number)["result"]

def digest(event, command, timeout, matcher):
    whole = {"event_name": event, "hooks": [{"async": False, "command": command, "timeout": timeout, "type": "command"}]}
    whole |= {"matcher": matcher} if matcher else {}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

own = [
    digest("post_tool_use", 'echo "drei\u00df"', 600, "^Bash$"),
    digest("session_start", "echo one", 7, "startup"),
    digest("session_start", "echo two", 600, None),
    digest("user_prompt_submit", "echo two", 600, None),
]
asked(1, "initialize", {"clientInfo": {"name": "finding", "version": "1"}})
send({"method": "initialized"})
for hook in asked(2, "hooks/list", {"cwds": [os.path.abspath("work")]})["data"][0]["hooks"]:
    key = hook["key"].rpartition("hooks.json:")[2]
    print(key, hook["currentHash"][:19], hook["currentHash"] in own, hook["trustStatus"])
codex.stdin.close()
codex.wait(30)
PY
python3 seen.py | sort | tee seen
diff seen - <<'EXPECTED'
post_tool_use:0:0 sha256:883727ee16c0 True untrusted
session_start:0:0 sha256:34e56fdd87e4 True untrusted
session_start:1:0 sha256:25d9f47d5718 True untrusted
user_prompt_submit:0:0 sha256:d0723deaefec True untrusted
EXPECTED
echo 'as seen'
