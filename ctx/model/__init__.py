"""The records that all packages exchange, and the protocols of what they need from outside."""

TYPE_CHECKING = False  # this package is on the path of hooks: typing is not imported
if TYPE_CHECKING:
    from ctx.model.entries import *
    from ctx.model.protocols import *
    from ctx.model.requests import *
    from ctx.model.selection import *
    from ctx.model.sessions import *
    from ctx.model.settings import *
    from ctx.model.sources import *

__all__ = [
    "ARCHIVED", "BY_AGE", "BY_BENEFIT", "BY_WORTH", "FOREIGN", "KINDS", "LEVELS", "NEVER", "NOBODY",
    "NO_CANDIDATES", "NO_FRONTMATTER", "NO_METRICS", "NO_PLAN", "PLURALS", "SECTIONS", "SHARED",
    "STATUSES", "WEAK", "CacheLossError", "CachedFile", "Candidates", "Clock", "Cluster", "Content",
    "Context", "Counter", "Delivered", "Document", "Draft", "Embedder", "EmbeddingError", "Entry",
    "Fields", "Format", "Found", "Fragment", "Frontmatter", "Host", "Included", "Indexes", "Json",
    "JsonObject", "KVPolicy", "Kind", "Level", "Lexicon", "Library", "Lines", "Loads", "LodMix",
    "Measure", "Memory", "Metrics", "Modality", "Mode", "Moment", "Nearness", "Origin", "Outcome",
    "Packet", "ParseCache", "Part", "Pick", "Plan", "Prompt", "Prospect", "Question", "Ranker",
    "Request", "RerankError", "Reranker", "Revoked", "Scope", "ScopeOf", "Scored", "SearchRequest",
    "SearchResults", "Section", "SectionName", "Selection", "Settings", "Source", "Summariser",
    "Summary", "SummaryError", "Text", "Thread", "Tier", "Turn", "Utterance", "VectorSpace",
    "Vectors", "Verdict", "Writer", "digest_of", "section_of", "session_file",
]  # fmt: skip
_MODULES = ("sessions", "entries", "sources", "selection", "protocols", "settings", "requests")
# The cheapest import is first.

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return what has this name; modules are imported only up to the one that has it."""
        from importlib import import_module

        for module in _MODULES if name in __all__ else ():
            found = import_module(f"ctx.model.{module}")
            if hasattr(found, name):
                globals()[name] = value = getattr(found, name)
                return value
        raise AttributeError(name)
