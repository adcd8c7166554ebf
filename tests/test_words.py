"""One word per thing: the check finds what it is for, and finds nothing in the tree."""

from __future__ import annotations

import check_words
import pytest


@pytest.mark.parametrize(
    "text",
    [
        "90 % of the classes are told rightly",
        "which graphlets tell the classes apart",
        "fitted anew",
        "'C1CC' is no valid SMILES",
        "15 nodes a graph",
        "a page to hand on",
        "what it is owed to",
        "the weightiest graphlet",
        "the least cost",
        "Most seconds for one count",
        "it speaks for the class",
        "covariates beside the graphlets",
        "fitted\n    # anew",
        "def least_cost():",
        "known = model.input_spec",
    ],
)
def test_a_phrase_is_found(text):
    assert check_words.phrases_in(text)


@pytest.mark.parametrize(
    "text",
    ["at least one", "There is no file", "it is no longer there", "at most 5 nodes", "besides"],
)
def test_plain_english_is_left_alone(text):
    assert not check_words.phrases_in(text)


def test_a_phrase_is_found_in_its_line():
    [found] = check_words.phrases_in("one\ntwo\nfitted anew\n", "page.md")
    assert str(found) == "page.md:3: 'anew'; write again, repeatedly"


def test_old_names_are_found():
    text = "class Frame:\n    def bring(self, Watch): ...\n\nx.prepared(1)\nprepared = 2\n"
    found = {(one.line, one.text) for one in check_words.names_in(text, "src/a.py")}
    assert found == {(1, "Frame"), (2, "bring"), (2, "Watch"), (4, "prepared")}
    assert check_words.names_in("void hang_on();", "cpp/a.hpp")[0].instead == "root_at"
    assert not check_words.names_in("// hang_on was here", "cpp/a.hpp")


def test_the_tree_has_one_word_per_thing():
    found = [str(one) for one in check_words.findings()]
    assert not found, "\n".join(found)
