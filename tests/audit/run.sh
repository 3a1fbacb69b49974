#!/bin/sh
# Looks up known vulnerabilities of everything installed in the environment. Says so, and exits with 2, where the
# advisories cannot be reached: an audit that saw nothing must not pass for one that found nothing.
set -u
environment=${1:-.venv}
own=${AUDIT_VENV:-.venv-audit}
python=${PYTHON:-python3}

if ! [ -x "$own/bin/pip-audit" ]; then
    echo "Installing pip-audit into $own ..."
    if ! { "$python" -m venv "$own" && "$own/bin/python" -m pip --disable-pip-version-check --quiet install pip-audit; }; then
        echo "pip-audit could not be installed, so nothing was looked up." >&2
        exit 2
    fi
fi
found=$(mktemp) && said=$(mktemp)
trap 'rm -f "$found" "$said"' EXIT
packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || exit 2
"$own/bin/pip-audit" --path "$packages" --skip-editable --progress-spinner off --timeout "${AUDIT_TIMEOUT:-15}" \
    --format json --output "$found" 2>"$said"
"$own/bin/python" - "$found" "$said" <<'PYTHON'
import json
import sys
from pathlib import Path

found, said = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
try:
    entries = [entry for entry in json.loads(found)["dependencies"] if entry["name"] != "lanner"]
except (ValueError, KeyError):
    entries = []
looked_up = [entry for entry in entries if "vulns" in entry]
skipped = [entry for entry in entries if "vulns" not in entry]
if not looked_up:
    reasons = [entry.get("skip_reason", "") for entry in skipped] or said.splitlines()
    reason = next((line.strip() for line in reversed(reasons) if line.strip()), "no reason was given")
    print(f"NOT AUDITED: the advisories cannot be reached from here ({reason[:200]}).", file=sys.stderr)
    print("Run `make audit` where there is a network, before every release.", file=sys.stderr)
    sys.exit(2)
known = [(entry, problem) for entry in looked_up for problem in entry["vulns"]]
for entry, problem in known:
    fixed = ", ".join(problem.get("fix_versions") or ["none yet"])
    print(f"{entry['name']} {entry['version']}: {problem['id']}, fixed in {fixed}")
for entry in skipped:
    print(f"{entry['name']}: not looked up ({entry.get('skip_reason', '')})", file=sys.stderr)
print(f"{len(looked_up)} packages looked up, {len(skipped)} not, {len(known)} known vulnerabilities.")
sys.exit(1 if known else 2 if skipped else 0)
PYTHON
