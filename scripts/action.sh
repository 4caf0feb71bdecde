#!/usr/bin/env bash
# The step of action.yml: annotations, SARIF and the budget report. Ends with 1 where something was
# found, unless CTX_ACTION_FAIL is false, and with the code of ctx where it could not look.
set -u
ctx() { "${CTX_ACTION_PROGRAM:?}" "$@"; }
folder=${RUNNER_TEMP:?}/ctx-check
mkdir -p "$folder"
where=()
[ -z "${CTX_ACTION_DIRECTORY:-}" ] || where=(--dir "$CTX_ACTION_DIRECTORY")
check=(check ${where[@]+"${where[@]}"} --severity "${CTX_ACTION_SEVERITY:-warning}")

code=0
ctx "${check[@]}" --format github || code=$?
[ "$code" -le 1 ] || exit "$code"
ctx "${check[@]}" --format sarif > "$folder/ctx.sarif" 2>/dev/null || [ $? -eq 1 ] || exit 3
for tool in ${CTX_ACTION_EXPORT:-}; do
  said=$(ctx export "$tool" --check ${where[@]+"${where[@]}"} 2>&1)
  case $? in
    0) echo "$said" ;;
    1) echo "::error title=ctx export::${said//$'\n'/%0A}"; code=1 ;;
    *) echo "$said" >&2; exit 2 ;;
  esac
done
ctx status ${where[@]+"${where[@]}"} --format md > "$folder/report.md" || exit $?
cat "$folder/report.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
{
  echo "findings=$([ "$code" -eq 0 ] && echo false || echo true)"
  echo "sarif=$folder/ctx.sarif"
  echo "report=$folder/report.md"
} >> "${GITHUB_OUTPUT:?}"
[ "${CTX_ACTION_FAIL:-true}" = false ] || exit "$code"
