from __future__ import annotations

import json
import subprocess
import sys

import pytest

from aglets import GraphSet
from aglets.cli import main


@pytest.fixture
def duo(tmp_path):
    """Two graphs: a path A-B-A whose edges have two labels, and a lone A and an edge A-B."""
    parts = {
        "A": "1, 2\n2, 3\n5, 6\n",
        "edge_labels": "0\n1\n0\n",
        "graph_indicator": "1\n1\n1\n2\n2\n2\n",
        "graph_labels": "1\n-1\n",
        "node_labels": "0\n1\n0\n0\n0\n1\n",
    }
    folder = tmp_path / "DUO"
    folder.mkdir()
    for part, text in parts.items():
        (folder / f"DUO_{part}.txt").write_text(text)
    return folder


def test_count_prints_a_table_and_the_total(duo, capsys):
    assert main(["count", str(duo), "--maxpat", "3"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == ["nodes", "patterns"]
    assert lines[-4:] == [
        ["1", "2"],
        ["2", "1"],
        ["3", "1"],
        ["4", "patterns", "of", "up", "to", "3", "nodes", "in", "2", "graphs"],
    ]


def test_a_count_that_ran_out_of_time_says_so(tmp_path, capsys):
    n = 30
    edges = [(u, v) for u in range(n) for v in range(u + 1, n)]
    dense = tmp_path / "dense.json"
    GraphSet.from_lists(labels=[["C"] * n], edges=[edges]).to_json(dense)
    assert main(["count", str(dense), "--maxpat", "10", "--time-limit", "0.2"]) == 0
    assert "The time is over: at least" in capsys.readouterr().out


def test_count_as_json(duo, capsys):
    assert main(["count", str(duo), "--maxpat", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "total": 3,
        "complete": True,
        "by_nodes": {"1": 2, "2": 1},
        "by_nodes_edges": [
            {"nodes": 1, "edges": 0, "patterns": 2},
            {"nodes": 2, "edges": 1, "patterns": 1},
        ],
    }


def test_count_distinguishes_edges_by_label_when_asked(duo, capsys):
    assert main(["count", str(duo), "--maxpat", "2", "--edge-labels", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 4


def test_count_keeps_one_component_when_asked(duo, capsys):
    (duo / "DUO_graph_indicator.txt").write_text("2\n2\n2\n1\n1\n1\n")
    (duo / "DUO_A.txt").write_text("5, 6\n")
    (duo / "DUO_edge_labels.txt").unlink()
    totals = []
    for options in ([], ["--component", "first"], ["--component", "largest"]):
        assert main(["count", str(duo), "--maxpat", "2", "--json", *options]) == 0
        totals.append(json.loads(capsys.readouterr().out)["total"])
    assert totals == [3, 1, 3]


def test_the_number_of_jobs_does_not_change_the_count(duo, capsys):
    outputs = []
    for jobs in ("1", "2"):
        assert main(["count", str(duo), "--maxpat", "3", "--json", "--jobs", jobs]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_names_come_from_the_data_folder(duo, capsys, monkeypatch):
    monkeypatch.setenv("AGLETS_DATA", str(duo.parent))
    assert main(["count", "DUO", "--maxpat", "1", "--json"]) == 0


def test_warnings_are_short_notes(duo, capsys):
    (duo / "DUO_A.txt").write_text("1, 2\n2, 3\n6, 6\n")
    assert main(["count", str(duo), "--maxpat", "1", "--no-edge-labels", "--json"]) == 0
    assert capsys.readouterr().err == (
        "Note: Dropped 1 self-loops in 1 graphs: subgraph patterns have none.\n"
    )


def test_an_error_is_one_sentence_and_exit_code_one(duo, capsys):
    (duo / "DUO_A.txt").unlink()
    assert main(["count", str(duo), "--maxpat", "3"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("Expected a file DUO_A.txt in ")


def test_maxpat_below_one_is_an_error_sentence(duo, capsys):
    assert main(["count", str(duo), "--maxpat", "0"]) == 1
    assert "maxpat" in capsys.readouterr().err


@pytest.mark.parametrize("place", [0, 1, 4])
def test_debug_shows_the_traceback(duo, place):
    (duo / "DUO_A.txt").unlink()
    words = ["count", str(duo), "--maxpat", "3"]
    words.insert(place, "--debug")
    with pytest.raises(ValueError, match="Expected a file DUO_A.txt"):
        main(words)


def test_a_missing_option_is_a_usage_error(duo, capsys):
    assert main(["count", str(duo)]) == 2
    assert "--maxpat" in capsys.readouterr().err


def test_help_names_the_commands(capsys):
    assert main(["--help"]) == 0
    assert "count" in capsys.readouterr().out


def test_the_installed_command_runs():
    done = subprocess.run(
        [sys.executable, "-c", "from aglets.cli import main; raise SystemExit(main(['--help']))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "count" in done.stdout


@pytest.mark.data
@pytest.mark.parametrize(
    ("words", "total"),
    [
        (["BZR"], 148903),
        (["COX2"], 101185),
        (["DHFR"], 137872),
        (["AIDS"], 135911),
        (["AIDS", "--component", "first"], 134281),
    ],
)
def test_counts_are_those_of_table_2(data_folder, capsys, words, total):
    assert main(["count", *words, "--maxpat", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == total


@pytest.mark.data
def test_counts_of_bzr_by_number_of_nodes(data_folder, capsys):
    assert main(["count", "BZR", "--maxpat", "10", "--json"]) == 0
    by_nodes = json.loads(capsys.readouterr().out)["by_nodes"]
    assert list(by_nodes.values()) == [10, 18, 48, 135, 398, 1234, 3838, 11622, 34076, 97524]


LOADING = """
import builtins, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from aglets.cli import main
real = builtins.__import__
def interrupted(name, *rest, **options):
    if name == sys.argv[1]:
        builtins.__import__ = real
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest, **options)
builtins.__import__ = interrupted
raise SystemExit(main(["fit", "acids", "-o", sys.argv[2]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("module", ["rich.console", "typer", "numpy", "aglets.training.checkpoint"])
def test_ctrl_c_while_libraries_are_loaded_shows_no_traceback(module, tmp_path):
    words = [sys.executable, "-c", LOADING, module, str(tmp_path / "m.aglets")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
