"""How far off answers are at one price and one guarantee, beside other libraries: root mean squares in one run.

Needs the extra ``bench`` (OpenDP). Diffprivlib and SmartNoise get environments of their own, made when first needed in
the folder that LAPWING_PEERS names (one among the temporary files unless it is set); where one cannot be made, a line
says so. Every answer is for one person more or fewer, except where a row says that one is changed. A peer is given what
its manual recommends, and of several settings the one that turns out best in a run before the one that counts.
Behind each ratio stands how far chance moves it, at 95 %; a peer is better where the ratio is above 1 by more than
three standard errors, and no row may leave more than 10 % to chance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lapwing.algebra.neighbours import Neighbours
from lapwing.session import Session, open_session
from lapwing.session.protecting import Wishes, protect

EPSILON, DELTA = 1.0, 1e-6
GROUPS, ROWS = 100, 200
#: How often one table is asked for one number; ``LAPWING_RUNS`` makes it surer.
ASKED = int(os.environ.get("LAPWING_RUNS", "1000"))
LIMIT, HIGH = 10, 100.0
#: The most of a ratio that may be left to chance, at 95 %.
CHANCE = 0.1
Floats = np.ndarray


@dataclass(frozen=True)
class Error:
    """A figure of many answers, and its standard error as a part of it."""

    size: float
    chance: float

    @classmethod
    def of(cls, errors: Sequence[float] | Floats) -> Error:
        """The root mean square of errors."""
        squares = np.asarray(errors, np.float64).ravel() ** 2
        mean = float(squares.mean())
        return cls(mean**0.5, float(squares.std()) / (2 * mean * len(squares) ** 0.5) if mean else 0.0)

    @classmethod
    def mean(cls, figures: Sequence[float] | Floats) -> Error:
        """The mean of figures that are no errors."""
        found = np.asarray(figures, np.float64)
        return cls(float(found.mean()), float(found.std()) / (float(found.mean()) * len(found) ** 0.5))


@dataclass(frozen=True)
class Row:
    """Our error and a peer's, in the same units; a smaller one is better. ``least``: larger figures are better."""

    name: str
    ours: Error
    peer: str
    theirs: Error
    least: bool = False

    @property
    def ratio(self) -> float:
        """Above 1 where the peer is better."""
        mine, theirs = (self.theirs.size, self.ours.size) if self.least else (self.ours.size, self.theirs.size)
        return mine / theirs if theirs else float(mine > 0) * 2

    @property
    def spread(self) -> float:
        """The standard error of the ratio."""
        return self.ratio * float(np.hypot(self.ours.chance, self.theirs.chance))

    @property
    def missed(self) -> str:
        """What is wrong with the row: the peer is better, or nobody can tell."""
        if self.ratio - 3 * self.spread > 1:
            return "   MISSED"
        return "" if self.ratio + 1.96 * self.spread <= 1 or 1.96 * self.spread <= CHANCE else "   TOO FEW RUNS"

    def __str__(self) -> str:
        return (
            f"{self.name:<44}{self.ours.size:>11.4g}   {self.peer:<28}{self.theirs.size:>11.4g}{self.ratio:>8.2f}x"
            f" ± {1.96 * self.spread:.2f}{self.missed}"
        )


@contextmanager
def asking(table: pa.Table, **wishes: Any) -> Iterator[Session]:  # noqa: ANN401  # those of Wishes
    """A session on a table that was just protected."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "people.parquet"
        pq.write_table(table, path)
        protect(path, Wishes(**({"unit": None, "epsilon": 10**6} | wishes)))
        with open_session(path) as session:
            yield session


def ours(session: Session, text: str, runs: int, delta: float | None = None) -> list[pa.Table]:
    """A question asked again and again; {n} in it makes each another one."""
    return [session.sql(text.format(n=n + 1), epsilon=EPSILON, delta=delta).table for n in range(runs)]


# --- OpenDP ----------------------------------------------------------------------------------------------


def _opendp() -> Any:  # noqa: ANN401  # the library
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def opendp_sum(epsilon: float, low: float, high: float, rows: int = 1) -> Callable[[Floats], float]:
    """A sum of clamped values of people with so many rows; of thousandths, as its sums of floats move further."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    total = space >> dp.t.then_clamp((round(1000 * low), round(1000 * high))) >> dp.t.then_sum()
    noisy = dp.binary_search_chain(lambda scale: total >> dp.m.then_laplace(scale), rows, epsilon)
    return lambda values: float(noisy(np.rint(1000 * values).astype(np.int64))) / 1000


