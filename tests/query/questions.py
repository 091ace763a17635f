"""Random questions over the whole language, as text: rows, conditions, joins, keys, aggregates, and what follows.

Every question means something to DuckDB as well, and no order of rows decides an answer.
"""

from __future__ import annotations

import random

NUMBERS = ("age", "pay", "COALESCE(age, 0)", "LEAST(pay, 500)", "age + 1", "pay / 4", "ABS(age - 50)", "LENGTH(name)")
BOUNDED = ("age", "pay", "CLIP_AGE", "age * 2", "pay - 100", "CASE WHEN member THEN age ELSE 0 END", "SQRT(pay)")
BOUNDED += ("ROUND(pay, 1)", "FLOOR(age / 10)", "LN(pay + 1)", "MONTH(day)", "GREATEST(age, 20)", "age * age")
BOUNDED += ("MINUTE(seen)", "CASE WHEN pay > 500 THEN 1.5 WHEN pay IS NULL THEN -2 END", "SIGN(age - 40)")
#: Keys, and what must be there for DuckDB to show the same groups.
KEYS = {
    "city": "city IS NOT NULL",
    "sex": "sex IS NOT NULL",
    "member": "member IS NOT NULL",
    "age >= 50": "age IS NOT NULL",
    "YEAR(day)": "day IS NOT NULL",
    "QUARTER(day)": "day IS NOT NULL",
    "CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'old' ELSE 'older' END": "TRUE",
    "FLOOR(age / 25)": "age IS NOT NULL",
    "UPPER(sex)": "sex IS NOT NULL",
    "SUBSTRING(city, 1, 1)": "city IS NOT NULL",
    "EXISTS (SELECT 1 FROM visits v WHERE v.guest = person AND v.nights > 4)": "TRUE",
}
CONDITIONS = (
    "{n} > {c}", "{n} <= {c}", "{n} BETWEEN 10 AND {c}", "{n} IS NOT NULL", "NOT {n} = {c}", "member", "NOT member",
    "city IN ('Oslo', 'Bonn')", "city <> 'Rome'", "sex = 'f' OR age > {c}", "name LIKE '%a%'", "name ILIKE 'B%'",
    "TRIM(name) = 'dora'", "REGEXP_MATCHES(name, '[A-Z]')", "name SIMILAR TO '[a-z]+'", "day < DATE '2021-03-05'",
    "day + INTERVAL 2 MONTH >= DATE '2020-08-01'", "WEEK(day) < 30", "HOUR(seen) < 12",
    "EXTRACT(DOW FROM day) IN (0, 6)",
    "DATE_TRUNC('quarter', day) = DATE '2020-04-01'", "DATEDIFF('day', day, DATE '2021-12-31') > 200",
    "city IN (SELECT town FROM towns WHERE size > 2)", "city NOT IN (SELECT town FROM towns WHERE size > 2)",
    "EXISTS (SELECT 1 FROM towns WHERE town = city AND low <= age)", "COALESCE(member, FALSE)", "name || 'x' = 'Annax'",
    "person IN (SELECT guest FROM visits WHERE cost > {c})", "person NOT IN (SELECT guest FROM visits)",
    "NOT EXISTS (SELECT * FROM visits v WHERE v.guest = person AND v.came < day)", "CAST(age AS DOUBLE) / 3 > 11",
    "person IN (SELECT guest FROM visits GROUP BY guest HAVING COUNT(*) > 1)", "NULLIF(age, 33) > 20",
    "CONCAT_WS('-', city, name, sex) LIKE 'Oslo-%'", "name LIKE '%!%%' ESCAPE '!'", "MINUTE(seen) BETWEEN 10 AND {c}",
    "CONCAT_WS('', name, member) = 'bert'", "EXTRACT(second FROM seen) = 0", "STARTS_WITH(name, 'A')",
    "(city, sex) IN (('Oslo', 'f'), ('Rome', 'm'))", "age IS DISTINCT FROM {c}", "SIGN(age - {c}) = -1",
    "STRFTIME(day, '%Y-%m') < '2020-09'", "DAYNAME(day) = 'Monday'", "LAST_DAY(day) <> day", "TRUNC(pay / 7) = 3",
    "person = ANY (SELECT guest FROM visits WHERE cost > {c})", "person <> ALL (SELECT guest FROM visits)",
    "person IN (SELECT guest FROM visits WHERE room = 'a' UNION SELECT guest FROM visits WHERE nights > 6)",
    "CAST(age AS VARCHAR) LIKE '%3'", "TRY_CAST(name AS BIGINT) IS NULL", "ROUND(pay / 10, 0) % 2 = 0",
)  # fmt: skip
FROMS = (
    "people", "people", "people", "people JOIN towns ON city = town",
    "people LEFT JOIN towns ON city = town AND size > 2",
    "people JOIN towns ON age BETWEEN low AND high", "people, towns", "people JOIN visits ON person = guest",
    "people LEFT JOIN visits ON person = guest AND nights > 3", "people, visits",
    "people SEMI JOIN visits ON person = guest AND nights > 2", "people ANTI JOIN visits ON person = guest",
    "visits RIGHT JOIN people ON guest = person", "people NATURAL JOIN (SELECT town AS city, size FROM towns)",
    "(SELECT * EXCLUDE (pay) REPLACE (LEAST(age, 80) AS age), pay / 2 AS pay FROM people)",
    "people JOIN (SELECT town AS t, size + 1 AS larger FROM towns WHERE size < 8) q ON city = q.t",
    "people JOIN (SELECT guest, COUNT(*) AS n, COUNT(DISTINCT room) AS rooms, BOOL_OR(cost > 50) AS dear "
    "FROM visits GROUP BY guest) g ON person = g.guest",
)  # fmt: skip
AGGREGATES = (
    "COUNT(*)", "COUNT({x})", "COUNT(DISTINCT person)", "SUM({x})", "AVG({x})", "COUNT_IF({c})",
    "SUM({x}) FILTER (WHERE {c})",
    "VAR_POP({x})", "STDDEV_POP({x})", "CORR({x}, pay)", "COVAR_POP(pay, {x})", "REGR_SLOPE({x}, age)",
    "SUM(CASE WHEN {c} THEN 1 ELSE 0 END)", "SUM({x}) / COUNT(*)", "100.0 * COUNT_IF({c}) / COUNT(*)",
)  # fmt: skip
WINDOWS = (
    "SUM({a}) OVER ()", "{a} / SUM({a}) OVER ()", "SUM({a}) OVER (PARTITION BY {k})", "AVG({a}) OVER ()",
    "MAX({a}) OVER ()", "{a} - LAG({a}) OVER (ORDER BY {k})", "SUM({a}) OVER (ORDER BY {k})",
    "ROW_NUMBER() OVER (ORDER BY {k})",
    "LEAD({a}, 1, 0) OVER (ORDER BY {k})", "FIRST_VALUE({a}) OVER (ORDER BY {k})", "NTILE(2) OVER (ORDER BY {k})",
)  # fmt: skip


