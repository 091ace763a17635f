"""The clinic of the tour: bundled tables of synthetic people, copied to a folder that is gone when the tour is over."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from lapwing.policy import SUFFIX
from lapwing.policy.addresses import database_address

FILES = ("anonymised.parquet", "people.parquet", "register.csv")
#: What a stranger can know of a person, and what the anonymised table has of everyone.
KNOWN = ("sex", "born", "postcode")
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in the public register."""

    name: str
    sex: str
    born: datetime.date
    postcode: str

    @property
    def key(self) -> Key:
        """What a stranger knows of them."""
        return (self.sex, self.born, self.postcode)

    @property
    def as_sql(self) -> str:
        """The same as a condition of SQL."""
        return f"sex = '{self.sex}' AND born = DATE '{self.born}' AND postcode = '{self.postcode}'"


@dataclass(frozen=True, slots=True)
class Clinic:
    """The folder with the clinic's tables, and the address of a database that has them, too, if the tour goes there."""

    folder: Path
    database: str | None = None

    @property
    def people(self) -> Path:
        """The clinic's own table: a row per person, with age, region, schooling, income and condition."""
        return self.folder / "people.parquet"

    @property
    def anonymised(self) -> Path:
        """What the clinic gave away: no names, no numbers of persons."""
        return self.folder / "anonymised.parquet"

    def source(self, file: Path) -> str | Path:
        """What is protected: the file, or the table of the same name in the database."""
        if self.database is None:
            return file
        return database_address(self.database).with_relation(f"clinic.{file.stem}")

    def asked(self, file: Path) -> Path:
        """What is asked: the file, or the policy of the table in the database."""
        return file if self.database is None else self.folder / f"{file.stem}{SUFFIX}"

    def register(self) -> list[Person]:
        """A public register of 400 people: names, and what a neighbour knows."""
        text = pa.csv.ConvertOptions(column_types={"postcode": pa.string(), "born": pa.date32()})
        rows = pa.csv.read_csv(self.folder / "register.csv", convert_options=text).to_pylist()
        return [Person(**row) for row in rows]

    def conditions(self) -> Mapping[Key, list[str]]:
        """The conditions in the anonymised table, by what a stranger can know of a person."""
        table = pa.parquet.read_table(self.anonymised)
        found: dict[Key, list[str]] = {}
        for *key, condition in zip(*(table[name].to_pylist() for name in (*KNOWN, "condition")), strict=True):
            found.setdefault(tuple(key), []).append(condition)
        return found

    def tom(self) -> tuple[Person, str]:
        """The first man of the register called Tom who has a condition, and that condition."""
        found = self.conditions()
        return next(
            (person, found[person.key][0])
            for person in self.register()
            if person.name.startswith("Tom ") and person.sex == "male" and found[person.key] not in ([], ["none"])
        )

    def truth(self, keys: Sequence[str], column: str, function: str, least_age: int = 0) -> dict[Key, float]:
        """An exact answer about the clinic's people, by group: what only the curator can see."""
        people = pa.parquet.read_table(self.people)
        grown = people.filter(pa.compute.greater_equal(people["age"], least_age))
        found = grown.group_by(list(keys)).aggregate([(column, function)])
        groups = zip(*(found[key].to_pylist() for key in keys), strict=True)
        return dict(zip(groups, found[f"{column}_{function}"].to_pylist(), strict=True))


@contextmanager
def open_clinic() -> Iterator[Clinic]:
    """A clinic in a temporary folder, which is removed however the tour ends."""
    with TemporaryDirectory(prefix="lapwing-tour-") as folder:
        for name in FILES:
            (Path(folder) / name).write_bytes(resources.files("lapwing").joinpath("data", name).read_bytes())
        yield Clinic(Path(folder))
