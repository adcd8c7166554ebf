"""A folder that only one process may use at a time.

The lock is the system's: it ends with the process, however that ends, so a file left behind by one
that was killed holds nobody up. The file says who holds it: process, host, and since when. On file
systems without locks what it says decides.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from aglets.writing.descriptor import naming

__all__ = ["FolderLock"]

#: What a system says of a lock that somebody else holds.
HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class FolderLock:
    """Holds a folder for this process, until it is released or the process ends.

    Parameters
    ----------
    path : path
        The file of the lock, in the folder.
    what : str
        What is locked, for the sentence.

    Raises
    ------
    ValueError
        If another process holds it, or another object of this one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "lock")
    ...     lock = FolderLock(path, "The folder")
    ...     lock.release()
    ...     FolderLock(path, "The folder").release(remove=True)
    ...     path.exists()
    False
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        self._fd: int | None = None
        while self._fd is None:
            with naming(path):
                fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            try:
                self._take(fd, what)
                if self._is_there(fd):
                    self._write(fd)
                    self._fd = fd
            finally:
                if self._fd is None:
                    os.close(fd)

    @property
    def is_held(self) -> bool:
        """Whether it was not released yet."""
        return self._fd is not None

    def release(self, *, remove: bool = False) -> None:
        """Let others have the folder, and remove the file of the lock if asked to."""
        if self._fd is None:
            return
        fd, self._fd = self._fd, None
        # Removed while it is held, so that nobody takes a lock that is about to go; Windows cannot.
        if remove and os.name != "nt":
            with suppress(OSError):
                os.unlink(self.path)
        with suppress(OSError):
            os.close(fd)
        if remove and os.name == "nt":
            with suppress(OSError):
                os.unlink(self.path)

    def _take(self, fd: int, what: str) -> None:
        try:
            _lock(fd)
            return
        except OSError as error:
            owner = _owner(self.path)
            held = error.errno in HELD
        if held or _seems_alive(owner):
            raise ValueError(
                f"{what} is in use by {_described(owner)}; wait for it to end, or name another."
            )

    def _is_there(self, fd: int) -> bool:
        """Whether the file that was locked was not removed, by the one who held it, meanwhile."""
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _write(self, fd: int) -> None:
        now = datetime.now().astimezone().isoformat(" ", "seconds")
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": now}
        with naming(self.path):
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            os.write(fd, json.dumps(owner).encode())


def _lock(fd: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(fd, 2**30, os.SEEK_SET)  # beyond the text, which others may read
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _owner(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        owner = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(owner, dict):
            return owner
    return {}


def _described(owner: dict[str, Any]) -> str:
    if not owner:
        return "another process"
    return f"process {owner.get('pid')} on {owner.get('host')} since {owner.get('since')}"


def _seems_alive(owner: dict[str, Any]) -> bool:
    """Whether the process that a lock names may be running; on another host nobody can know."""
    pid = owner.get("pid")
    if not isinstance(pid, int) or pid == os.getpid():
        return False
    if owner.get("host") != socket.gethostname():
        return True
    if sys.platform == "win32":
        return False  # where asking would end it; locks work there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
