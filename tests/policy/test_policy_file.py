"""A policy file reads back to the policy it was written from, and no text at all makes it fall over."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.errors import InvalidInput
from lapwing.policy import Policy, policy_text, read_policy, write_policy
from lapwing.policy.policy_reader import parse_policy
from tests.policy.strategies import policies

GOOD = """
name = "people"
[budget]
epsilon = "1"
delta = 1e-6
[analysts]
ann = { epsilon = 0.1 }
[tables.people]
path = "people.parquet"
unit = "id"
rows_per_unit = 10
[tables.people.columns]
id = { kind = "integer" }
age = { kind = "integer", low = 0, high = 120 }
sex = { kind = "text", keys = ["F", "M"] }
"""


@settings(max_examples=50)
@given(policies())
def test_writing_and_reading_gives_the_same_policy(policy):
    assert parse_policy(policy_text(policy)) == policy


def test_the_file_is_whole_and_the_same_each_time(tmp_path):
    policy = parse_policy(GOOD)
    path = tmp_path / "people.lapwing.toml"
    write_policy(policy, path)
    first = path.read_bytes()
    write_policy(read_policy(path), path)
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert first.startswith(b"# A Lapwing policy")


def test_numbers_are_what_a_person_wrote():
    policy = parse_policy(GOOD)
    assert str(policy.analysts[0].epsilon) == "1/10"
    assert str(policy.budget.delta) == "1/1000000"


def test_a_table_is_private_unless_it_says_otherwise():
    assert parse_policy(GOOD).tables[0].role == "private"


def test_names_are_found_as_sql_compares_them():
    policy = parse_policy(GOOD)
    assert policy.table("PEOPLE").column("Age").name == "age"
    assert policy.table("nobody") is None
    assert policy.analyst("Ann") is None


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ('name = "people"', "", "S104", "name"),
        ('name = "people"', "name = 3", "S110", "int"),
        ('name = "people"', 'name = "../x"', "S110", "../x"),
        ('epsilon = "1"', "", "S104", "budget.epsilon"),
        ('epsilon = "1"', 'epsilon = "0"', "S114", "budget"),
        ('epsilon = "1"', 'epsilon = "one"', "S105", "budget"),
        ('epsilon = "1"', "epsilon = nan", "S105", "budget"),
        ('epsilon = "1"', "epsilon = true", "S105", "budget"),
        ('epsilon = "1"', "epsilon = []", "S105", "budget"),
        ("delta = 1e-6", "delta = 1", "S114", "budget"),
        ("delta = 1e-6", "delta = -0.1", "S114", "budget"),
        ("delta = 1e-6", "detla = 1e-6", "S103", "budget.detla"),
        ("ann = { epsilon = 0.1 }", "ann = 1", "S105", "analysts.ann"),
        ("ann = { epsilon = 0.1 }", "ann = {}", "S104", "analysts.ann.epsilon"),
        ("ann = { epsilon = 0.1 }", "ann = { epsilon = -1 }", "S114", "analysts.ann"),
        ("ann = { epsilon = 0.1 }", '"" = { epsilon = 1 }', "S110", "analyst"),
        ("[tables.people]", "[tables.people]\nrole = 'secret'", "S118", "tables.people"),
        ("[tables.people]", "[tables.people]\nrole = 'public'", "S115", "tables.people"),
        ("[tables.people]", "[tables.people]\nrelation = 'a; drop'", "S110", "tables.people"),
        ("[tables.people]", "[tables.people]\nrelation = true", "S110", "tables.people"),
        ('path = "people.parquet"', "", "S104", "tables.people.path"),
        ('path = "people.parquet"', 'path = ""', "S110", "tables.people"),
        ('unit = "id"', 'unit = "ident"', "S115", "tables.people"),
        ('unit = "id"', 'unit = ["id"]', "S110", "tables.people"),
        ('unit = "id"', "", "S116", "tables.people"),
        ("rows_per_unit = 10", "rows_per_unit = 0", "S116", "tables.people"),
        ("rows_per_unit = 10", "rows_per_unit = true", "S116", "tables.people"),
        ("rows_per_unit = 10", "rows_per_unit = 1.5", "S116", "tables.people"),
        ('kind = "integer", low', 'kind = "number", low', "S118", "tables.people.columns.age"),
        ('kind = "integer", low', 'kind = "text", low', "S112", "tables.people.columns.age"),
        ("low = 0", "low = 121", "S112", "tables.people.columns.age"),
        ("low = 0", "low = 0.5", "S112", "tables.people.columns.age"),
        ("low = 0", "hihg = 0", "S103", "tables.people.columns.age.hihg"),
        ('keys = ["F", "M"]', "keys = 'F'", "S105", "tables.people.columns.sex.keys"),
        ('keys = ["F", "M"]', "keys = []", "S113", "tables.people.columns.sex"),
        ('keys = ["F", "M"]', "keys = ['F', 'F']", "S113", "tables.people.columns.sex"),
        ('keys = ["F", "M"]', "keys = ['F', 1]", "S113", "tables.people.columns.sex"),
        ('keys = ["F", "M"]', "keys = [['F']]", "S113", "tables.people.columns.sex"),
        ("high = 120", "high = 120, keys = [1, 121]", "S113", "tables.people.columns.age"),
        ("high = 120", "high = 120, keys = [1, true]", "S113", "tables.people.columns.age"),
        ("id = {", "ID = { kind = 'text' }\nid = {", "S111", "tables.people"),
        ("age = {", "ID = { kind = 'text' }\nage = {", "S111", "tables.people"),
        ("id = {", '"i\\nd" = {', "S110", "i\\nd"),
        ("id = {", '"e\\u0301" = {', "S110", "no name here"),
        ("id = {", "' ' = {", "S110", "no name here"),
        ("id = {", "id = 3\nid2 = {", "S105", "tables.people.columns.id"),
        ("[tables.people]", "[tables.other]\npath='o'\n[tables.people]", "S117", "other"),
        ("[tables.people]", "[tables.People]\npath='o'\nrole='public'\n[tables.people]", "S111", "tables"),
        ("[analysts]", "neighbours = 'added'\n[analysts]", "S103", "budget.neighbours"),
        ('name = "people"', 'name = "people"\nneighbours = "near"', "S118", "neighbours"),
        ('name = "people"', 'name = "people', "S102", "TOML"),
        ("delta = 1e-6", "delta = " + "1" * 5000, "S102", "measure"),
        ("delta = 1e-6", "delta = " + "[" * 100_000, "S102", "measure"),
    ],
)
def test_each_mistake_names_its_place(old, new, code, place):
    assert old in GOOD
    with pytest.raises(InvalidInput) as refused:
        parse_policy(GOOD.replace(old, new, 1))
    assert refused.value.code == code
    assert place in refused.value.problem
    assert "\n" not in str(refused.value)


def test_all_tables_public_is_not_a_policy():
    text = 'name="a"\n[budget]\nepsilon=1\n[tables.t]\npath="t"\nrole="public"\n'
    with pytest.raises(InvalidInput, match="S119"):
        parse_policy(text)


def test_private_tables_must_identify_people_the_same_way():
    other = "[tables.other]\npath='o'\nunit='id'\ncolumns.id = { kind = 'text' }\n"
    with pytest.raises(InvalidInput, match="S117"):
        parse_policy(GOOD + other)


def test_a_file_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.lapwing.toml", tmp_path, "a\0b"):
        with pytest.raises(InvalidInput, match="S101"):
            read_policy(path)
    binary = tmp_path / "binary.lapwing.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="S102"):
        read_policy(binary)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(InvalidInput, match="S106"):
        write_policy(parse_policy(GOOD), tmp_path / "missing" / "x.lapwing.toml")


def refused_or_read(text):
    try:
        found = parse_policy(text)
    except InvalidInput as refused:
        found = refused
    assert isinstance(found, Policy) or (found.code.startswith("S1") and "\n" not in str(found))


@given(st.text())
def test_any_text_is_read_or_refused(text):
    refused_or_read(text)


WORDS = st.sampled_from([word + " " for word in GOOD.split()] + ["\n", "[", "]", "{", "}", "=", '"', ",", "1", "true"])


@given(st.lists(WORDS, max_size=30).map("".join), st.integers(0, len(GOOD)), st.integers(0, 30))
def test_any_damage_to_a_good_file_is_read_or_refused(insert, place, cut):
    refused_or_read(GOOD[:place] + insert + GOOD[place + cut :])


values = st.recursive(
    st.sampled_from(["1", "0.5", "true", '"F"', '"a\\nb"', "2020-01-01", "nan", "-1", '""', '"1/0"', "1e999999999"]),
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda v: f"[{', '.join(v)}]")
        | st.lists(inner, max_size=2).map(lambda v: "{" + ", ".join(f"k{i} = {x}" for i, x in enumerate(v)) + "}")
    ),
    max_leaves=4,
)
settable = [line.split(" = ")[1] for line in GOOD.splitlines() if " = " in line]


@given(st.sampled_from(settable), values)
def test_any_value_at_any_key_is_read_or_refused(old, new):
    refused_or_read(GOOD.replace(old, new, 1))


def test_the_fuzzed_file_is_good():
    assert tomllib.loads(GOOD)
    assert parse_policy(GOOD).name == "people"