def opendp_count(epsilon: float) -> Callable[[Floats], float]:
    """The number of rows."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    noisy = dp.binary_search_chain(lambda scale: space >> dp.t.then_count() >> dp.m.then_laplace(scale), 1, epsilon)
    return lambda values: float(noisy(values))


def opendp_mean(epsilon: float, low: float, high: float) -> Callable[[Floats], tuple[float, float]]:
    """A count and a mean, of values less the middle of their range: half of ε for the sum and half for the count."""
    middle, half = (low + high) / 2, (high - low) / 2
    total, count = opendp_sum(epsilon / 2, -half, half), opendp_count(epsilon / 2)

    def released(values: Floats) -> tuple[float, float]:
        n = count(values)
        return n, float(np.clip(middle + total(values - middle) / max(n, 1), low, high))

    return released


def opendp_median(epsilon: float, low: float, high: float, candidates: int) -> Callable[[Floats], float]:
    """The exponential mechanism over evenly spaced candidates."""
    dp = _opendp()
    points = [float(each) for each in np.linspace(low, high, candidates)]
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    scores = space >> dp.t.then_quantile_score_candidates(points, 0.5)
    noisy = dp.binary_search_chain(
        lambda scale: scores >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True), 1, epsilon
    )
    return lambda values: points[noisy(values)]


def opendp_keys(epsilon: float, delta: float) -> Callable[[list[str]], int]:
    """How many keys are shown of people in one group each.

    OpenDP 0.16 states the chance that one person's count rises *above* the threshold, and shows counts that reach it:
    at a threshold of 3 it states δ 0.036 and shows a group of one person in 10 %. So it gets a threshold one larger.
    """
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = space >> dp.t.then_count_by()

    def at(threshold: int) -> Any:  # noqa: ANN401  # a measurement
        return counts >> dp.m.then_laplace_threshold(scale=1 / epsilon, threshold=threshold)

    threshold = next(each for each in range(1, 1000) if at(each).map(1)[1] <= delta)
    noisy = at(threshold + 1)
    return lambda keys: len(noisy(keys))


# --- rows ------------------------------------------------------------------------------------------------


def _salaries(many: int, seed: int = 1) -> Floats:
    """Skewed, as incomes are, most far below the middle of their range."""
    return np.random.default_rng(seed).lognormal(3, 0.6, many)


def grouped_counts_and_means() -> Iterator[Row]:
    """COUNT and AVG of 100 groups of 200 rows, alone and together, for values in the middle and near an end."""
    group = np.repeat(np.arange(GROUPS), ROWS)
    keys = {"g": list(range(GROUPS))}
    for name, values in {
        "all over": np.random.default_rng(2).uniform(0, HIGH, len(group)),
        "skewed": _salaries(len(group)).clip(0, HIGH),
    }.items():
        truth = np.array([values[group == g].mean() for g in range(GROUPS)])
        with asking(pa.table({"g": group, "x": values}), bounds={"x": (0, HIGH)}, keys=keys) as session:
            both = ours(session, "SELECT g, COUNT(*) AS n, AVG(x) AS m FROM people WHERE x > -{n} GROUP BY g", 40)
            alone = ours(session, "SELECT g, COUNT(*) AS n FROM people WHERE x > -{n} GROUP BY g", 60)
            spread = ours(session, "SELECT g, STDDEV(x) AS s FROM people WHERE x > -{n} GROUP BY g", 20)
        peer, counting = opendp_mean(EPSILON, 0, HIGH), opendp_count(EPSILON)
        found = [[peer(values[group == g]) for g in range(GROUPS)] for _ in range(10)]
        theirs = np.array(found)
        yield Row(
            f"AVG by group, {name}, with COUNT",
            Error.of(np.concatenate([each["m"].to_numpy() - truth for each in both])),
            "OpenDP, sum and count",
            Error.of(theirs[:, :, 1] - truth),
        )
        yield Row(
            f"COUNT by group, {name}, with AVG",
            Error.of(np.concatenate([each["n"].to_numpy() - ROWS for each in both])),
            "OpenDP, sum and count",
            Error.of(theirs[:, :, 0] - ROWS),
        )
        yield Row(
            f"COUNT by group, {name}, alone",
            Error.of(np.concatenate([each["n"].to_numpy() - ROWS for each in alone])),
            "OpenDP",
            Error.of([counting(values[group == g]) - ROWS for g in range(GROUPS) for _ in range(60)]),
        )
        deviations = np.array([values[group == g].std() for g in range(GROUPS)])
        yield Row(
            f"STDDEV by group, {name}",
            Error.of(np.concatenate([each["s"].to_numpy() - deviations for each in spread])),
            "OpenDP, three sums",
            Error.of([_deviation(values[group == g]) - deviations[g] for g in range(GROUPS) for _ in range(5)]),
        )


def _deviation(values: Floats) -> float:
    """From OpenDP's count, sum and sum of squares, each at a third of ε, around the middle."""
    centred, half = values - HIGH / 2, HIGH / 2
    third = EPSILON / 3
    count, total, squares = _thirds(third, half)
    n = max(count(centred), 1)
    variance = squares(centred**2) / n - (total(centred) / n) ** 2
    return float(np.sqrt(np.clip(variance, 0, half**2)))


