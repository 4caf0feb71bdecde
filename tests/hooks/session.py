"""A stand-in for a host: it runs hooks, and writes the transcript of its session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.hooks.host import run

if TYPE_CHECKING:
    from pathlib import Path

    from ctx.model import Json, JsonObject


class Host:
    """One session, whose records are as Claude Code writes them."""

    year = 9999  # of records: after all that was printed until then

    def __init__(self, place: Path, session: str = "s1", **environ: str) -> None:
        """Begin ``session`` in the project ``place``; hooks get the variables ``environ``."""
        self.place = place
        self.session = session
        self.path = place.parent / f"{session}.jsonl"
        self._environ = environ
        self._count = 0

    def record(self, kind: str, **fields: Json) -> None:
        """Write a record of a time after all that was printed until now."""
        stamp = {"timestamp": f"{self.year}-12-31T00:00:{self._count:02}.000Z"}
        with self.path.open("a") as file:
            file.write(json.dumps({"type": kind, **stamp, **fields}) + "\n")

    def attach(self, kind: str, **fields: Json) -> None:
        """Write that something was put into the window."""
        self.record("attachment", attachment={"type": kind, **fields})

    def model(self, text: str = "") -> None:
        """Let the model answer."""
        self._count += 1
        self.record("assistant", **self._message(text, id=f"m{self._count}"))

    def ask(self, text: str) -> str:
        """Run the hook of a prompt, write that, and return the hook's text."""
        told = self.hook("UserPromptSubmit", prompt=text)
        self.record("user", **self._message(text))
        return told

    def _message(self, text: str, **more: Json) -> JsonObject:
        self._count += 1
        ids: JsonObject = {"uuid": f"{self.session}-{self._count}", "sessionId": self.session}
        return {**ids, "message": {**more, "content": [{"type": "text", "text": text}]}}

    def hook(self, name: str, *, drop: bool = False, **more: Json) -> str:
        """Run a hook and return its text, which is in the window unless it is dropped."""
        data: JsonObject = {"session_id": self.session, "cwd": str(self.place), **more}
        data["transcript_path"] = str(self.path)
        text = run(self.place, data, "claude", name, **self._environ).text
        if text and not drop:
            self.attach("hook_additional_context", content=[text])
        return text

    def touch(self, path: str, tool: str = "Write", *, drop: bool = False) -> str:
        """Run the hook behind a call of a tool, and let the model go on."""
        text = self.hook("PostToolUse", drop=drop, tool_name=tool, tool_input={"file_path": path})
        self.model()
        self.model()
        return text
