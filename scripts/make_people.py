"""Makes the bundled tables of ``lapwing demo``: synthetic people, their visits to a clinic, and a public register.

    python scripts/make_people.py src/lapwing/data

Nobody in them exists. The same seed always gives the same files. ``register.csv`` has the names that a neighbour or a
register of voters would have: together with the "anonymised" table it shows what leaving out names does not protect.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

PEOPLE, SEED = 12_000, 20260714
REGIONS = ["north", "east", "south", "west", "coast"]
SCHOOLING = ["primary", "secondary", "vocational", "university"]
CONDITIONS = ["none", "asthma", "diabetes", "heart", "depression"]
FIRST = ["Ann", "Ben", "Cleo", "Dora", "Eli", "Finn", "Gwen", "Hugo", "Ida", "Jon", "Kay", "Lou", "Mia", "Sam", "Tom"]
LAST = ["Abel", "Brook", "Carr", "Dale", "Ekman", "Frost", "Grove", "Holt", "Iqbal", "Kerr", "Lund", "Osei", "Toth"]
TODAY = datetime.date(2026, 1, 1)


def main(folder: Path) -> None:
    """Write the three tables."""
    random = np.random.default_rng(SEED)
    age = np.clip(random.normal(44, 19, PEOPLE), 0, 99).astype(int)
    born = [
        TODAY - datetime.timedelta(days=int(years * 365.25 + day))
        for years, day in zip(age, random.integers(0, 365, PEOPLE), strict=True)
    ]
    sex = random.choice(["female", "male"], PEOPLE)
    region = random.choice(REGIONS, PEOPLE, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    postcode = [
        f"{2800 + REGIONS.index(where) * 10 + int(street)}"
        for where, street in zip(region, random.integers(0, 10, PEOPLE), strict=True)
    ]
    schooling = np.where(age < 16, "primary", random.choice(SCHOOLING, PEOPLE, p=[0.1, 0.35, 0.3, 0.25]))
    grown = np.clip((age - 18) / 20, 0, 1) * np.where(age > 67, 0.6, 1)
    raised = 1 + 0.25 * np.array([SCHOOLING.index(name) for name in schooling])
    income = np.where(age < 18, 0, random.lognormal(10.1, 0.45, PEOPLE) * grown * raised).round(-1).astype(int)
    risk = np.clip(age / 100, 0.02, 0.9)
    ill = random.random(PEOPLE) < 0.1 + 0.5 * risk
    condition = np.where(ill, random.choice(CONDITIONS[1:], PEOPLE, p=[0.3, 0.25, 0.25, 0.2]), "none")
    names = [f"{random.choice(FIRST)} {random.choice(LAST)}" for _ in range(PEOPLE)]
    person = random.permutation(np.arange(100_000, 100_000 + PEOPLE))
    people = pa.table(
        {
            "person": person,
            "age": age,
            "sex": sex,
            "region": region,
            "schooling": schooling,
            "income": income,
            "condition": condition,
        }
    )
    anonymised = pa.table(
        {
            "sex": sex,
            "born": pa.array(born, pa.date32()),
            "postcode": postcode,
            "condition": condition,
        }
    )
    shuffled = random.permutation(PEOPLE)
    register = pa.table({"name": names, "sex": sex, "born": pa.array(born, pa.date32()), "postcode": postcode})
    count = random.geometric(0.35, PEOPLE) - 1 + np.where(ill, random.poisson(3, PEOPLE), 0)
    visitor = np.repeat(np.arange(PEOPLE), count)
    visits = pa.table(
        {
            "person": person[visitor],
            "month": random.integers(1, 13, len(visitor)),
            "cost": np.clip(random.gamma(2.0, 60, len(visitor)), 5, None).round(2),
            "ward": np.where(
                condition[visitor] == "heart",
                "cardiology",
                random.choice(["general", "emergency", "surgery"], len(visitor), p=[0.7, 0.2, 0.1]),
            ),
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(people, folder / "people.parquet", compression="zstd")
    pa.parquet.write_table(anonymised.take(pa.array(shuffled)), folder / "anonymised.parquet", compression="zstd")
    pa.parquet.write_table(
        visits.take(pa.array(random.permutation(len(visitor)))), folder / "visits.parquet", compression="zstd"
    )
    pa.csv.write_csv(register.slice(0, 400), folder / "register.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/lapwing/data"))
