"""What is outside the language is refused at its place, with the nearest thing inside."""

import pytest

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.source import mechanism, within
from lapwing.source.original import Source
from lapwing.source.parse import mechanism_names, parse_file, parse_text
from lapwing.source.printed_modules import show_module
from lapwing.source.run import Runnable

HEAD = (
    "from lapwing import *\n"
    "@mechanism(q=each(1), x=within(1), rows=added(), claim='epsilon')\n"
    "def f(q: list[float], x: float, rows: list[bool], k: int, b: bool, epsilon: float) -> float:\n"
)


def refusal(text):
    with pytest.raises(InvalidProgram) as caught:
        parse_text(text)
    return caught.value


def underlined(error):
    """The part of the source that the carets stand under."""
    _, line, carets = error.place.split("\n")
    return line[carets.index("^") : carets.rindex("^") + 1]


#: Tuples of the last one twice.
DOUBLED = "".join(f"    a{number + 1} = (a{number}, a{number})\n" for number in range(30))


@pytest.mark.parametrize(
    ("body", "code", "under", "remedy"),
    [
        # Python that is not in the language
        ("return x ** 9", "P113", "x ** 9", "0 to 8"),
        ("return x ** k", "P113", "x ** k", "0 to 8"),
        ("return x ** -1", "P113", "x ** -1", "0 to 8"),
        ("return ((((x ** 8) ** 8) ** 8) ** 8)", "P102", None, "variable"),
        ("return x % 2", "P133", "x", "int"),
        ("return k // 2.0", "P133", "2.0", "int"),
        ("return 0 if 1 < k in [1] else 1", "P113", "1 < k in [1]", "by itself"),
        ("return 0 if k in x else 1", "P138", "x", "list"),
        ("return 0 if b in [1, 2] else 1", "P135", "1", "among"),
        ("return ([1, 2] * k)[0]", "P115", "[1, 2] * k", "[x] * k"),
        ("return len([[0]] * k)", "P115", "[[0]] * k", "range(k)"),
        ("return ([0] * x)[0]", "P133", "x", "int"),
        ("return 1 if k is 1 else 0", "P113", "k is 1", "=="),
        ("return ~k", "P113", "~k", "not"),
        ("return (lambda y: y)(x)", "P118", "(lambda y: y)(x)", "Define it"),
        ("g = lambda y: y\n    return x", "P113", "lambda y: y", "expression"),
        ("d = {1: 2}\n    return x", "P113", "{1: 2}", "zip"),
        ("return random.random()", "P118", "random.random", "flip(p)"),
        ("return random.gauss(0, 1)", "P118", "random.gauss", "gaussian(sigma)"),
        ("return round(x)", "P118", "round(x)", "round the released answer"),
        ("return sorted(q)[0]", "P118", "sorted(q)", "loop"),
        ("return helper(x)", "P118", "helper(x)", "Define it"),
        ("return q.pop()", "P118", "q.pop", "slice"),
        ("return math.pi", "P113", "math.pi", "plain names"),
        ("try:\n        y = 1\n    except ValueError:\n        y = 2\n    return y", "P113", None, "Remove"),
        ("with open('f') as g:\n        pass\n    return x", "P113", None, "Remove"),
        ("global G\n    return x", "P113", "global G", "parameter"),
        ("import math\n    return x", "P113", "import math", "top"),
        ("def g():\n        pass\n    return x", "P113", None, "beside"),
        ("raise ValueError", "P113", "raise ValueError", "assert"),
        ("print(x)\n    return x", "P118", "print(x)", "released"),
        ("yield x", "P113", "yield x", "append"),
        ("return (y := x)", "P113", "y := x", "line of its own"),
        ("return 'text'", "P111", "'text'", "Return numbers"),
        ("return None", "P111", "None", "Return numbers"),
        ("return 1e999", "P110", "1e999", "finite"),
        ("return " + "9" * 4000, "P110", "9" * 4000, "2^1024"),
        ("return 0x" + "f" * 9000, "P110", None, "2^1024"),
        ("return sum([1 for i in range(2.0)])", "P133", "2.0", "int"),
        ("n = 3.0\n    return sum([1 for i in range(n)])", "P133", "n", "int"),
        ("return [][0]", "P131", "[][0]", "Put"),
        ("xs = []\n    return len(xs[0])", "P131", "xs[0]", "Put"),
        ("return ([] if b else [[]])[0][0]", "P131", "([] if b else [[]])[0][0]", "Put"),
        ("return 1 if sum([]) else 0", "P134", "sum([])", "Compare"),
        ("return " + "-" * 400 + "x", "P102", None, "Split"),
        ("return " + " + ".join(["x"] * 400), "P102", None, "Split"),
        ("return 1 if " + " and ".join(["flip(0.5)"] * 400) + " else 0", "P102", None, "Split"),
        (
            "if x > 0:\n        y = 1\n" + "    elif x > 1:\n        y = 2\n" * 400 + "    return x",
            "P102",
            None,
            "loop",
        ),
        ("return G", "P120", "G", "parameter"),
        ("return exp(x)", "P187", "x", "public parameter"),
        ("return sum([exp(y) for y in q])", "P187", "y", "public parameter"),
        ("return sum(*[q])", "P113", "*[q]", "Write"),
        ("return q[::-1][0]", "P115", "::-1", "xs[a:b]"),
        ("return sum([i for i in range(9, 0, k)])", "P142", "range(9, 0, k)", "-1"),
        ("for i in range(0, 9, 0):\n        pass\n    return x", "P142", "range(0, 9, 0)", "range(a, b, 2)"),
        ("for i, j in range(0, 9, k):\n        pass\n    return x", "P151", "i, j", "variable"),
        ("for i in reversed(q[1:]):\n        pass\n    return x", "P142", "reversed(q[1:])", "name"),
        ("for i, y in enumerate(q, k, 1):\n        pass\n    return x", "P142", "enumerate(q, k, 1)", "enumerate(xs)"),
        ("q[0] = 1\n    return x", "P158", "q", "Copy"),
        ("a = [1]\n    a[0:1] = [2]\n    return x", "P155", "a[0:1]", "new list"),
        ("a = [1]\n    a[0], y = 1, 2\n    return x", "P155", "a[0]", "line of its own"),
        (f"a0 = (x, x)\n{DOUBLED}    return x", "P112", "(a6, a6)", "list"),
        ("a = [1, 2]\n    a[uniform(2)] += 1\n    return x", "P155", "a[uniform(2)]", "Set a variable"),
        ("a = [[[1]]]\n    a[0][0][0] = 1\n    return x", "P158", "a[0]", "Copy"),
        ("a = (1, 2)\n    a[0] = 1\n    return x", "P137", "a", "list"),
        ("a = (1, 2)\n    a[0] += 1\n    return x", "P137", "a", "list"),
        ("a = [1]\n    c = a\n    a[0] = 2\n    return x", "P174", "a[0]", "[:]"),
        ("a = [1]\n    for y in a:\n        a[0] = y\n    return x", "P175", None, "a[:]"),
        ("a = c = [1]\n    a.append(2)\n    return x", "P174", None, "[:]"),
        ("q.append(1)\n    return x", "P158", "q", "out = []"),
        ("laplace(1)\n    return x", "P159", "laplace(1)", "Assign"),
        ("return", "P153", "return", "answer"),
        ("y = laplace(1)\n    assert k > 0\n    return y", "P154", "assert k > 0", "top"),
        ("return 1 if x < laplace(1) < laplace(2) else 0", "P114", "x < laplace(1) < laplace(2)", "line before"),
        ("sum = 0\n    return sum", "P156", "sum", "Rename"),
        # types
        ("return x + b", "P132", "b", "1 if"),
        ("return 1 if x else 0", "P134", "x", "Compare"),
        ("return 1 if b == 1 else 0", "P135", "1", "as it is"),
        ("return 1 if q == q else 0", "P135", "q", "numbers"),
        ("y = 1\n    y = [1]\n    return x", "P131", "y", "two variables"),
        ("return q", "P139", "q", "agree"),
        ("return q[x]", "P133", "x", "int"),
        ("return x[0]", "P137", "x", "list"),
        ("return sum(x)", "P138", "x", "list of numbers"),
        ("return [1, True][0]", "P131", "True", "one type"),
        ("a, c = q\n    return a", "P157", "q", "tuple"),
        ("return laplace()", "P140", "laplace()", "scale"),
        ("return abs(1, 2)", "P140", "abs(1, 2)", "1 argument"),
        ("return uniform(x)", "P133", "x", "int"),
        # structure
        ("if k > 0:\n        return x", "P171", None, "every path"),
        ("if k > 0:\n        y = 1\n    return y", "P173", "y", "every path"),
        ("for y in q:\n        z = y\n    return z", "P173", "z", "every path"),
        ("for y in q:\n        pass\n    return y", "P173", "y", "every path"),
        (
            "while True:\n        if k > 1:\n            break\n        y = 1\n"
            "        if k > 0:\n            break\n    return y",
            "P173",
            "y",
            "every path",
        ),
        ("break\n    return x", "P150", "return x", "Remove"),
        ("if k > 0:\n        break\n    return x", "P172", "break", "return"),
        ("return x\n    y = 1", "P150", "y = 1", "Remove"),
        ("a = []\n    c = a\n    a.append(1)\n    return x", "P174", "a.append(1)", "[:]"),
        ("a = [1]\n    for y in a:\n        a.append(y)\n    return x", "P175", None, "a[:]"),
        # privacy
        ("return k // (1 if x > 0 else 2)", "P180", "1 if x > 0 else 2", "public"),
        ("return k % len(rows)", "P180", "len(rows)", "public"),
        ("return x + laplace(abs(x))", "P183", "abs(x)", "public"),
        ("return 1 if flip(x) else 0", "P183", "x", "public"),
        ("return choose([1 for r in rows], 1)", "P182", None, "fixed"),
        ("return sum([y / (i - 1) for i, y in enumerate(q) if y > 0])", "P180", "i - 1", "public"),
        ("return sum([y / (i - 1) if y > 0 else 0 for i, y in enumerate(q)])", "P180", "i - 1", "public"),
        ("return sum([1 for i, y in enumerate(q) if y > 0 and y / (i - 1) > 2])", "P180", "i - 1", "public"),
    ],
)
def test_refused_in_a_body(body, code, under, remedy):
    error = refusal(f"{HEAD}    {body}\n")
    assert error.code == code, error
    assert remedy in error.remedy, error
    if under is not None:
        assert underlined(error).startswith(under.split("\n")[0]), error
    assert str(error).splitlines()[0].startswith(f"{code} ")


