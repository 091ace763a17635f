"""Many runs of a release in one: what an engine returned is repeated, and each repetition gets a lane of its own.

The one idea: noise is independent from group to group. So if the number of the run is one more key to group by, one
call of the code that adds noise to a release makes as many releases as there are lanes. That code is the one that every
answer goes through, and nothing of it is written here a second time: only its input is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lapwing.audit.one_answer import EXACT
from lapwing.kernel.evidence.expressions import Column, ColumnType, Kind
from lapwing.kernel.evidence.plan import Key
from lapwing.kernel.evidence.release import ReleaseCertificate
from lapwing.session.groups import Fetched, Groups, public_groups
from lapwing.session.noising import Private, noisy
from lapwing.session.road import Tables

#: The name of the key that no query has.
RUN = "the run"
#: Cells of one call: longer ones fill memory, and are no quicker.
CELLS = 200_000

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lanes:
    """One aggregate in many runs: its groups and measurements, run after run."""

    certificate: ReleaseCertificate
    runs: int
    groups: Groups
    values: dict[str, NDArray[np.generic]]

    @classmethod
    def drawn(cls, certificate: ReleaseCertificate, tables: Tables, runs: int) -> Lanes:
        """So many runs on the same tables, each with fresh noise."""
        key = Key(RUN, Column(RUN), ColumnType(Kind.INTEGER, nullable=False), tuple(range(runs)))
        wider = replace(certificate, keys=(key, *certificate.keys))
        private: Private = noisy(wider, [_repeated(table, runs) for table in tables])
        return cls(certificate, runs, *private)

    def numbers(self) -> Numbers | None:
        """A row of numbers for each run; None where the groups are not the public ones, or floats would round."""
        if self.certificate.selection is not None or not self._are_public():
            return None
        rows = [np.asarray(each).reshape(self.runs, -1) for each in self.values.values()]
        if any(row.dtype.kind == "i" and row.size and np.abs(row).max() > EXACT for row in rows):
            return None
        return np.hstack([row.astype(np.float64) for row in rows]) if rows else np.zeros((self.runs, 0))

    def one_by_one(self) -> list[object]:
        """Each run as the numbers of each group, by its keys."""
        run, *keys = [column.to_pylist() for column in self.groups.columns]
        people = None if self.groups.people is None else self.groups.people.tolist()
        columns = [each.tolist() for each in self.values.values()]
        found: list[dict[object, object]] = [{} for _ in range(self.runs)]
        for place, number in enumerate(run):
            shown = [column[place] for column in columns] + ([people[place]] if people is not None else [])
            found[number][tuple(key[place] for key in keys)] = shown
        return list(found)

    def _are_public(self) -> bool:
        """Whether every run has the groups that everybody knows, in their order."""
        expected = public_groups(self.certificate.keys)
        if self.groups.count != self.runs * expected.count:
            return False
        lanes = np.repeat(np.arange(self.runs), expected.count)
        again = np.tile(np.arange(expected.count), self.runs)
        own = [pa.array(lanes), *(column.take(pa.array(again)) for column in expected.columns)]
        return all(mine.equals(theirs) for mine, theirs in zip(self.groups.columns, own, strict=True))


def measured(
    certificates: Sequence[ReleaseCertificate], fetched: Sequence[Tables], runs: int
) -> list[object] | Numbers:
    """All that carries noise, in so many runs: before anything is left out or made of it."""
    size = max(1, sum(table.table.num_rows for tables in fetched for table in tables))
    size = max(size, *(public_groups(each.keys).count for each in certificates if each.selection is None), 1)
    most = max(1, CELLS // size)
    parts = [_some(certificates, fetched, min(most, runs - done)) for done in range(0, runs, most)]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)  # type: ignore[arg-type]  # arrays all
    return [answer for part in parts for answer in part]


def _some(certificates: Sequence[ReleaseCertificate], fetched: Sequence[Tables], runs: int) -> list[object] | Numbers:
    lanes = [Lanes.drawn(each, tables, runs) for each, tables in zip(certificates, fetched, strict=True)]
    numbers = [each.numbers() for each in lanes]
    if all(each is not None for each in numbers):
        return np.hstack(numbers)  # type: ignore[arg-type]  # arrays all
    return [list(each) for each in zip(*(each.one_by_one() for each in lanes), strict=True)]


def _repeated(fetched: Fetched, runs: int) -> Fetched:
    table = fetched.table
    rows = np.tile(np.arange(table.num_rows), runs)
    lanes = pa.array(np.repeat(np.arange(runs), table.num_rows), pa.int64())
    columns = [lanes, *(column.take(pa.array(rows)) for column in table.columns)]
    names = [f"c{place}" for place in range(len(columns))]
    statement = replace(fetched.statement, keys=(RUN, *fetched.statement.keys))
    return Fetched(statement, pa.Table.from_arrays(columns, names=names))
