"""Labels may hold anything; a terminal is never sent what it would obey."""

from __future__ import annotations

import io
import unicodedata

import pytest

from aglets import GraphSet, LagraClassifier
from aglets.cli import main
from aglets.cli.tables import _CsvWriter
from aglets.drawing.text import visible

EVIL = "C\x1b[31m\x1b]0;owned\x07"
OTHER = "O\r\x9b2J\u202e"
CLASSES = ("no\x1b[2J", "yes\x08\x08\x7f")


def steers(text: str) -> list[str]:
    """The characters that a terminal would obey, line ends apart."""
    kinds = ("Cc", "Cf", "Zl", "Zp")
    return [c for c in text if c != "\n" and unicodedata.category(c) in kinds]


@pytest.fixture(scope="module")
def graphs():
    labels = [[EVIL, OTHER, "N"], [EVIL, "N", "N"]] * 10
    return GraphSet.from_lists(
        labels=labels,
        edges=[[(0, 1), (1, 2)]] * 20,
        edge_labels=[["\x1b[1m", "-"]] * 20,
        attributes=[[[1.0], [2.0], [3.0]], [[1.0], [2.5], [3.5]]] * 10,
        attribute_names=["a\x1b[5m"],
    )


@pytest.fixture(scope="module")
def model(graphs):
    options = {"covariates": "size", "covariate_penalty": 1.0}
    return LagraClassifier(maxpat=2, n_lambdas=5, **options).fit(graphs, CLASSES * 10)


def test_every_character_that_steers_becomes_an_escape():
    every = "".join(map(chr, [*range(0x300), *range(0x2000, 0x2100), 0xD800]))
    assert steers(visible(every)) == []
    assert visible(every.replace("\ud800", "")).encode()
    assert visible("Größe ☃ 😀") == "Größe ☃ 😀"
    assert visible("a\nb", keep="\n") == "a\nb"


def test_explanations_and_names_hold_no_control_characters(graphs, model):
    y = CLASSES * 10
    texts = [str(model.explain_global(graphs, y)), str(model.explain(graphs[0]))]
    texts += [repr(model.explain(graphs[0])), str(graphs.describe(y)), repr(graphs.describe(y))]
    texts += [graphlet.name for graphlet in model.graphlets_]
    assert "\\x1b[31m" in texts[0]
    for text in texts:
        assert steers(text) == []


def test_commands_print_no_control_characters(graphs, model, tmp_path, capsys):
    path, data = str(tmp_path / "evil\x1b[1m.aglets"), str(tmp_path / "evil.json")
    model.save(path)
    graphs.to_json(data, y=CLASSES * 10)
    for words in (
        ["show", path],
        ["explain", path, data],
        ["data", "info", data, "--target", "y"],
        ["frequent", data, "--maxpat", "2", "--min-support", "1"],
        ["fit", data, "--target", "y", "-o", path, "--n-lambdas", "3", "--maxpat", "2"],
        ["predict", path, data, "-o", str(tmp_path / "\x1b[1m.csv")],
        ["show", str(tmp_path / "none\x1b[1m.aglets")],
        ["explain", path, data, "--row", "99"],
        ["fit", data, "--target", "\x1b[1m"],
    ):
        main(words)
        printed = capsys.readouterr()
        assert printed.out + printed.err
        assert steers(printed.out + printed.err) == [], words


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_predictions_on_a_terminal_are_escaped_and_in_a_file_kept():
    for file, expected in ((Screen(), "\\x1b[2J"), (io.StringIO(), "\x1b[2J")):
        _CsvWriter(file, {"prediction": str}).write([{"prediction": "\x1b[2J"}])
        assert file.getvalue() == f"prediction\n{expected}\n"


def test_no_part_of_a_name_is_drawn_as_a_picture(tmp_path, capsys):
    # ":o:" is aromatic oxygen between two bonds, and a picture to whoever writes chats.
    graphs = GraphSet.from_lists(labels=[[":o:", "C"], ["C", "C"]] * 10, edges=[[(0, 1)]] * 20)
    model, data = str(tmp_path / "furan.aglets"), str(tmp_path / "furan.json")
    LagraClassifier(maxpat=1, n_lambdas=5).fit(graphs, ["yes", "no"] * 10).save(model)
    graphs.to_json(data)
    for words in (
        ["show", model],
        ["explain", model, data],
        ["data", "info", data],
        ["frequent", data, "--maxpat", "1", "--min-support", "1"],
    ):
        assert main(words) == 0
        assert ":o:" in capsys.readouterr().out, words