GOOD = "def f(q: list[float], x: float, k: int, epsilon: float) -> float:\n    return x + laplace(1 / epsilon)\n"


@pytest.mark.parametrize(
    ("head", "code", "under"),
    [
        ("@mechanism(x=within(1), claim='x * epsilon')", "P160", "'x * epsilon'"),
        ("@mechanism(x=within(1), claim=('epsilon', 'x'))", "P160", "'x'"),
        ("@mechanism(q=added(), claim='len(q) * epsilon')", "P160", "'len(q) * epsilon'"),
        ("@mechanism(x=within(1), claim='nothing')", "P120", "'nothing'"),
        ("@mechanism(x=within(1), claim='laplace(1)')", "P116", "'laplace(1)'"),
        ("@mechanism(x=within(1), claim='epsilon >')", "P102", "'epsilon >'"),
        ("@mechanism(x=within(1), claim='epsilon > 0')", "P132", "'epsilon > 0'"),
        ("@mechanism(x=within(1), claim=epsilon)", "P167", "epsilon"),
        ("@mechanism(x=close(1))", "P165", "close(1)"),
        ("@mechanism(x=within())", "P165", "within()"),
        ("@mechanism(x=within(-1))", "P165", "-1"),
        ("@mechanism(x=within(epsilon))", "P165", "epsilon"),
        ("@mechanism(x=within('x'))", "P160", "'x'"),
        ("@mechanism(x=within(1 / 0))", "P165", "1 / 0"),
        ("@mechanism(x=within('ln(epsilon)'))", "P165", "'ln(epsilon)'"),
        ("@mechanism(x=within(1), claim='" + "-" * 2000 + "1')", "P102", "'" + "-" * 2000 + "1'"),
        ("@mechanism(x=within(1), claim='" + "(" * 300 + "1" + ")" * 300 + "')", "P102", None),
        ("@mechanism(x=within(1))\n@mechanism(x=within(5))", "P161", "mechanism(x=within(5))"),
        ("@flow(x='secret')\n@flow(x='public')", "P161", "flow(x='public')"),
        ("@mechanism(x=each(1))", "P166", "each(1)"),
        ("@mechanism(q=within(1))", "P166", "within(1)"),
        ("@mechanism(z=within(1))", "P162", "within(1)"),
        ("@mechanism(claim='epsilon')", "P161", "mechanism(claim='epsilon')"),
        ("@flow(x='secret')\n@mechanism(claim='epsilon')", "P161", "mechanism(claim='epsilon')"),
        ("@mechanism", "P161", "mechanism"),
        ("@mechanism(each(1))", "P161", "each(1)"),
        ("@cached\n@mechanism(x=within(1))", "P105", "cached"),
        ("@mechanism(x=within(1))\n@accurate('result > y', beta='epsilon')", "U101", "'result > y'"),
        ("@mechanism(x=within(1))\n@accurate('result > 1')", "P168", "accurate('result > 1')"),
        ("@mechanism(x=within(1))\n@accurate('result > 1', beta='x')", "U102", "'x'"),
        ("@flow(y='secret')", "P162", "y='secret'"),
        ("@flow(x=1)", "P169", "1"),
    ],
)
def test_refused_in_a_head(head, code, under):
    error = refusal(f"{head}\n{GOOD}")
    assert error.code == code, error
    assert under is None or underlined(error) == under, error


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("def f(q, epsilon: float) -> float:", "P130"),
        ("def f(q: list, epsilon: float) -> float:", "P130"),
        ("def f(q: dict[str, int], epsilon: float) -> float:", "P130"),
        ("def f(q: list[float], epsilon: float):", "P130"),
        ("def f(q: list[float], epsilon: float = 1) -> float:", "P164"),
        ("def f(q: list[float], *epsilon: float) -> float:", "P163"),
        ("def f(q: list[float], *, epsilon: float) -> float:", "P163"),
    ],
)
def test_refused_in_the_first_line(line, code):
    assert refusal(f"@mechanism(q=each(1))\n{line}\n    return 1\n").code == code