_MADE: dict[str, tuple[Callable[[Floats], float], ...]] = {}


def _thirds(third: float, half: float) -> tuple[Callable[[Floats], float], ...]:
    if "thirds" not in _MADE:
        _MADE["thirds"] = (opendp_count(third), opendp_sum(third, -half, half), opendp_sum(third, 0, half**2))
    return _MADE["thirds"]


def sums_with_a_limit() -> Iterator[Row]:
    """Sums over people of whom some have many rows, ten of each counting: the noise, which is all that may differ.

    A person is in one of 500 groups, so that the noise of each sum is that of one sum alone.
    """
    groups, people = 500, 2_000
    random = np.random.default_rng(4)
    many = np.where(random.random(people) < 0.1, 60, random.integers(1, 10, people))
    person = np.repeat(np.arange(people), many)
    values = _salaries(len(person), 5).clip(0, HIGH)
    frame = pa.table({"person": person, "g": person % groups, "x": values})
    wishes = {"unit": "person", "rows_per_unit": LIMIT, "bounds": {"x": (0, HIGH)}, "keys": {"g": list(range(groups))}}
    with asking(frame, **wishes) as session:
        found = ours(session, "SELECT g, SUM(x) AS s FROM people WHERE x > -{n} GROUP BY g", 40)
    mine = np.array([each["s"].to_numpy() for each in found])
    kept = np.concatenate([np.arange(n) for n in many]) < LIMIT
    peer = opendp_sum(EPSILON, 0, HIGH, LIMIT)
    theirs = []
    for group in range(groups):
        rows = values[kept & (person % groups == group)]
        theirs += [peer(rows) - rows.sum() for _ in range(40)]
    within = np.sqrt(40 / 39)  # of forty answers about their own mean
    yield Row(
        "SUM, ten rows a person",
        Error.of((mine - mine.mean(axis=0)) * within),
        "OpenDP, the first ten rows",
        Error.of(theirs),
    )


