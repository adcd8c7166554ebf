"""Run a fuzzer and keep what it says of itself; write the table of docs/develop/quality.md.

``fuzz_table.py TARGET COMMAND...`` runs the command, shows its output, and keeps executions,
seconds and coverage in build/fuzz/runs.json. Without arguments it writes the table from there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from quality_page import ROOT, origin, write_part

RUNS = ROOT / "build" / "fuzz" / "runs.json"
#: What libFuzzer and the driver of the core print at their end.
EXECUTIONS = re.compile(r"^(?:Done )?(\d+) (?:runs|cases) in (\d+) second", re.MULTILINE)
EDGES = re.compile(r"\bcov: (\d+)")
#: The last line of tools/coverage_cpp.py.
LINES = re.compile(r"^all +\d+ lines +([\d.]+ %)", re.MULTILINE)


def main(words: list[str]) -> int:
    """Run one fuzzer, or write the table."""
    runs = json.loads(RUNS.read_text()) if RUNS.exists() else {}
    if not words:
        write_part("fuzz_table.py", table(runs))
        return 0
    made_on = origin(ROOT / "src", ROOT / "cpp", ROOT / "bindings")
    code, said = run(words[1:])
    runs[words[0]] = {
        "found": int(code != 0),
        "origin": made_on,
        **numbers(said),
    }
    RUNS.parent.mkdir(parents=True, exist_ok=True)
    RUNS.write_text(json.dumps(runs, indent=1) + "\n")
    return code


def run(command: list[str]) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed, which is shown as it comes."""
    said = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            said.append(line)
    return process.returncode, "".join(said)


def numbers(said: str) -> dict[str, str]:
    """Find executions and coverage in what a fuzzer printed."""
    found = {}
    if count := EXECUTIONS.search(said):
        found["executions"], found["seconds"] = count[1], count[2]
    if edges := EDGES.findall(said):
        found["coverage"] = f"{edges[-1]} edges"
    if lines := LINES.search(said):
        found["coverage"] = f"{lines[1]} of lines"
    return found


def table(runs: dict[str, dict]) -> str:
    """Show the runs in Markdown; how much of the core its cases reach was measured aside."""
    shown = {name: dict(one) for name, one in runs.items() if name != "core-coverage"}
    if "core" in shown and "core-coverage" in runs:
        shown["core"]["coverage"] = runs["core-coverage"].get("coverage", "")
    rows = [
        f"| `{name}` | {one.get('seconds', 0)} | {int(one.get('executions', 0)):,} "
        f"| {one.get('coverage', '')} | {one['found']} |"
        for name, one in sorted(shown.items())
    ]
    whole = sum(int(one.get("seconds", 0)) for one in shown.values())
    return "\n".join(
        [
            f"{len(shown)} targets, {whole / 60:.0f} minutes in all, "
            f"{sum(one['found'] for one in shown.values())} findings "
            f"({'; '.join(sorted({one['origin'] for one in shown.values()}))}). Coverage is edges "
            "of Python as atheris counts them, and lines of `cpp/aglets` for the core.",
            "",
            "| target | seconds | executions | coverage | findings |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