def test_an_answer_of_another_type_is_not_said_to_have_none():
    line = "def f(q: list[float], epsilon: float) -> dict:"
    assert "not a type of the language" in refusal(f"@mechanism(q=each(1))\n{line}\n    return 1\n").problem


def test_mechanisms_that_call_each_other_in_a_circle():
    text = "".join(
        f"@mechanism(x=within(1))\ndef {name}(x: float) -> float:\n    return {other}(x)\n"
        for name, other in ("ab", "ba", "cc")
    )
    assert refusal(text).code == "P119"
    assert "a → b → a" in refusal(text).problem


@pytest.mark.parametrize(
    "line",
    [
        "from numpy.random import laplace",
        "from random import uniform as laplace",
        "def laplace(s):\n    return 0",
        "laplace = 3",
    ],
)
def test_noise_that_is_not_ours(line):
    error = refusal(f"{line}\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x + laplace(1)\n")
    assert error.code in ("P103", "P118")


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ("from numpy.random import laplace as lap", "lap(1)"),
        ("def lap(s):\n    return 0", "lap(1)"),
        ("if True:\n    from numpy.random import laplace", "laplace(1)"),
        ("try:\n    from fast import laplace\nexcept ImportError:\n    pass", "laplace(1)"),
        ("try:\n    pass\nexcept ValueError as laplace:\n    pass", "laplace(1)"),
        ("laplace, y = 1, 2", "laplace(1)"),
        ("a = laplace = 1", "laplace(1)"),
        ("for laplace in []:\n    pass", "laplace(1)"),
        ("with open('f') as laplace:\n    pass", "laplace(1)"),
        ("match 1:\n    case laplace:\n        pass", "laplace(1)"),
        ("[laplace := 1 for _ in []]", "laplace(1)"),
        ("(laplace := 1)", "laplace(1)"),
        ("del laplace", "laplace(1)"),
        ("class laplace:\n    pass", "laplace(1)"),
        ("def s():\n    global laplace\n    laplace = 1", "laplace(1)"),
        ("from .lapwing import laplace", "laplace(1)"),
        ("from lapwing import gaussian as laplace", "laplace(1)"),
        ("from evil import *", "laplace(1)"),
        ("import numpy as lapwing", "lapwing.laplace(1)"),
        ("def min(a, b):\n    return a", "min(x, 1)"),
        ("from numpy import abs", "abs(x)"),
        ("sum = max", "sum([x])"),
        ("len = 1", "len([x])"),
        ("def range(n):\n    return [1]", "sum([x for i in range(2)])"),
        ("float = int", "x"),
    ],
)
def test_names_that_are_bound_to_something_else_too(before, value):
    head = "import lapwing\nfrom lapwing import laplace, laplace as lap, mechanism, within\n"
    program = f"@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return {value}\n"
    assert [each.name for each in parse_text(head + program)] == ["f"]
    for text in (f"{head}{before}\n{program}", f"{head}{program}{before}\n", f"{before}\n{head}{program}"):
        assert refusal(text).code in ("P103", "P118")


