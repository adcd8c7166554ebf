"""Files are written here and nowhere else: whole or not at all, with errors that name the file."""

from __future__ import annotations

from aglets.writing.atomic import (
    append_bytes,
    new_folder,
    part_of,
    partial,
    replacing,
    write_bytes,
    write_text,
)
from aglets.writing.checks import check_target
from aglets.writing.descriptor import naming
from aglets.writing.lock import FolderLock

__all__ = [
    "FolderLock",
    "append_bytes",
    "check_target",
    "naming",
    "new_folder",
    "part_of",
    "partial",
    "replacing",
    "write_bytes",
    "write_text",
]
