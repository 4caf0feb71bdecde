"""What ``ctx check`` finds in the forms of other programs: lines of GitHub, and SARIF."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from ctx import __version__
from ctx.app.check import Checked
from ctx.app.find import repository
from ctx.checks.rules import Rule
from ctx.checks.types import Finding
from ctx.model import JsonObject
from ctx.text.names import shown, shown_line

_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_DATA = str.maketrans(_ESCAPES)
_PROPERTY = str.maketrans({**_ESCAPES, ":": "%3A", ",": "%2C"})


def _place(root: str, file: str) -> str:
    """Return a file's path from the top of the repository; absolute outside, which GitHub omits."""
    top = os.path.realpath(repository(os.path.dirname(root)))
    path = os.path.realpath(os.path.join(root, os.path.expanduser(file)))
    below = os.path.relpath(path, top).replace(os.sep, "/")
    return path.replace(os.sep, "/") if below.startswith("../") else below


def _text(finding: Finding) -> str:
    return shown_line(f"{finding.message} ({finding.remedy})")


def github(checked: Checked, _rules: Sequence[Rule], root: str) -> Iterator[str]:
    """Yield a command of GitHub Actions for each finding, which it shows at the line."""
    for name, what in checked.bounded:
        yield f"::notice title=ctx check%3A {name}::{what.translate(_DATA)}"
    for finding in checked.findings:
        place = shown(_place(root, finding.file)).translate(_PROPERTY)
        head = f"file={place},line={finding.line},title=ctx check%3A {finding.rule}"
        yield f"::{finding.severity} {head}::{_text(finding).translate(_DATA)}"


def sarif(checked: Checked, rules: Sequence[Rule], root: str) -> Iterator[str]:
    """Yield the lines of a log in SARIF 2.1.0, with one run and one result a finding."""
    names = [rule.name for rule in rules]
    driver: JsonObject = {
        "name": "ctx",
        "version": __version__,
        "rules": [
            {
                "id": rule.name,
                "shortDescription": {"text": rule.help},
                "defaultConfiguration": {"level": rule.severity},
            }
            for rule in rules
        ],
    }
    results: list[JsonObject] = [
        {
            "ruleId": finding.rule,
            "ruleIndex": names.index(finding.rule),
            "level": finding.severity,
            "message": {"text": _text(finding)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": _location(_place(root, finding.file)),
                        "region": {"startLine": max(finding.line, 1)},
                    }
                }
            ],
        }
        for finding in checked.findings
    ]
    run: JsonObject = {"tool": {"driver": driver}, "results": [*results]}
    if checked.bounded:
        notices: list[JsonObject] = [
            {"level": "note", "message": {"text": what}, "associatedRule": {"id": name}}
            for name, what in checked.bounded
        ]
        ended: JsonObject = {"executionSuccessful": True, "toolExecutionNotifications": [*notices]}
        run["invocations"] = [ended]
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    log = {"$schema": f"{schema}sarif-schema-2.1.0.json", "version": "2.1.0", "runs": [run]}
    yield json.dumps(log, indent=1)


def _location(place: str) -> JsonObject:
    uri = quote(place.encode("utf-8", "surrogateescape"))
    if os.path.isabs(place):
        return {"uri": f"file://{'' if uri[:1] == '/' else '/'}{uri}"}
    return {"uri": uri, "uriBaseId": "%SRCROOT%"}


FORMATS: dict[str, Callable[[Checked, Sequence[Rule], str], Iterator[str]]] = {
    "github": github,
    "sarif": sarif,
}
"""By the names that ``ctx check --format`` takes."""