@pytest.mark.parametrize(
    "again",
    [
        "N, K = 5, 6",
        "if True:\n    N = 5",
        "for N in []:\n    pass",
        "def s():\n    global N\n    N = 5",
        "from other import N",
        "def N():\n    pass",
        "(N := 5)",
        "del N",
        "N += 1",
    ],
)
def test_constants_that_are_bound_again(again):
    text = f"N = 3\n{again}\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x + laplace(N)\n"
    assert refusal(text).code == "P120"
    assert refusal(text.replace("N = 3\n", "", 1) + "N = 3\n").code == "P120"


@pytest.mark.parametrize("again", ["f = 3", "def f(x):\n    return x", "if True:\n    f = 1", "import f", "f: int = 2"])
def test_mechanisms_that_are_bound_again(again):
    text = "@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x\n"
    assert refusal(f"{text}{again}\n").code == "P104"
    caller = "@mechanism(x=within(1))\ndef g(x: float) -> float:\n    return f(x)\n"
    with pytest.raises(InvalidProgram, match="P104"):
        parse_text(f"{text}{caller}{again}\n", only="g")


@pytest.mark.parametrize(
    ("first", "value"),
    [
        ("laplace: float", "x + laplace(1)"),
        ("len: int", "len([x])"),
        ("range: int", "sum([x for i in range(2)])"),
        ("k: int", "x + sum([max(max, 0) for max in [1]])"),
        ("g: int", "g(x)"),
    ],
)
def test_values_that_are_called(first, value):
    text = (
        "@mechanism(x=within(1))\ndef g(x: float) -> float:\n    return x\n"
        f"@mechanism(x=within(1))\ndef f(x: float, {first}) -> float:\n    return {value}\n"
    )
    assert refusal(text).code == "P156"


