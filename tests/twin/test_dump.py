from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.twin.dump import LabelledGraph, read_dump
from lockstep.twin.tla_parser import (
    ModelValue,
    TlaFunction,
    TlaValue,
    format_value,
    function_value,
)
from lockstep.twin.tlc import TlcOptions, run_tlc
from tests.twin.counters import State, explore

DATA = Path(__file__).parent / "data"

TWO_STATES = r"""strict digraph DiskGraph {
nodesep=0.35;
subgraph cluster_graph {
color="white";
-12 [label="/\\ x = 1\n/\\ y = \"a\"",style = filled]
-12 -> 7 [label="Step",color="black",fontcolor="black"];
7 [label="/\\ x = 2\n/\\ y = \"b \\\"q\\\" \\\\ \\n -> [label=\""];
7 -> 7 [label="Stay",color="black",fontcolor="black"];
{rank = same; -12;}
{rank = same; 7;}
}
}"""


def _read(tmp_path: Path, text: str) -> LabelledGraph:
    path = tmp_path / "graph.dot"
    path.write_text(text, encoding="utf-8")
    return read_dump(path)


def test_states_edges_and_escapes(tmp_path: Path) -> None:
    space = _read(tmp_path, TWO_STATES)
    assert space.initial == {-12}
    assert space.states == {
        -12: {"x": 1, "y": "a"},
        7: {"x": 2, "y": 'b "q" \\ \n -> [label='},
    }
    assert space.edges == [(-12, "Step", 7), (7, "Stay", 7)]


def test_a_repeated_state_is_one_and_a_repeated_edge_is_two(tmp_path: Path) -> None:
    lines = TWO_STATES.splitlines()
    space = _read(tmp_path, "\n".join([*lines[:8], *lines[4:8], *lines[8:]]))
    assert len(space.states) == 2
    assert Counter(space.edges) == {(-12, "Step", 7): 2, (7, "Stay", 7): 2}


def test_stuttering_of_liveness_checking_is_left_out(tmp_path: Path) -> None:
    stutter = '7 -> 7 [style="dashed"];\n-12 -> -12 [style="dashed",color="lightgray"];\n{rank'
    assert len(_read(tmp_path, TWO_STATES.replace("{rank", stutter, 1)).edges) == 2


def test_colours_the_legend_and_later_versions_are_understood(tmp_path: Path) -> None:
    text = r"""strict digraph DiskGraph {
node [shape=box,style=rounded]
edge [colorscheme="paired12"]
nodesep=0.35;
subgraph cluster_graph {
color="white";
1 [label="x = 1",style = filled]
1 -> 2 [label="Send(\"a\", <<1>>)",color="2",fontcolor="2"];
2 [label="x = 2",tooltip="x = 2"];
2 -> 3 [label="Receive",color="3",fontcolor="3"];
3 [label="x = 3",tooltip="x = 3",style = filled, fillcolor=lightyellow];
{rank = same; 1;}
}
subgraph cluster_legend {graph[style=bold];label = "Next State Actions" style="solid"
node [ labeljust="l",colorscheme="paired12",style=filled,shape=record ]
Send [label="Send",fillcolor=2]
Receive [label="Receive",fillcolor=3]
}}"""
    space = _read(tmp_path, text)
    assert space.initial == {1}
    # The third state is one that a constraint keeps out of the model.
    assert space.states == {1: {"x": 1}, 2: {"x": 2}}
    assert space.edges == [(1, 'Send("a", <<1>>)', 2)]


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    header = TWO_STATES.index("{") + 1
    for length in range(header, len(TWO_STATES)):
        with pytest.raises(LockstepError, match=r"cut short at line \d+"):
            _read(tmp_path, TWO_STATES[:length])


def test_an_empty_file_is_cut_short(tmp_path: Path) -> None:
    with pytest.raises(LockstepError, match="cut short"):
        _read(tmp_path, "")


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ("strict digraph DiskGraph {", "# Notes", "line 1, is not what TLC"),
        ('[label="Step"', '[label="Step', "line 6, .* not a whole edge"),
        ("= filled]", "= filled", "line 5, .* not a whole state"),
        ("nodesep", "%%", "line 2, .* not a line that TLC writes"),
        ("x = 2", "x = {2", "line 7: state 7 cannot be read"),
        ("{rank = same; 7;}", '7 [label="x = 3"];', "line 10, .* printed twice, and differently"),
        ("7 -> 7", "7 -> 8", "names the state 8, which is not in it"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, old: str, new: str, reported: str) -> None:
    with pytest.raises(LockstepError, match=reported):
        _read(tmp_path, TWO_STATES.replace(old, new, 1))


