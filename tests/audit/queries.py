"""Random queries of the documented grammar, and a policy to ask them under."""

from fractions import Fraction

from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Analyst, Budget, Column, Policy, Table

COLUMNS = (
    Column("person", "integer"),
    Column("age", "integer", 0, 100),
    Column("income", "real", 0, 1000),
    Column("region", "text", keys=("north", "south", "west")),
    Column("city", "text"),
    Column("member", "boolean"),
    Column("day", "date"),
)
NUMBERS = ("age", "income", "CLIP(income, 100, 200)", "age + 1", "CLIP(age * income, 0, 5000)", "ABS(age - 50)")
CONDITIONS = (
    "age > 17", "income BETWEEN 10 AND 500", "city = 'usual'", "city LIKE 'n%'", "member", "NOT member", "age IS NULL",
    "region IN ('north', 'west')", "income / age > 3", "CAST(city AS BIGINT) > 3", "LENGTH(city) > 2",
    "YEAR(day) > 1990", "COALESCE(age, 5) = 5", "SQRT(income) < 12", "age % 2 = 0", "day >= '2000-01-01'",
)  # fmt: skip
GROUPS = ("region", "member IS TRUE", "CASE WHEN age < 18 THEN 'young' ELSE 'old' END", "FLOOR(age / 50)", "MONTH(day)")
UNKNOWN = ("city", "day")


def policy(neighbours=Neighbours.ADDED, unit="person", rows=2, delta=Fraction(1, 1000)):
    """People with two rows at most, under a budget with a delta."""
    table = Table("people", "people.parquet", "private", unit, rows if unit else None, COLUMNS)
    return Policy("people", (table,), Budget(10, delta), neighbours, (Analyst("ana", 10, delta),))


def aggregate(random):
    number = random.choice(NUMBERS)
    return random.choice(
        [
            "COUNT(*)", f"COUNT({random.choice(('age', 'city', 'day'))})", f"COUNT_IF({random.choice(CONDITIONS)})",
            "COUNT(DISTINCT person)", "COUNT(DISTINCT city)", f"SUM({number})", f"AVG({number})",
            f"VARIANCE({number})", f"STDDEV({number})", f"MEDIAN({random.choice(NUMBERS[:3])})",
            f"QUANTILE({random.choice(NUMBERS[:3])}, 0.9)", f"MAX({random.choice(NUMBERS[:3])})",
        ]
    )  # fmt: skip


def query(random):
    """One query; some are refused for everybody, which is an answer too."""
    several = [aggregate(random) for _ in range(random.choice((1, 1, 2)))]
    if random.random() < 0.2:
        several = [f"{each} FILTER (WHERE {random.choice(CONDITIONS)})" for each in several]
    names = [f"{each} AS a{place}" for place, each in enumerate(several)]
    where = f" WHERE {random.choice(CONDITIONS)}" if random.random() < 0.5 else ""
    if random.random() < 0.4:
        group = random.choice(GROUPS if random.random() < 0.7 else UNKNOWN)
        having = " HAVING a0 > 1" if random.random() < 0.2 else ""
        return f"SELECT {group} AS g, {', '.join(names)} FROM people{where} GROUP BY {group}{having}"
    return f"SELECT {', '.join(names)} FROM people{where}"
