"""What all tests need, wherever they are."""

from __future__ import annotations

import os
import sys

# Without byte code every command that a test starts compiles the whole library first.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