def test_a_live_mechanism_sees_what_its_function_binds():
    def outer(laplace):
        @mechanism(x=within(1))
        def inner(x: float) -> float:
            return x + laplace(1)

        return inner

    with pytest.raises(InvalidProgram, match="P103"):
        outer(None)(0)


def test_up_to_the_limit_of_depth_everything_works():
    for value in ("-" * 90 + "x", "min(1, " * 90 + "x" + ")" * 90, " + ".join(["x"] * 90), "(" * 90 + "x" + ")" * 90):
        text = f"@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return {value}\n"
        module = parse_text(text)
        assert parse_text(show_module(module)) == module
        assert Runnable("f", Source(text))(1) in (1, 90)


def test_a_mark_at_the_beginning_of_a_file_and_an_empty_docstring(tmp_path):
    path = tmp_path / "marked.py"
    path.write_text('@mechanism(x=within(1))\ndef f(x: float) -> float:\n    ""\n    return x\n', encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert len(parse_file(path)["f"].body) == 1


def test_aliases_and_the_package_itself_are_ours():
    text = (
        "import lapwing as lw\nfrom lapwing import laplace as noise\nHALF = 1 / 2\n"
        "@lw.mechanism(x=lw.within(1))\ndef f(x: float) -> float:\n    return x + noise(HALF) + lw.laplace(-(-2))\n"
    )
    assert len(parse_text(text)["f"].body) == 3


def test_constants_that_change_are_not_constants():
    text = "S = 1\nS = 2\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x + laplace(S)\n"
    assert refusal(text).code == "P120"


def test_two_mechanisms_of_one_name():
    one = "@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x\n"
    assert refusal(one + one).code == "P104"


def test_text_that_is_not_python_shows_the_place():
    error = refusal("@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x +\n")
    assert error.code == "P102"
    assert "return x +" in error.place


def test_null_bytes_and_deep_nesting():
    for text in ("x = '\0'", "(" * 5000):
        assert refusal(text).code == "P102"


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.py", tmp_path):
        with pytest.raises(InvalidInput, match="P101"):
            parse_file(path)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="P101"):
        parse_file(tmp_path / "bytes.py")


