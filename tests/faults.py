"""Let the n-th call to the system fail, for every n: what then happens to the files of a user?

All files are written by `aglets.writing`, which asks the system by the functions of `os` alone, and
read by `open`; so these are replaced. Only calls about files in one folder count.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

ERRORS = {"no space": errno.ENOSPC, "bad disk": errno.EIO, "not allowed": errno.EACCES}
CALLS = ("open", "write", "fsync", "replace", "close", "mkdir", "unlink")


class Fault(NamedTuple):
    """Which call fails, and how: an error, Ctrl-C at this moment, or fewer bytes than asked for."""

    call: str
    n: int
    how: str

    @property
    def is_harmless(self) -> bool:
        """Whether the call does what the system may do at any time."""
        return self.how == "short"


def kinds(call: str) -> list[str]:
    """How a call can fail."""
    short = ["short", "short, then no space"] if call == "write" else []
    return [*ERRORS, "interrupt", *short]


class System:
    """Counts calls about files in a folder, and lets one of them fail."""

    def __init__(self, folder: Path, fault: Fault | None = None) -> None:
        self.folder = os.path.realpath(folder)
        self.fault = fault
        self.counts: Counter[str] = Counter()
        self._files: dict[int, str] = {}
        self._is_full = False

    def is_inside(self, path: object, folder: int | None = None) -> bool:
        if isinstance(path, int):
            return path in self._files
        text = os.fsdecode(path)  # type: ignore[arg-type]
        if folder is not None:
            text = os.path.join(self._files.get(folder, "/"), text)
        return os.path.join(os.path.abspath(text), "").startswith(os.path.join(self.folder, ""))

    def counted(self, call: str) -> str | None:
        """Count a call; return how it is to fail, if it is the one."""
        self.counts[call] += 1
        fault = self.fault
        if self._is_full and call == "write":
            return "no space"
        if fault is None or (fault.call, fault.n) != (call, self.counts[call]):
            return None
        return fault.how

    def fail(self, how: str | None, path: object = None) -> None:
        if how == "interrupt":
            raise KeyboardInterrupt
        if how in ERRORS:
            code = ERRORS[how]
            named = () if path is None or isinstance(path, int) else (os.fspath(path),)  # type: ignore[call-overload]
            raise OSError(code, os.strerror(code), *named)

    @contextmanager
    def installed(self) -> Iterator[System]:
        """Replace the functions of the system while the block runs."""
        with (
            patch.multiple(
                os,
                open=self._open(os.open),
                write=self._write(os.write),
                close=self._close(os.close),
                fsync=self._of_file("fsync", os.fsync),
                mkdir=self._of_path("mkdir", os.mkdir),
                unlink=self._of_path("unlink", os.unlink),
                rmdir=self._of_path("unlink", os.rmdir),
                replace=self._of_path("replace", os.replace),
                rename=self._of_path("replace", os.rename),
            ),
            patch.object(io, "open", self._file_open(io.open)),
            patch.object(builtins, "open", self._file_open(builtins.open)),
        ):
            yield self

    def _open(self, real):
        def opened(path, *args, dir_fd=None, **options):
            inside = self.is_inside(path, dir_fd)
            if inside:
                self.fail(self.counted("open"), path)
            fd = real(path, *args, dir_fd=dir_fd, **options)
            if inside:
                self._files[fd] = os.path.abspath(os.fsdecode(path))
            return fd

        return opened

    def _file_open(self, real):
        def opened(file, *args, **options):
            if self.is_inside(file):
                self.fail(self.counted("open"), file)
            return real(file, *args, **options)

        return opened

    def _write(self, real):
        def written(fd, data):
            how = self.counted("write") if fd in self._files else None
            self.fail(how)
            if how is None:
                return real(fd, data)
            self._is_full = how != "short"
            return real(fd, memoryview(data)[: max(1, len(data) // 2)])

        return written

    def _close(self, real):
        def closed(fd):
            known = self._files.pop(fd, None)
            real(fd)
            if known is not None:
                self.fail(self.counted("close"))

        return closed

    def _of_file(self, call, real):
        def done(fd):
            if fd in self._files:
                self.fail(self.counted(call))
            real(fd)

        return done

    def _of_path(self, call, real):
        def done(path, *args, dir_fd=None, **options):
            if self.is_inside(path, dir_fd):
                self.fail(self.counted(call), path)
            real(path, *args, **({} if dir_fd is None else {"dir_fd": dir_fd}), **options)

        return done


def faults(counts: Counter[str]) -> list[Fault]:
    """Every way in which a run with so many calls can fail."""
    return [
        Fault(call, n, how)
        for call in CALLS
        for n in range(1, counts[call] + 1)
        for how in kinds(call)
    ]
