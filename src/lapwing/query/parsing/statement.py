"""One SELECT statement out of a text, or a refusal; whatever the text is, nothing else comes out."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lapwing.query.parsing.places import place
from lapwing.query.parsing.spellings import put_plainly
from lapwing.query.refusals import InvalidQuery, Text, quoted

LONGEST_TEXT = 100_000
#: How deep a statement may nest. Everything that walks the tree is recursive, and must end before Python's stack does.
DEEPEST = 40

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_FIRST = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.FROM}
_SYNTAX = "Q101"
#: What to write for statements that ask something all the same.
_INSTEAD = {
    "PIVOT": "Write SELECT with COUNT(*) FILTER (WHERE x = 'a') AS a for each column",
    "SUMMARIZE": "Write SELECT COUNT(*), AVG(x), STDDEV(x), or have ranges found by lapwing advise",
    "DESCRIBE": "What is public about the table stands in its policy; lapwing explain shows the columns of a query",
    "SHOW": "What is public about the table stands in its policy; lapwing explain shows the columns of a query",
}


def statement(text: Text) -> exp.Select | exp.SetOperation:
    """The one SELECT of the text; anything else is refused."""
    tokens = _tokens(text)
    first = tokens[0]
    if first.token_type not in _FIRST:
        word = first.text.upper()
        raise text.place(first.start, first.end + 1).invalid(
            "Q102", f"{quoted(word)} is not a question", _INSTEAD.get(word, "Ask with one SELECT statement")
        )
    _check_nesting(text, tokens)
    found = _parsed(text)
    while isinstance(found, exp.Subquery) and not {name for name, value in found.args.items() if value} - {"this"}:
        found = found.this
    if not isinstance(found, exp.Select | exp.SetOperation):
        raise text.whole.invalid("Q102", "this is not a question", "Ask with one SELECT statement")
    _check_depth(text, found)
    for column in found.find_all(exp.Column):
        if not isinstance(column.this, exp.Identifier | exp.Star):  # COUNT.(x) and p.0 are columns to the parser
            raise place(text, column).invalid(_SYNTAX, "what stands behind the dot is no name", "Name a column there")
    put_plainly(found)
    return found


def _tokens(text: Text) -> list[Token]:
    if len(text.sql) > LONGEST_TEXT:
        raise InvalidQuery(
            _SYNTAX, f"the query has {len(text.sql)} characters", f"Ask with at most {LONGEST_TEXT} characters"
        )
    if "\0" in text.sql or any("\ud800" <= letter <= "\udfff" for letter in text.sql):
        raise InvalidQuery(_SYNTAX, "the query holds a character that is not text", "Leave it out")
    try:
        tokens = list(sqlglot.tokenize(text.sql, read="duckdb"))
    except Exception:  # whatever the tokenizer raises means that this is not SQL
        raise text.whole.invalid(_SYNTAX, "this cannot be read as SQL", "Close every quote and comment") from None
    if not tokens:
        raise InvalidQuery(_SYNTAX, "the query is empty", "Ask with one SELECT statement")
    return tokens


def _check_nesting(text: Text, tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth > DEEPEST:
            raise _too_deep(text, token.start, token.end + 1)


def _parsed(text: Text) -> exp.Expr | None:
    try:
        parsed = sqlglot.parse(text.sql, read="duckdb")
        found = [each for each in parsed if each is not None and not isinstance(each, exp.Semicolon)]  # a comment's
    except ParseError as error:
        known = error.errors[0] if error.errors else {}
        line, column = int(known.get("line") or 1), int(known.get("col") or 1)
        word = str(known.get("highlight") or "")
        line = min(max(line, 1), len(text.starts))
        end = text.starts[line - 1] + column  # sqlglot's column is that of the last character
        near = f" near {quoted(word)}" if word.strip() else ""
        before = text.sql[: end - max(1, len(word))].split()
        is_top = before[-1:] == ["TOP"] or before[-1:] == ["top"]
        remedy = "Write LIMIT at the end instead of TOP" if is_top else "Correct the syntax there"
        raise text.place(end - max(1, len(word)), end).invalid(_SYNTAX, f"this is not SQL{near}", remedy) from None
    except SqlglotError:
        raise text.whole.invalid(_SYNTAX, "this cannot be read as SQL", "Correct the syntax") from None
    except RecursionError:
        raise _too_deep(text, 0, 1) from None
    except Exception:  # the parser met something it did not expect: still not SQL
        raise text.whole.invalid(_SYNTAX, "this cannot be read as SQL", "Correct the syntax") from None
    if len(found) != 1:
        raise text.whole.invalid("Q102", f"the text holds {len(found)} statements", "Ask one question at a time")
    return found[0]


def _check_depth(text: Text, tree: exp.Expr) -> None:
    """Refuses trees that are deep without parentheses: long chains of operators."""
    layer: list[exp.Expr] = [tree]
    for _ in range(3 * DEEPEST):
        layer = [child for node in layer for child in node.iter_expressions()]
        if not layer:
            return
    where = place(text, layer[0])
    raise _too_deep(text, where.start, where.end)


def _too_deep(text: Text, start: int, end: int) -> InvalidQuery:
    return text.place(start, end).invalid(
        "Q105", "the query nests too deeply", "Ask it in simpler steps, for example with WITH"
    )
