"""PyTorch Geometric data; the rest of the suite does without that library."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
Data = pytest.importorskip("torch_geometric.data").Data

import numpy as np  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from named_graphs import named_graph_sets  # noqa: E402

from aglets import GraphSet  # noqa: E402
from aglets.graphs import as_graph_set  # noqa: E402


@settings(max_examples=40)
@given(named_graph_sets(labels=({}, {"C": 6, "N": 7, "O": 8})))
def test_pyg_keeps_everything(graphs):
    written = graphs.to_pyg(dtype="float64")
    n_labels, n_edge_labels = len(graphs.vocabulary), len(graphs.edge_vocabulary or ())
    labelled = graphs.edge_labels is not None
    read = GraphSet.from_pyg(
        written,
        label_slice=slice(0, n_labels),
        attr_slice=slice(n_labels, None) if graphs.n_attributes else None,
        label_values=graphs.vocabulary,
        edge_label_slice=slice(0, n_edge_labels) if labelled else None,
        edge_attr_slice=slice(n_edge_labels, None) if graphs.n_edge_attributes else None,
        edge_label_values=graphs.edge_vocabulary,
        attribute_names=graphs.attribute_names,
        edge_attribute_names=graphs.edge_attribute_names,
    )
    assert read == graphs


@pytest.fixture
def water() -> Data:
    """O-H, H: one-hot labels in columns 1 and 2, a charge in column 0, z next to them."""
    return Data(
        x=torch.tensor([[-0.8, 0, 1], [0.4, 1, 0], [0.4, 1, 0]]),
        edge_index=torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]]),
        z=torch.tensor([8, 1, 1]),
        y=torch.tensor([1]),
    )


def test_columns_are_read_as_named(water):
    graphs = GraphSet.from_pyg(
        [water],
        label_slice=[1, 2],
        label_values="HO",
        attr_slice=[0],
        attribute_names=["charge"],
    )
    assert graphs[0].labels == ["O", "H", "H"]
    assert np.allclose(graphs.attributes, [[-0.8], [0.4], [0.4]])
    assert graphs[0].edges.tolist() == [[0, 1], [0, 2]]


def test_a_field_can_be_the_label(water):
    graphs = GraphSet.from_pyg([water], label_key="z", attr_slice=slice(0, 1))
    assert graphs[0].labels == [8, 1, 1]
    assert GraphSet.from_pyg([water], label_key="z").n_attributes == 0


def test_without_a_label_all_nodes_are_alike(water):
    assert GraphSet.from_pyg([water], attr_slice=[0])[0].labels == [0, 0, 0]


def test_targets_are_written(water):
    graphs = GraphSet.from_lists(labels=["C", "O"], edges=[[], []])
    assert [data.y.item() for data in graphs.to_pyg(y=[3, 4])] == [3, 4]


def test_bare_data_need_no_guess():
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3)
    assert as_graph_set([data])[0].labels == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {},
            "x has 3 columns, but it was not said what they are; name the one-hot label with "
            "label_slice=slice(...) and the attributes with attr_slice=slice(...), or ignore them "
            "all with attr_slice=[].",
        ),
        (
            {"label_slice": [0, 1]},
            "Expected the columns [0, 1] of x to be a one-hot label, a single 1 among zeros, got "
            "[-0.800000011920929, 0.0] in graph 0 at node 0; name other columns.",
        ),
        ({"attr_slice": [7]}, "Expected columns [7] in x, but that of graph 0 has only 3."),
        (
            {"label_slice": [1, 2], "label_key": "z"},
            "Expected node labels from columns or from a field, got both [1, 2] and 'z'.",
        ),
        (
            {"label_key": "w"},
            "Expected 'w' to hold one whole number for each of the 3 nodes of graph 0, got no such "
            "field.",
        ),
        (
            {"label_slice": [1, 2], "label_values": "ABC"},
            "Expected one value for each of the 2 one-hot columns of x, got 3: ('A', 'B', 'C').",
        ),
        (
            {"label_key": "z", "edge_attr_slice": [0]},
            "Expected a matrix edge_attr in every graph, but graph 0 has none.",
        ),
    ],
)
def test_what_is_wrong_is_said(water, options, sentence):
    with pytest.raises(ValueError) as error:
        GraphSet.from_pyg([water], **options)
    assert str(error.value) == sentence


def test_a_list_of_data_with_columns_names_the_reader(water):
    with pytest.raises(TypeError, match=r"say which is which with GraphSet.from_pyg\(graphs"):
        as_graph_set([water])


def test_a_single_data_is_not_a_list(water):
    with pytest.raises(TypeError, match=r"put a single one in a list: \[data\]"):
        GraphSet.from_pyg(water)
