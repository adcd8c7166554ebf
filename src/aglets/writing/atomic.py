"""The one writer: a reader sees the old file or the new one, never a part of either.

Data goes to a temporary file of a new name in the same folder, reaches the disk, and takes the
place of the old file by one rename. Permissions of the old file are kept, and a link stays a link:
what it points to is replaced. If anything fails, the old file is as it was and the temporary one is
removed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from aglets.writing.checks import check_target
from aglets.writing.descriptor import naming, opened

__all__ = ["append_bytes", "new_folder", "partial", "replacing", "write_bytes", "write_text"]

PathLike = str | os.PathLike[str]


@contextmanager
def replacing(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file for bytes that takes the place of ``path`` when the block ends without an error.

    Parameters
    ----------
    path : path
        Its folder has to be there. Something that is not a plain file, such as ``/dev/stdout`` or a
        named pipe, is written to directly.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.txt")
    ...     write_text(path, "old")
    ...     try:
    ...         with replacing(path) as file:
    ...             _ = file.write(b"new, but not fin")
    ...             raise RuntimeError("the power is gone")
    ...     except RuntimeError:
    ...         pass
    ...     path.read_text(), len(list(Path(folder).iterdir()))
    ('old', 1)
    """
    old = check_target(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with opened(path, 0, path, durable=False) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    temporary = temporary_name(target)
    try:
        with opened(temporary, os.O_EXCL, path) as file:
            yield file
            _keep_permissions(temporary, old)
        with naming(path):
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


@contextmanager
def partial(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file like `replacing`, but keep what there is, as ``PATH.part``, when the block fails.

    For long streams, whose beginning is worth something.
    """
    old = check_target(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with opened(path, 0, path, durable=False) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    part = part_of(path)
    try:
        with opened(part, os.O_TRUNC, path) as file:
            yield file
            _keep_permissions(part, old)
        with naming(path):
            os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            if not part.stat().st_size:
                os.unlink(part)
        raise


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file, or leave the old one."""
    with replacing(path) as file:
        file.write(data)


def write_text(path: PathLike, text: str) -> None:
    """Write a whole file of UTF-8 text, or leave the old one."""
    write_bytes(path, text.encode("utf-8"))


def append_bytes(path: PathLike, data: bytes) -> None:
    """Append to a file of a folder that `new_folder` is making: only whole folders are seen."""
    with opened(path, os.O_APPEND, path, durable=False) as file:
        file.write(data)


@contextmanager
def new_folder(path: PathLike) -> Iterator[Path]:
    """Make a folder whose files appear together, when the block ends without an error.

    Parameters
    ----------
    path : path
        A new folder, or an empty one.

    Yields
    ------
    pathlib.Path
        Where to write the files; it becomes ``path``.
    """
    target = Path(os.path.realpath(path))
    check_target(target, folder=True)
    temporary = temporary_name(target)
    try:
        with _inside(temporary, target):
            os.mkdir(temporary)
            yield temporary
            if os.name == "nt" and target.exists():  # only elsewhere a rename replaces it
                os.rmdir(target)
            os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def temporary_name(target: Path) -> Path:
    """Return a name in the same folder that nobody has, not even this process before."""
    return target.with_name(f".{target.name[:40]}-{secrets.token_hex(8)}.tmp")


def part_of(path: PathLike) -> Path:
    """Return the name of what there is of a file so far; a link is followed."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.part")


def _keep_permissions(temporary: Path, old: os.stat_result | None) -> None:
    if old is not None:
        with suppress(OSError):  # some file systems have none
            os.chmod(temporary, stat.S_IMODE(old.st_mode))


@contextmanager
def _inside(temporary: Path, target: Path) -> Iterator[None]:
    """Let errors about files in a temporary folder name those that are to be."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is None:
            raise
        try:
            named = target / Path(error.filename).relative_to(temporary)
        except ValueError:
            raise error from None
        raise OSError(error.errno, error.strerror, str(named)) from error
