"""Random policies, for the tests of this folder."""

from hypothesis import strategies as st

from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Analyst, Budget, Column, Policy, Table

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
lines = st.text(max_size=12).filter(lambda text: text.strip() and text.isprintable())
numbers = st.one_of(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False), st.integers())
epsilons = st.one_of(st.fractions(), st.decimals(0, 10, places=4)).filter(lambda number: number > 0)
deltas = st.one_of(st.just(0), st.fractions(0, 1).filter(lambda number: number < 1), st.decimals(0, "0.1", places=12))


@st.composite
def columns(draw, name):
    kind = draw(st.sampled_from(["integer", "real", "text", "boolean", "date", "timestamp"]))
    low = high = keys = None
    if kind in ("integer", "real"):
        ends = st.integers(-(2**70), 2**70) if kind == "integer" else st.fractions()
        low, high = sorted((draw(ends), draw(ends)))
        low, high = draw(st.sampled_from([(low, high), (low, None), (None, high), (None, None)]))
    if kind == "text":
        keys = draw(st.none() | st.lists(texts, min_size=1, max_size=4, unique=True).map(tuple))
    if kind == "boolean":
        keys = draw(st.sampled_from([None, (True,), (False, True)]))
    if kind == "date":
        keys = draw(st.none() | st.lists(st.dates().map(str), min_size=1, max_size=3, unique=True).map(tuple))
    if kind == "integer" and low is None and high is None:
        keys = draw(st.none() | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, unique=True).map(tuple))
    return Column(name, kind, low, high, keys)


@st.composite
def tables(draw, name, role, with_unit):
    found = draw(st.lists(names, max_size=4, unique_by=str.lower))
    listed = [draw(columns(each)) for each in found if each.lower() != "person"]
    unit = rows = None
    if with_unit:
        listed.append(Column("person", "integer"))
        unit, rows = "person", draw(st.none() | st.integers(1, 2**63 - 1))
    relation = draw(st.sampled_from([None, "people", "main.people"]))
    return Table(name, draw(lines), role, unit, rows, tuple(listed), relation)


@st.composite
def policies(draw):
    found = draw(st.lists(names, min_size=1, max_size=3, unique_by=str.lower))
    roles = ["private", *(draw(st.sampled_from(["private", "public"])) for _ in found[1:])]
    with_unit = roles.count("private") > 1 or draw(st.booleans())
    listed = tuple(
        draw(tables(name, role, with_unit and role == "private")) for name, role in zip(found, roles, strict=True)
    )
    people = draw(st.lists(lines, max_size=3, unique=True))
    return Policy(
        draw(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,9}", fullmatch=True)),
        listed,
        Budget(draw(epsilons), draw(deltas)),
        draw(st.sampled_from(list(Neighbours))),
        tuple(Analyst(person, draw(epsilons), draw(deltas)) for person in people),
    )
