"""Compile the hot modules of reading into a wheel where CTX_COMPILE=1 asks for it.

Without it nothing is compiled, no compiler is needed, and the wheel works everywhere.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileHook(BuildHookInterface[Any]):  # type: ignore[misc] # hatchling is no tool of .venv
    """Hands the wheel to hatch-mypyc, with what ``[tool.hatch…mypyc]`` names."""

    PLUGIN_NAME = "custom"
    _compiling: BuildHookInterface[Any] | None = None

    def dependencies(self) -> list[str]:
        """Return what compiling needs beside hatchling: the program's own libraries for types."""
        if not _is_asked():
            return []
        core = self.metadata.core.dependencies
        return ["hatch-mypyc>=0.16", "mypy>=2.4,<3", "setuptools>=80", *core]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before the files of the wheel are gathered."""
        if not _is_asked() or self.target_name != "wheel" or version == "editable":
            return
        from hatch_mypyc.plugin import MypycBuildHook

        self._compiling = MypycBuildHook(
            self.root, self.config, self.build_config, self.metadata, self.directory,
            self.target_name, self.app,
        )  # fmt: skip
        self._compiling.initialize(version, build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Leave the sources as they were: what was compiled in place would be imported."""
        if self._compiling:
            self._compiling.clean([version])


def _is_asked() -> bool:
    return os.environ.get("CTX_COMPILE") == "1"
