"""How types combine, compared with the values themselves."""

import itertools
import operator
from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given
from hypothesis.strategies import DrawFn

from lockstep.language import ir
from lockstep.language.domains import Domain, RangeDomain
from lockstep.language.frontend import lower
from lockstep.language.model import load_model
from lockstep.language.source import ModelError
from lockstep.language.totality import walk
from lockstep.language.types import is_disjoint, is_within, join
from tests.random_models.parts.choices import Choices
from tests.random_models.parts.vocabulary import Vocabulary

MOST_VALUES = 300


@st.composite
def domain_pairs(draw: DrawFn) -> tuple[Domain, Domain]:
    """Two domains with the same enums and records among their parts."""
    vocabulary = Vocabulary(Choices(draw))
    first, second = vocabulary.domain(2), vocabulary.domain(2)
    assume(first.size() <= MOST_VALUES and second.size() <= MOST_VALUES)
    return first, second


@given(domain_pairs())
def test_a_domain_has_as_many_values_as_it_says_and_knows_them(
    pair: tuple[Domain, Domain],
) -> None:
    domain, other = pair
    values = list(domain)
    assert len(values) == len(set(values)) == domain.size()
    for value in values:
        assert domain.coerce(value, "x") == value
        assert hash(domain.coerce(value, "x")) == hash(value)
    if join(domain, other) is not None:  # else equal in Python's eyes at most, as True and 1 are
        assert all(domain.contains(value) == (value in values) for value in other)


@given(domain_pairs())
def test_types_combine_as_their_values_do(pair: tuple[Domain, Domain]) -> None:
    left, right = pair
    both = join(left, right)
    assert both == join(right, left) or both is not None
    if both is not None:
        assert all(both.contains(value) for value in itertools.chain(left, right))
        assert is_within(left, both)
        assert is_within(right, both)
    if is_within(left, right):
        assert all(right.contains(value) for value in left)
    if is_disjoint(left, right):
        assert not any(right.contains(value) for value in left)
    if both is None:
        assert not is_within(left, right)


INTERVALS = [(0, 0), (2, 2), (-3, -3), (0, 3), (-1, 1), (-4, -2), (1, 2), (-2, 3)]
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_interval_holds_every_result_and_no_needless_end(tmp_path: Path, name: str) -> None:
    """What is added, divided and so on stays between the ends; all but remainders reach them."""
    pairs = [
        (left, right)
        for left, right in itertools.product(INTERVALS, repeat=2)
        if name not in ("//", "%") or right != (0, 0)
    ]
    call = name in ("min", "max")
    text = f"{name}(x, y)" if call else f"x {name} y"
    actions = [
        f"@action\ndef act{n}(s, new, x: Range{left}, y: Range{right}):\n    t = {text}\n"
        for n, (left, right) in enumerate(pairs)
    ]
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "sums.py").write_text(
        "from lockstep import Range, State, action\n"
        "class Sums(State):\n    a: bool = False\n" + "\n".join(actions),
        encoding="utf-8",
    )
    code = lower(load_model(tmp_path, "sums"))
    for (left, right), action in zip(pairs, code.actions, strict=True):
        domain = next(node for node in walk(action) if isinstance(node, ir.Bind)).value.domain
        assert isinstance(domain, RangeDomain)
        results = [
            OPERATORS[name](x, y)
            for x in range(left[0], left[1] + 1)
            for y in range(right[0], right[1] + 1)
            if y or name not in ("//", "%")
        ]
        low, high = min(results), max(results)
        assert domain.low <= low <= high <= domain.high, (left, right)
        if name != "%":
            assert (domain.low, domain.high) == (low, high), (left, right)


def is_shut(tmp_path: Path, guard: str) -> bool:
    """Whether a write that never fits is let through after a guard: it is never executed."""
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "shut.py").write_text(
        "from lockstep import Range, State, action, require\n"
        "class Shut(State):\n    n: Range(0, 3) = 0\n    none: Range(0, 0) = 0\n"
        f"@action\ndef act(s, new):\n    require({guard})\n    new.n = 7\n",
        encoding="utf-8",
    )
    try:
        lower(load_model(tmp_path, "shut"))
    except ModelError as error:
        return [problem.code for problem in error.diagnostics] != ["outside-domain"]
    return True


@pytest.mark.parametrize(
    ("guard", "shut"),
    [
        ("False", True),
        ("True", False),
        ("s.n < 0", True),
        ("s.n < 1", False),
        ("s.n <= -1", True),
        ("s.n <= 0", False),
        ("s.n > 3", True),
        ("s.n > 2", False),
        ("s.n >= 4", True),
        ("s.n >= 3", False),
        ("s.n == 4", True),
        ("s.n == 3", False),
        ("s.none != 0", True),
        ("s.n != 0", False),
        ("s.n == 1 and s.n < 0", True),
        ("s.n == 1 or s.n < 0", False),
        ("s.n > 3 or s.n < 0", True),
    ],
)
def test_what_follows_a_guard_that_is_never_true_is_not_judged(
    tmp_path: Path, guard: str, shut: bool
) -> None:
    assert is_shut(tmp_path, guard) is shut
