#!/usr/bin/env bash
# A short word that is one token by itself can cost nearly two each time where it is repeated without blanks.
#
# Seen on 2026-11-27 with js-tiktoken 1.0.21 (npm), Node.js 20: "lhs" is one token in o200k and in cl100k, sixty-four in a
# row are 127 in both, although the same 64 tokens would spell the text. Pairs are merged by rank, and "sl", the border of two
# repetitions, comes before "lh". So taking the longest known token at each place counts half of what is paid, and how
# it comes out depends on the word and on the vocabulary: "the" stays 64 in both, "ycl" is 127 in one and 65 in the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund js-tiktoken@1.0.21 >/dev/null
cat >seen.mjs <<'JS'
import { getEncoding } from "js-tiktoken";
for (const word of ["lhs", "ycl", "the"]) {
  const counts = ["o200k_base", "cl100k_base"].flatMap((name) => {
    const coding = getEncoding(name);
    return [coding.encode(word).length, coding.encode(word.repeat(64)).length];
  });
  console.log(word, ...counts);
}
JS
node seen.mjs | tee seen
diff seen - <<'EXPECTED'
lhs 1 127 1 127
ycl 1 127 1 65
the 1 64 1 64
EXPECTED
echo 'as seen'