class Questions:
    """Draws questions from a seed."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def number(self) -> str:
        return self.r.choice(NUMBERS)

    def condition(self) -> str:
        r = self.r
        found = r.choice(CONDITIONS).format(n=self.number(), c=r.choice([5, 20, 33, 50, 80]))
        if r.random() < 0.2:
            return f"({found} {r.choice(['AND', 'OR'])} {r.choice(CONDITIONS[:7]).format(n=self.number(), c=40)})"
        return found

    def argument(self) -> str:
        found = self.r.choice(BOUNDED)
        return "LEAST(GREATEST(age, 10), 90)" if found == "CLIP_AGE" else found

    def aggregate(self) -> str:
        simple = self.r.choice([c for c in CONDITIONS if "SELECT" not in c]).format(n=self.number(), c=40)
        return self.r.choice(AGGREGATES).format(x=self.argument(), c=simple)

    def start(self) -> tuple[str, list[str]]:
        found = self.r.choice(FROMS)
        needed = {"people, towns": ["city = town"], "people, visits": ["person = guest"]}.get(found, [])
        return found, needed

    def aggregated(self, keys: list[str], *, extra: str = "") -> str:
        """A SELECT that aggregates rows by these keys, called k0, k1 ..., with answers a0, a1 ..."""
        source, where = self.start()
        where += [KEYS[key] for key in keys] + [self.condition() for _ in range(self.r.randint(0, 2))]
        many = self.r.randint(1, 3)
        chosen = [f"{key} AS k{at}" for at, key in enumerate(keys)]
        chosen += [f"{self.aggregate()} AS a{at}" for at in range(many)]
        text = f"SELECT {', '.join(chosen)}{extra} FROM {source}"
        text += f" WHERE {' AND '.join(f'({each})' for each in where)}" if where else ""
        if keys:
            # empty groups are shown here and not there
            text += f" GROUP BY {', '.join(str(at + 1) for at in range(len(keys)))} HAVING COUNT(*) > 0"
        return text

    def keys(self, most: int = 2) -> list[str]:
        return self.r.sample(list(KEYS), self.r.randint(0, most))

    def question(self) -> str:
        """A question of any kind."""
        r = self.r
        kind = r.random()
        keys = self.keys()
        if kind < 0.45:
            return self.aggregated(keys)
        keys = keys or [r.choice(list(KEYS))]
        inner = self.aggregated(keys)
        if kind < 0.65:
            window = r.choice(WINDOWS).format(a="a0", k=", ".join(f"k{at}" for at in range(len(keys))))
            return f"SELECT *, {window} AS w FROM ({inner})"
        if kind < 0.8:
            return f"SELECT k0, SUM(a0), COUNT(*), MAX(a0), AVG(a0) FROM ({inner}) GROUP BY k0"
        if kind < 0.9:
            one = f"SELECT '1' AS t, COUNT(*) AS n, SUM({self.argument()}) FROM people WHERE {self.condition()}"
            two = f"SELECT '2', COUNT(*), AVG({self.argument()}) FROM people WHERE {self.condition()}"
            return f"{one} UNION ALL {two}"
        plain = [key for key in ("city", "sex") if r.random() < 0.8] or ["city"]
        needed = " AND ".join(f"{key} IS NOT NULL" for key in plain)
        sets = r.choice(["ROLLUP", "CUBE"])
        listed = ", ".join(plain)
        return f"SELECT {listed}, COUNT(*), SUM(age) FROM people WHERE {needed} GROUP BY {sets} ({listed})"
