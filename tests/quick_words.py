"""Commands as pages and examples show them, made quick."""

from __future__ import annotations

import shlex


def quick_words(line: str) -> list[str]:
    """Return the words after "aglets", with less to compute where the result is alike.

    The acids are smaller than the demo molecules, a path may have fewer steps, and rounds of
    stability are like each other.
    """
    command, *words = shlex.split(line)[1:]
    words = ["acids" if word == "demo" else word for word in words]
    if "--stability" in words:
        words[words.index("--stability") + 1] = "3"
    if command == "fit" and "--n-lambdas" not in words:
        words += ["--n-lambdas", "20"]
    return [command, *words]
