"""The one writer of files: the old file or the new one, with its permissions and its links."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aglets import GraphSet, datasets
from aglets.cli import main
from aglets.writing import FolderLock

QUICK = ["--rho", "0.1", "--maxpat", "2", "--n-lambdas", "3", "--starts", "1", "-q"]
COMMANDS = {
    "fit": ["fit", "acids", *QUICK, "-o", "out.aglets"],
    "predict": ["predict", "m.aglets", "g.json", "-q", "--explain", "-o", "out.csv"],
    "report": ["report", "m.aglets", "g.json", "-o", "out.html"],
    "convert": ["data", "convert", "g.json", "out.gspan"],
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="of POSIX systems")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    assert main(["fit", "acids", "-o", str(folder / "m.aglets"), *QUICK]) == 0
    assert main(["data", "convert", "acids", str(folder / "g.json")]) == 0
    return folder


@pytest.fixture
def folder(tmp_path, inputs, monkeypatch):
    for path in inputs.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@posix
@pytest.mark.parametrize("name", COMMANDS)
def test_permissions_of_a_replaced_file_are_kept(folder, name):
    output = folder / COMMANDS[name][-1]
    output.write_text("old")
    output.chmod(0o640)
    assert main(COMMANDS[name]) == 0
    assert stat.S_IMODE(output.stat().st_mode) == 0o640
    assert output.read_bytes() != b"old"


@posix
@pytest.mark.parametrize("name", COMMANDS)
def test_a_new_file_has_the_usual_permissions(folder, name):
    before = os.umask(0o027)
    try:
        assert main(COMMANDS[name]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / COMMANDS[name][-1]).stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("name", COMMANDS)
def test_a_link_stays_a_link(folder, name):
    output = folder / COMMANDS[name][-1]
    (folder / "shelf").mkdir()
    (folder / "shelf" / "real").write_text("old")
    output.symlink_to(Path("shelf", "real"))
    assert main(COMMANDS[name]) == 0
    assert output.is_symlink()
    assert len((folder / "shelf" / "real").read_bytes()) > 100
    assert names(folder / "shelf") == {"real"}


@posix
@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_outgrows_the_disk_leaves_the_old_one(folder, name, capsys):
    import resource

    output = folder / COMMANDS[name][-1]
    output.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        assert main(COMMANDS[name]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    said = capsys.readouterr().err
    assert said == f"File too large: {output.name}.\n" or (
        name == "fit" and "of the checkpoint" in said and said.count("\n") == 1
    )
    assert output.read_text() == "old"


def test_a_part_left_by_the_same_process_does_not_matter(folder):
    (folder / f".out.aglets.{os.getpid()}.part").write_text("stale")
    assert main(COMMANDS["fit"]) == 0
    assert (folder / "out.aglets").is_file()


@posix
def test_a_pipe_is_written_to_as_it_is(folder):
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    assert main(["predict", "m.aglets", "g.json", "-q", "--to", "csv", "-o", "pipe"]) == 0
    reader.join()
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert main([*COMMANDS["predict"][:-3], "-o", "out.csv"]) == 0
    assert read == [Path("out.csv").read_bytes()]


def test_a_stream_that_fails_keeps_its_part(folder, capsys, monkeypatch):
    from aglets.cli import predict

    monkeypatch.setattr(predict, "BATCH", 100)
    whole = predict._predictions

    def failing(model, graphs, explain):
        if failing.left == 0:
            raise KeyboardInterrupt
        failing.left -= 1
        return whole(model, graphs, explain)

    failing.left = 2
    monkeypatch.setattr(predict, "_predictions", failing)
    (folder / "out.csv").write_text("old")
    assert main(COMMANDS["predict"]) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert (folder / "out.csv").read_text() == "old"
    assert len((folder / "out.csv.part").read_text().splitlines()) == 1 + 200
    failing.left = 1000
    assert main(COMMANDS["predict"]) == 0
    assert names(folder) == {"m.aglets", "g.json", "out.csv"}


def test_a_data_set_appears_whole(tmp_path, monkeypatch):
    graphs = GraphSet.from_lists(labels=["CO"], edges=[[(0, 1)]])
    seen = []
    real = os.replace

    def looking(source, target):
        seen.append((tmp_path / "D").exists())
        real(source, target)

    monkeypatch.setattr("os.replace", looking)
    graphs.to_tu(tmp_path / "D", y=[1])
    assert len(seen) > 3
    assert not any(seen)
    assert datasets.load_tu(tmp_path / "D")[0] == graphs
    with pytest.raises(FileExistsError, match="Expected a new or an empty folder, but .* holds D_"):
        graphs.to_tu(tmp_path / "D", y=[1])
    with pytest.raises(FileNotFoundError, match="there is no .*no; make it first"):
        graphs.to_tu(tmp_path / "no" / "D", y=[1])


@posix
@pytest.mark.parametrize("owner", ["alive", "on another machine", "gone", "unknown"])
def test_where_nothing_can_be_locked_the_owner_who_may_live_is_asked(tmp_path, monkeypatch, owner):
    def no_locks(fd: int) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr("aglets.writing.lock._lock", no_locks)
    with subprocess.Popen([sys.executable, "-c", "pass"]) as ended:
        ended.wait()
    here = socket.gethostname()
    of = {
        "alive": {"pid": os.getppid(), "host": here},
        "on another machine": {"pid": os.getppid(), "host": here + "-2"},
        "gone": {"pid": ended.pid, "host": here},
        "unknown": ["no owner"],
    }[owner]
    path = tmp_path / "a.lock"
    path.write_text(json.dumps(of))
    if owner in ("gone", "unknown"):
        FolderLock(path, "The folder").release(remove=True)
        assert not path.exists()
        return
    with pytest.raises(ValueError, match="The folder is in use by process"):
        FolderLock(path, "The folder")
    assert json.loads(path.read_text()) == of
