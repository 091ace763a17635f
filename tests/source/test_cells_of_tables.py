"""``table[i][j] = v`` does what Python does, and is refused where Python would change a row under two names."""

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.parse import parse_text
from tests.source.agreeing import check_like_python, listed

IMPORT = "from lapwing import laplace, mechanism, one\n\n\n"
LIKE_PYTHON = {
    "sums_and_counts": """
    table = [[0, 0] for _ in range(n)]
    for i in range(len(q)):
        table[i % 3][0] += q[i]
        table[i % 3][1] += 1
    return table
""",
    "from_the_end": """
    table = [[0] * 3 for _ in range(n)]
    for i in range(len(q)):
        table[-1][i % 3] = table[-1][i % 3] * 2 + q[i]
        table[i % n][-2] += table[0][1]
    return table
""",
    "written_out": """
    table = [[1, 2], [3, 4, 5], []]
    table[1][2] = table[0][1]
    table[0][0] += table[1][2]
    return table
""",
    "with_noise": """
    table = [[0] * 2 for _ in range(n)]
    for i in range(n):
        for j in range(2):
            table[i][j] += laplace(1)
            table[i][1] = table[i][j] + laplace(2)
    return table
""",
    "made_anew_in_rounds": """
    table = [[0] for _ in range(n)]
    for x in q:
        table = [[x, 0] for _ in range(n)]
        table[1][1] += x
    return table
""",
}
TWO_NAMES = {
    "another_name": "row = [1, 2]\n    table = [row, [3]]\n    table[0][0] = 5\n    return table",
    "a_row_held": "table = [[1], [2]]\n    row = table[0]\n    table[0][0] = 5\n    return [row]",
    "while_walked_over": "table = [[1], [2]]\n    for row in table:\n        table[0][0] += 1\n    return table",
    "two_places": "table = [[1], [2]]\n    table[0] = table[1]\n    table[0][0] = 5\n    return table",
    "appended_twice": "table = [[1]]\n    r = [2]\n    table.append(r)\n    table.append(r)\n    r = [3]\n"
    "    table[1][0] = 5\n    return table",
    "one_row_for_all": "row = [1]\n    table = [row for _ in range(n)]\n    row = [2]\n"
    "    table[0][0] = 5\n    return table",
    "two_tables": "table = [[1], [2]]\n    other = table\n    table[0][0] = 5\n    return other",
    "of_the_caller": "table = [row for row in m]\n    table[0][0] = 5\n    return table",
}


def text(body, kind="list[list[float]]"):
    head = f"{IMPORT}@mechanism(q=one(1))\ndef f(q: list[float], n: int, m: list[list[float]]) -> {kind}:\n"
    return f"{head}    {body.strip()}\n"


@pytest.mark.parametrize("name", LIKE_PYTHON)
def test_cells_are_set_as_python_sets_them(name):
    program = text(LIKE_PYTHON[name])
    given = {"q": [3, 1, 4, 1, 5], "n": 3, "m": [[1], [2]]}
    noise = listed(range(1, 14))
    check_like_python(program.removeprefix(IMPORT), parse_text(program), "f", given, noise)


@pytest.mark.parametrize("name", TWO_NAMES)
def test_a_row_with_two_names_is_refused(name):
    with pytest.raises(InvalidProgram) as refused:
        parse_text(text(TWO_NAMES[name]))
    assert refused.value.code in ("P174", "P175")


def test_a_list_that_is_put_into_a_cell_has_two_names():
    body = (
        "row = [1]\n    table = [[[0]] for _ in range(n)]\n    table[0][0] = row\n    row.append(2)\n    return table"
    )
    with pytest.raises(InvalidProgram, match="held by 'table' too"):
        parse_text(text(body, "list[list[list[float]]]"))


def test_a_parameter_is_not_changed():
    with pytest.raises(InvalidProgram, match="not a list of this mechanism"):
        parse_text(text("m[0][0] = 5\n    return m"))
