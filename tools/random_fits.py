"""Hold random fits against slow code: ``random_fits.py [COUNT] [SEED]`` prints what differs.

A run of a thousand or more is recorded in docs/develop/quality.md.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from quality_page import origin, write_part
from random_fits import compare, draw

#: Shorter runs are not worth a record.
RECORDED = 1000


def main() -> int:
    """Compare so many fits, from this seed on."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    made_on, start, wrong = origin(), time.monotonic(), 0
    print(f"seeds {first} to {first + count - 1}")
    for seed in range(first, first + count):
        case = draw(seed)
        differences = compare(case)
        if differences:
            wrong += 1
            print(f"seed {seed}: {case.options}")
            print("\n".join(f"  {text[:300]}" for text in differences), flush=True)
        if (seed - first + 1) % 100 == 0:
            print(f"{seed - first + 1} fits, {wrong} with differences", flush=True)
    seconds = time.monotonic() - start
    print(f"{count} fits, {wrong} with differences, {seconds:.0f} s")
    if count >= RECORDED:
        text = (
            f"Seeds {first} to {first + count - 1}: {count} fits, {wrong} with differences, "
            f"{seconds:.0f} s ({made_on})."
        )
        write_part("random_fits.py", text)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
