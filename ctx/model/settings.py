"""The settings of one run, as their table in ``ctx.config`` explains them."""

from ctx.typed import Literal, NamedTuple


class Settings(NamedTuple):
    """The settings of one run, with their defaults; see ``SETTINGS`` of ``ctx.config``."""

    budget: int = 8000
    max_budget: int = 200_000
    format: Literal["md", "json"] = "md"
    tokenizer: str = "heuristic"
    ranker: str = "auto"
    planner: str = "tiered"
    fill: str = "auto"
    rules: str = "whole"
    embedder: str = "none"
    embed_seconds: float = 5
    cascade: bool = False
    rerank: str = "none"
    rerank_hits: int = 50
    rerank_seconds: float = 30
    summariser: str = "extractive"
    summary_seconds: int = 60
    strict: bool = False
    cooldown: int = 0
    rule_tokens: int = 500
    hook_seconds: int = 2
    memory_signals: str = (
        "remember, recall, what did, who is, last time, previously, before, memory, told you, "
        "mentioned, said, project, config, setup"
    )
    hard_share: float = 0.40
    tasks_share: float = 0.40
    conventions_share: float = 0.20
    tail_share: float = 0.15
    tail_turns: int = 4
    similarity_weight: float = 0.7
    recency_weight: float = 0.2
    scope_weight: float = 0.1
    session_decay: float = 1e-4
    project_decay: float = 1e-5
    global_decay: float = 2e-6
    authored: str = "AGENTS.md, CLAUDE.md"
    sources: str = "all"
    max_file_mb: int = 64
    allow_links: bool = False
    allow_secrets: bool = False
    capture: str = "off"
    share_server: str = ""
    share_ms: int = 300
    share_sessions: bool = False
    share_push: bool = False
    dir: str = ""
    session: str = ""