def test_a_mechanism_that_is_not_there():
    text = "@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x\n"
    with pytest.raises(InvalidInput, match=r"P106.*f"):
        parse_text(text, only="g")
    assert mechanism_names(text + "def g():\n    pass\n") == ("f",)


def test_one_bad_mechanism_does_not_hide_another():
    text = (
        "@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x\n\n@mechanism(x=within(1))\ndef g(x): ...\n"
    )
    assert [mechanism.name for mechanism in parse_text(text, only="f")] == ["f"]


GREEK = [
    ("x: float, ε: float", "return x + laplace(1 / ε)"),
    ("x: float, еpsilon: float", "return x + laplace(1 / еpsilon)"),  # that is the point
    ("x: float", "σ = 2\n    return x + laplace(σ)"),
    ("x: float", "return sum([ж for ж in [x, x]]) + laplace(1)"),
    ("x: float", "for й in range(3):\n        x = x + й\n    return x + laplace(1)"),
]


@pytest.mark.parametrize(("parameters", "body"), GREEK)
def test_names_in_other_letters_are_refused_where_they_stand(parameters, body):
    """Nobody can tell two of them apart by looking, and proofs are written in plain letters."""
    head = "from lapwing import laplace, mechanism, within\n\n\n@mechanism(x=within(1))\n"
    error = refusal(f"{head}def f({parameters}) -> float:\n    {body}\n")
    assert error.code == "P176"
    assert "a to z" in error.remedy


def test_underlines_count_characters_not_bytes():
    error = refusal("@mechanism(x=within(1))\ndef f(x: float) -> float:\n    'é'; return x ** x\n")
    assert underlined(error) == "x ** x"
    assert error.problem.endswith("(3:17)")


@pytest.mark.parametrize("number", ["0.99999999999999999999", "1.00000000000000000001", "0.1234567890123456789"])
def test_a_number_that_would_be_rounded_is_refused(number):
    head = "from lapwing import laplace, mechanism, within\n\n\n"
    body = "@mechanism(x=within(1), claim={claim})\ndef f(x: float, epsilon: float) -> float:\n    return {answer}\n"
    for claim, answer in [
        (f'"{number} * epsilon"', "x + laplace(1 / epsilon)"),
        ('"epsilon"', f"x + laplace({number})"),
    ]:
        with pytest.raises(InvalidProgram, match="P110"):
            parse_text(head + body.format(claim=claim, answer=answer))
    parse_text(head + body.format(claim='"0.1 * epsilon"', answer="x + laplace(1.5e3)"))


@pytest.mark.parametrize("cookie", ["# coding: utf-7", "# -*- coding: latin-1 -*-", "\n# fileencoding=utf-16"])
def test_a_source_that_python_would_decode_in_another_way_is_refused(cookie):
    """In UTF-7 a comment can hold a line break, so what runs would not be what was read."""
    with pytest.raises(InvalidProgram, match="P102"):
        parse_text(f"{cookie}\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x + laplace(1)\n")


def test_a_source_may_say_that_it_is_utf_8():
    text = "# coding: utf-8\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x + laplace(1)\n"
    assert "f" in parse_text(text)
