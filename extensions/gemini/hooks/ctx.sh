#!/bin/sh
# Made by scripts/plugins.py. Answers an event of Gemini CLI by the ctx on the PATH.
if command -v ctx >/dev/null 2>&1; then
  ctx hook run gemini "$1"
elif [ "$1" = SessionStart ]; then
  echo '{"systemMessage": "ctx is not on the PATH, so this plugin does nothing: install it (docs/start.md in the repository of the plugin) and start a new session."}'
fi
exit 0
