"""The explanation of a packet: the outcome of every entry, and the reason."""

import json

from ctx.model import JsonObject, Packet, Verdict


def as_json(packet: Packet) -> str:
    """Return a JSON packet with ``entries`` added, which neither budget nor cost counts."""
    rows = (json.dumps(row(verdict), ensure_ascii=False) for verdict in packet.verdicts)
    entries = ",\n".join(rows)
    body = packet.text.rstrip().removesuffix("}").rstrip().removeprefix("{")
    return f'{{{body}{"," if body else ""}\n"entries": [\n{entries}\n]\n}}\n'


def row(verdict: Verdict) -> JsonObject:
    """Return the outcome of one entry as an object of JSON."""
    entry, score = verdict.scored.entry, verdict.scored
    return {
        "id": entry.id,
        "source": f"{entry.source}:{entry.line}",
        "kind": entry.kind,
        "tier": entry.tier,
        "title": entry.title,
        "level": None if verdict.outcome == "out" else verdict.outcome,
        "score": round(score.score, 4),
        "parts": {name: round(value, 4) for name, value in score.parts},
        "tokens": verdict.tokens,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
    }


def as_table(packet: Packet) -> str:
    """Return the explanation as lines of text: outcome, score, tokens, id, reason."""
    lines = [f"{packet.tokens:,} of {packet.request.budget:,} tokens used\n"]
    lines += [
        f"{section.name}: planned {section.budget:,} tokens, used {section.used:,}; "
        f"{len(section.included)} included, {len(section.titles)} title only, "
        f"{section.omitted} omitted\n"
        for section in packet.selection.sections
    ]
    lines.append(f"{'outcome':8}{'score':>8}{'tokens':>8}  entry\n")
    for verdict in packet.verdicts:
        score, entry = verdict.scored, verdict.scored.entry
        parts = " ".join(f"{name}={value:.4g}" for name, value in score.parts)
        lines.append(
            f"{verdict.outcome:8}{score.score:8.3f}{verdict.tokens:8,}  "
            f"{entry.id} ({entry.path}:{entry.line})"
            f"{' ' + parts if parts else ''}: {verdict.reason}\n"
        )
    return "".join(lines)
