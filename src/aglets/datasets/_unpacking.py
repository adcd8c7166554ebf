"""Unpack an archive from the network: whole and within limits, or not at all.

Sizes are bounded by what the archive declares before a byte is unpacked, and no more than that is
ever written. Files go to a folder aside, which takes its name only when all of them are there and
in order: whoever looks under that name sees the whole or nothing.
"""

from __future__ import annotations

import errno
import re
import shutil
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from aglets.writing import replacing

__all__ = ["unpack"]

MAX_MEMBERS = 1000
MAX_BYTES = 2**31
#: Text of numbers shrinks ten times; whole files of one repeated line, which occur, a thousand
#: times. So the ratio is judged over all files, and only where it could fill a memory.
MAX_RATIO = 200
RATIO_COUNTS_FROM = 2**26

#: What a damaged or forged zip can raise inside the standard library.
ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    UnicodeDecodeError,
)


def unpack(packed: Path, name: str, folder: Path) -> None:
    """Make a folder of the text files NAME_....txt of a zip; a ValueError says why it cannot be.

    Parameters
    ----------
    packed : Path
        The archive. The folder is first made next to it, so it must lie on the same disk.
    name : str
        Of the data set.
    folder : Path
        Where the files shall be. If somebody else has put it there in the meantime, it stays.
    """
    aside = packed.with_name("unpacked")
    aside.mkdir()
    try:
        with zipfile.ZipFile(packed) as archive:
            for file_name, member in _members(archive, packed, name).items():
                with archive.open(member) as source, replacing(aside / file_name) as target:
                    shutil.copyfileobj(source, target)  # ends with a check of the checksum
    except (*ZIP_FAULTS, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # not of the archive, which at most names places that cannot be: a full disk
        raise ValueError("the archive is damaged or cut short") from error
    try:
        aside.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _members(archive: zipfile.ZipFile, packed: Path, name: str) -> dict[str, zipfile.ZipInfo]:
    """Choose what to unpack by the names of the files, wherever they lie in the archive."""
    entries = archive.infolist()
    if len(entries) > MAX_MEMBERS:
        raise ValueError(f"the archive holds {len(entries)} files, more than {MAX_MEMBERS}")
    members: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        file_name = PurePosixPath(entry.filename).name
        if re.fullmatch(rf"{re.escape(name)}_\w+\.txt", file_name):
            if file_name in members:
                raise ValueError(f"the archive holds {file_name} twice")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{file_name} is packed in a way that is not common for zip")
            members[file_name] = entry
    _check_sizes(sum(entry.file_size for entry in members.values()), packed.stat().st_size)
    for part in ("A", "graph_indicator"):
        if f"{name}_{part}.txt" not in members:
            raise ValueError(f"there is no {name}_{part}.txt in the archive")
    if not {f"{name}_graph_labels.txt", f"{name}_graph_attributes.txt"} & set(members):
        raise ValueError(
            f"there is neither {name}_graph_labels.txt nor {name}_graph_attributes.txt in the "
            "archive"
        )
    return members


def _check_sizes(unpacked: int, packed: int) -> None:
    if unpacked > MAX_BYTES:
        raise ValueError(f"the archive unpacks to {unpacked} bytes, more than {MAX_BYTES}")
    if unpacked > RATIO_COUNTS_FROM and unpacked > MAX_RATIO * packed:
        raise ValueError(
            f"the archive of {packed} bytes unpacks to {unpacked}, more than {MAX_RATIO} times as "
            "many"
        )