def medians() -> Iterator[Row]:
    """Few and many values, in a range that fits them and in one that is a thousand times too wide.

    Each row is a person and each group a table, so that every median has the whole price.
    """
    for many, groups, runs in ((500, 100, 50), (20_000, 10, 300)):
        values = np.random.default_rng(6).normal(47.37, 15, (groups, many)).clip(0, 100)
        truths = np.median(values, axis=1)
        for high in (100, 100_000):
            frame = pa.table({"g": np.repeat(np.arange(groups), many), "x": values.ravel()})
            with asking(frame, bounds={"x": (0, high)}, keys={"g": list(range(groups))}) as session:
                found = ours(session, "SELECT g, MEDIAN(x) AS m FROM people WHERE x > -{n} GROUP BY g", runs)
            mine = np.array([each["m"].to_numpy() for each in found]) - truths
            grids = (101, 1_001, 10_001)
            first = [_median_errors(values[:4], truths, high, each, 10).size for each in grids]
            best = grids[int(np.argmin(first))]
            theirs = _median_errors(values, truths, high, best, 5_000 // groups)
            yield Row(f"MEDIAN of {many:,} in [0, {high:,}]", Error.of(mine), "OpenDP, best of 3 grids", theirs)


def _median_errors(tables: Floats, truths: Floats, high: float, candidates: int, runs: int) -> Error:
    peer = opendp_median(EPSILON, 0, high, candidates)
    return Error.of([peer(each) - truth for each, truth in zip(tables, truths, strict=False) for _ in range(runs)])


def unknown_keys() -> Iterator[Row]:
    """How many of 60 groups, of 1 to 60 people, are shown at (1, 1e-6)."""
    keys = np.repeat([f"k{n:02}" for n in range(1, 61)], np.arange(1, 61))
    with asking(pa.table({"k": keys, "x": np.arange(len(keys))}), delta=1e-3, bounds={"x": (0, 10**4)}) as session:
        text = "SELECT k, COUNT(*) AS n FROM people WHERE x > -{n} GROUP BY k"
        found = ours(session, text, 100, DELTA)
    peer = opendp_keys(EPSILON, DELTA)
    listed = [str(each) for each in keys]
    yield Row(
        "unknown keys: groups shown of 60",
        Error.mean([len(each) for each in found]),
        "OpenDP, Laplace threshold",
        Error.mean([peer(listed) for _ in range(100)]),
        least=True,
    )


#: By peer: what is installed in its environment.
PACKAGES = {"diffprivlib": ("diffprivlib==0.6.6", "scikit-learn<1.6"), "smartnoise": ("smartnoise-sql==1.0.10",)}


def _said_by(peer: str, values: dict[str, Floats]) -> dict[str, Error]:
    """The errors of a peer in its own environment; empty where that cannot be made."""
    folder = Path(os.environ.get("LAPWING_PEERS") or Path(tempfile.gettempdir()) / "lapwing-answer-peers")
    place = folder / peer
    python, done = place / "bin" / "python", place / "installed"
    try:
        if not done.is_file():
            print(f"making the environment {peer} ...", flush=True)
            venv.create(place, with_pip=True, clear=True)
            install = [python, "-m", "pip", "install", "--quiet", *PACKAGES[peer]]
            subprocess.run(install, check=True, capture_output=True)  # noqa: S603  # our own words
            done.touch()
        with tempfile.TemporaryDirectory() as given:
            np.savez(Path(given) / "values.npz", **values)
            command = [python, Path(__file__).with_name("_answer_peers.py"), peer, Path(given) / "values.npz"]
            ran = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # our own words
    except (OSError, subprocess.CalledProcessError):
        print(f"{peer} cannot be installed or run here, and is left out", flush=True)
        return {}
    return {name: Error(*found) for name, found in json.loads(ran.stdout.splitlines()[-1]).items()}


def one_changed() -> Iterator[Row]:
    """AVG, SUM, MEDIAN and COUNT of a whole table beside diffprivlib's, which are for one person changed.

    It takes for granted that no value is missing: whether a person's is would be told by a mean that is no number. Here
    that is said in the question, and the mean pays for no count of values that are missing.
    """
    tables = {f"table of {many:,}": _salaries(many, 8).clip(0, HIGH) for many in (500, 20_000)}
    theirs = _said_by("diffprivlib", tables)
    texts = {
        "AVG": "SELECT AVG(COALESCE(x, 0)) AS a{n} FROM people",
        "SUM": "SELECT SUM(x) AS a{n} FROM people",
        "MEDIAN": "SELECT MEDIAN(x) AS a{n} FROM people",
        "COUNT": "SELECT COUNT(*) AS a{n} FROM people WHERE x > 50",
    }
    truths: dict[str, Callable[[Floats], float]] = {
        "AVG": lambda x: float(x.mean()),
        "SUM": lambda x: float(x.sum()),
        "MEDIAN": lambda x: float(np.median(x)),
        "COUNT": lambda x: float((x > HIGH / 2).sum()),
    }
    for name, values in tables.items() if theirs else ():
        wishes = {"bounds": {"x": (0, HIGH)}, "neighbours": Neighbours.REPLACED}
        with asking(pa.table({"x": values}), **wishes) as session:
            for each, text in texts.items():
                found = [table.column(0)[0].as_py() for table in ours(session, text, ASKED)]
                error = Error.of(np.array(found) - truths[each](values))
                yield Row(f"{each} of a {name}, one changed", error, "diffprivlib", theirs[f"{name} {each}"])


def grouped_beside_smartnoise() -> Iterator[Row]:
    """COUNT and AVG of 100 groups of 200 rows beside SmartNoise's."""
    group = np.repeat(np.arange(GROUPS), ROWS)
    values = np.random.default_rng(2).uniform(0, HIGH, len(group))
    theirs = _said_by("smartnoise", {"group": group, "grouped": values})
    if not theirs:
        return
    truth = np.array([values[group == g].mean() for g in range(GROUPS)])
    keys = {"g": list(range(GROUPS))}
    with asking(pa.table({"g": group, "x": values}), bounds={"x": (0, HIGH)}, keys=keys) as session:
        both = ours(session, "SELECT g, COUNT(*) AS n, AVG(x) AS m FROM people WHERE x > -{n} GROUP BY g", 20)
        alone = ours(session, "SELECT g, COUNT(*) AS n FROM people WHERE x > -{n} GROUP BY g", 20)
    errors = {
        "AVG by group, with COUNT": [each["m"].to_numpy() - truth for each in both],
        "COUNT by group, with AVG": [each["n"].to_numpy() - ROWS for each in both],
        "COUNT by group, alone": [each["n"].to_numpy() - ROWS for each in alone],
    }
    for name, found in errors.items():
        yield Row(name, Error.of(np.concatenate(found)), "SmartNoise", theirs[name])


PARTS: Sequence[Callable[[], Iterator[Row]]] = (
    grouped_counts_and_means,
    sums_with_a_limit,
    medians,
    unknown_keys,
    one_changed,
    grouped_beside_smartnoise,
)


def main() -> bool:
    """Print every error beside the peer's; True where no peer is better."""
    if find_spec("opendp") is None:
        print("OpenDP is not installed; install it with: pip install 'lapwing[bench]'")
        return True
    print(f"root mean square errors at ε = {EPSILON:g}; the ratio is ours to theirs")
    met = True
    for part in PARTS:
        for row in part():
            print(row, flush=True)
            met &= not row.missed
    return met


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
