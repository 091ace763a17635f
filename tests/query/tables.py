"""Two policies that the tests of this room and the fixtures of ``corpus/sql`` speak about."""

from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Budget, Column, Policy, Table

#: One row per person, and a public table of places.
CENSUS = Policy(
    "census",
    (
        Table(
            "people",
            "people.parquet",
            "private",
            None,
            None,
            (
                Column("sex", "text", keys=("f", "m")),
                Column("age", "integer", 0, 120),
                Column("children", "integer"),
                Column("income", "real"),
                Column("pay", "real", 0, 200_000),
                Column("balance", "real", -1000, 3000),
                Column("city", "text"),
                Column("zip", "integer"),
                Column("born", "date"),
                Column("seen", "timestamp"),
                Column("smoker", "boolean"),
            ),
        ),
        Table(
            "places",
            "places.csv",
            "public",
            None,
            None,
            (
                Column("zip", "integer"),
                Column("region", "text", keys=("north", "south")),
                Column("size", "integer", 0, 1000),
            ),
        ),
    ),
    Budget(1),
    Neighbours.ADDED,
    (),
)

#: Many rows per person in two tables, one of them without a limit of rows.
CLINIC = Policy(
    "clinic",
    (
        Table(
            "visits",
            "visits.parquet",
            "private",
            "patient",
            10,
            (
                Column("patient", "integer"),
                Column("day", "date"),
                Column("cost", "real", 0, 1000),
                Column("tip", "real"),
                Column("ward", "text", keys=("a", "b", "c")),
                Column("drug", "text"),
                Column("pills", "integer"),
                Column("pain", "integer", 0, 10),
            ),
        ),
        Table(
            "patients",
            "patients.parquet",
            "private",
            "id",
            None,
            (
                Column("id", "integer"),
                Column("age", "integer", 0, 120),
                Column("sex", "text", keys=("f", "m")),
                Column("ward", "text", keys=("a", "b", "c")),
            ),
        ),
        Table("wards", "wards.csv", "public", None, None, (Column("ward", "text"), Column("floor", "integer", 0, 9))),
    ),
    Budget(1),
    Neighbours.ADDED,
    (),
)

POLICIES = {"census": CENSUS, "clinic": CLINIC}
