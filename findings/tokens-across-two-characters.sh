#!/usr/bin/env bash
# In o200k a token can hold the end of one character and the beginning of the next.
#
# Seen on 2026-11-27 with js-tiktoken 1.0.21 (npm), Node.js 20: the Hangul syllable U+AC00 is one token, the
# Thai letter U+0E21 is one token, and side by side they are three: EA B0 | 80 E0 B8 | A1. The token in the
# middle is no text by itself. A counter that adds up what characters or words cost alone counts too little
# wherever scripts meet without a blank; ctx prices such neighbours higher (ctx/text/tokens.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund js-tiktoken@1.0.21 >/dev/null
cat >seen.mjs <<'JS'
import { getEncoding } from "js-tiktoken";
const coding = getEncoding("o200k_base");
const bytes = (text) => coding.encode(text).map((token) => Buffer.from(coding.textMap.get(token)).toString("hex"));
for (const text of ["\uac00", "\u0e21", "\uac00\u0e21"]) console.log(bytes(text).join(" "));
JS
node seen.mjs | tee seen
diff seen - <<'EXPECTED'
eab080
e0b8a1
eab0 80e0b8 a1
EXPECTED
echo 'as seen: 1 and 1 are 3 tokens'
