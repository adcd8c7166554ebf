"""A file that is being written, whose errors name the file that is to be."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["Descriptor", "naming", "opened"]


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system name ``path``, rather than a temporary file or nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise  # it is a sentence already
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


class Descriptor(io.RawIOBase):
    """An open file that is written to.

    Parameters
    ----------
    fd : int
        The open file.
    named : path
        What errors name.
    """

    def __init__(self, fd: int, named: str | os.PathLike[str]) -> None:
        super().__init__()
        self._fd, self._named = fd, named
        self._abandoned = False

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    def seekable(self) -> bool:
        """Whether it is a file rather than a pipe."""
        try:
            os.lseek(self._fd, 0, os.SEEK_CUR)
        except OSError:
            return False
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place in the file."""
        with naming(self._named):
            return os.lseek(self._fd, offset, whence)

    def fileno(self) -> int:
        """Return the number the system knows it by."""
        return self._fd

    def write(self, data: Any) -> int:
        """Write some of the data, and return how much of it."""
        if self._abandoned:
            return memoryview(data).nbytes
        with naming(self._named):
            return os.write(self._fd, data)

    def abandon(self) -> None:
        """Take no further data: buffers on top can then be closed although the disk is full."""
        self._abandoned = True

    def close(self) -> None:
        """Close the file; the system says at times only now that it could not be written."""
        if self.closed:
            return
        try:
            with naming(self._named):
                os.close(self._fd)
        finally:
            super().close()


@contextmanager
def opened(
    path: str | os.PathLike[str], flags: int, named: str | os.PathLike[str], *, durable: bool = True
) -> Iterator[io.BufferedWriter[Descriptor]]:
    """Open ``path``, and close it well: all is written, or there is an error that says why not."""
    with naming(named):
        # Not inherited by what is started, and bytes stay as they are on every system.
        fd = os.open(path, flags | os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    raw = Descriptor(fd, named)
    file = io.BufferedWriter(raw)
    try:
        yield file
        file.flush()
        if durable:
            with naming(named):
                os.fsync(fd)
    except BaseException:
        # What the buffer still holds is saved if that is possible; the first error is reported.
        with suppress(OSError, ValueError):
            file.flush()
        raw.abandon()
        with suppress(OSError):
            file.close()
        raise
    file.close()