def test_text_after_the_end_is_damage(tmp_path: Path) -> None:
    with pytest.raises(LockstepError, match="after the end"):
        _read(tmp_path, f"{TWO_STATES}\n{TWO_STATES}")


def test_a_file_that_is_not_text_or_not_there_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    path.write_bytes(b"strict digraph \xff\xfe {\n")
    with pytest.raises(LockstepError, match="not UTF-8"):
        read_dump(path)
    with pytest.raises(LockstepError, match="cannot be read"):
        read_dump(tmp_path / "absent.dot")


def test_the_graph_that_tlc_dumps_is_the_graph_of_the_module(tmp_path: Path) -> None:
    members = [f"p{number}" for number in range(1, 4)]
    config = tmp_path / "check.cfg"
    config.write_text(f"SPECIFICATION Spec\nCONSTANT Processes = {{{', '.join(members)}}}\n")
    path = tmp_path / "graph.dot"
    run = run_tlc(DATA / "Counters.tla", config, TlcOptions(dump=path))
    space = read_dump(path)

    def plain(state: dict[str, TlaValue]) -> State:
        count, clock = state["count"], state["clock"]
        assert isinstance(count, TlaFunction)
        assert isinstance(clock, int)
        counts = (count[ModelValue(member)] for member in members)
        return tuple(value for value in counts if isinstance(value, int)), clock

    expected = explore(3)
    names = {name: plain(state) for name, state in space.states.items()}
    assert sorted(names.values()) == sorted(expected.states)
    assert {names[name] for name in space.initial} == expected.initial
    found = Counter((names[source], action, names[to]) for source, action, to in space.edges)
    assert found == expected.edges
    assert len(space.edges) == run.transitions


def test_every_kind_of_value_that_tlc_prints_is_read(tmp_path: Path) -> None:
    config = tmp_path / "check.cfg"
    config.write_text("INIT Init\nNEXT Next\nCONSTANTS\nMembers = {m1, m2}\nNobody = Nobody\n")
    path = tmp_path / "graph.dot"
    assert run_tlc(DATA / "Values.tla", config, TlcOptions(dump=path)).verdict == "holds"
    read = {state["kind"]: state["value"] for state in read_dump(path).states.values()}
    m1, m2 = ModelValue("m1"), ModelValue("m2")
    expected: list[TlaValue] = [
        -3,
        True,
        "",
        'a "quoted" \\ back\nslash\t|-> :> @@ {',
        ModelValue("Nobody"),
        frozenset({m1, m2}),
        frozenset(),
        (),
        frozenset({-2, -1, 0, 1}),
        frozenset(),
        frozenset({frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})}),
        ((1,), ()),
        TlaFunction({"a": 1, "b_2": TlaFunction({"c": frozenset()})}),
        TlaFunction({m1: 0, m2: 0}),
        TlaFunction({0: 0, 1: 1}),
        (1, 2),
        TlaFunction({"a b": 1, "c": 1}),
        TlaFunction({"1a": 1, "IF": 1}),
        TlaFunction({True: False, False: True}),
        function_value({(m1, 1): (m1, 1), (m2, 1): (m2, 1)}),
        (),
        frozenset({()}),
        frozenset({TlaFunction({"a": 1}), TlaFunction({"a": 2})}),
    ]
    assert [format_value(read[kind]) for kind in range(1, len(read) + 1)] == [
        format_value(value) for value in expected
    ]
    assert list(read[kind] for kind in range(1, len(read) + 1)) == expected


def test_a_value_that_tlc_does_not_write_out_is_reported(tmp_path: Path) -> None:
    config = tmp_path / "check.cfg"
    config.write_text("INIT TooLarge\nNEXT Next\nCONSTANTS\nMembers = {m1, m2}\nNobody = Nobody\n")
    path = tmp_path / "graph.dot"
    run_tlc(DATA / "Values.tla", config, TlcOptions(dump=path))
    with pytest.raises(LockstepError, match=r"did not write out element by element \(SUBSET\)"):
        read_dump(path)
