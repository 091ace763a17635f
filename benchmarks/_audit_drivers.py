"""The targets of ``audit_targets.py``: each a short driver of a library, its claim, and two inputs.

Runs inside the environment of a target: ``python _audit_drivers.py SECONDS NAME...`` prints one JSON object per target.
A driver says nothing about what is wrong: the audit is the same for all of them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import lapwing
from lapwing.audit.finding import Finding
from lapwing.audit.recheck import Recounted, recheck_json


@dataclass(frozen=True)
class Driven:
    """A callable, its claim, and inputs: a pair, or neighbours to search."""

    function: Callable[..., Any] | None
    epsilon: object
    delta: object = 0
    inputs: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)


def _opendp() -> Any:  # noqa: ANN401  # untyped library
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def laplace_threshold() -> Driven:
    """Opendp's Laplace threshold: a key that is there or not."""
    dp = _opendp()
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    metric = dp.l01inf_distance(dp.absolute_distance(T=int))
    mechanism = dp.m.make_laplace_threshold(domain, metric, scale=1.0, threshold=5)
    epsilon, delta = mechanism.map((1, 1, 1))
    return Driven(mechanism, epsilon, delta, ({"a": 1}, {}))


def _private_frame(
    columns: dict[str, Any],
    margin: dict[str, Any],
    plan: Any,  # noqa: ANN401  # untyped library
    bound: dict[str, Any],
) -> tuple[Any, float]:
    """A private plan of opendp's, and what it says it costs."""
    dp = _opendp()
    series = [dp.series_domain(name, domain) for name, domain in columns.items()]
    domain = dp.with_margin(dp.lazyframe_domain(series), dp.polars.Margin(**margin))
    metric = dp.frame_distance(dp.symmetric_distance())
    mechanism = dp.m.make_private_lazyframe(domain, metric, dp.max_divergence(), plan)
    return mechanism, mechanism.map([dp.polars.Bound(**bound)])


def polars_cast_count() -> Driven:
    """Opendp's count of a column after a cast, on a margin of public length."""
    dp = _opendp()
    import polars as pl

    frame = pl.LazyFrame({"x": [1.0]})
    plan = frame.select(pl.col("x").cast(pl.Int64, strict=False).count().dp.noise(scale=1.0))
    columns = {"x": dp.atom_domain(T="f64", nan=True)}
    margin = {"by": [], "max_length": 3, "invariant": "lengths"}
    mechanism, epsilon = _private_frame(columns, margin, plan, {"by": [], "per_group": 1, "num_groups": 1})

    def count(values: list[float]) -> object:
        return mechanism(pl.LazyFrame({"x": values})).collect()["x"][0]

    return Driven(count, epsilon, 0, ([1.0, 2.0, float("nan")], [1.0, 2.0, 3.0]))


def polars_group_sum() -> Driven:
    """Opendp's grouped sum under a margin with a largest length: three rows of 10 against three of -10."""
    dp = _opendp()
    import polars as pl

    plan = pl.LazyFrame({"A": ["x"], "B": [10]}).group_by("A").agg(pl.col("B").dp.sum((-10, 10), scale=30))
    columns = {"A": dp.atom_domain(T=str), "B": dp.atom_domain(T="i32")}
    margin = {"by": ["A"], "max_length": 3, "invariant": "keys"}
    mechanism, epsilon = _private_frame(columns, margin, plan, {"by": ["A"], "per_group": 6, "num_groups": 1})

    def total(value: int) -> object:
        rows = pl.LazyFrame({"A": ["x"] * 3, "B": pl.Series([value] * 3, dtype=pl.Int32)})
        return mechanism(rows).collect()["B"][0]

    return Driven(total, epsilon, 0, (10, -10))


def bitvector() -> Driven:
    """Opendp's randomized response on a vector of bits."""
    dp = _opendp()
    mechanism = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)
    return Driven(mechanism, mechanism.map(1), 0, (b"\x80", b"\x00"))


def opendp_laplace() -> Driven:
    """Opendp's Laplace noise on floats: a control."""
    dp = _opendp()
    mechanism = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)
    return Driven(mechanism, mechanism.map(1.0), 0, (0.0, 1.0))


def diffprivlib_laplace() -> Driven:
    """Diffprivlib's Laplace mechanism on floats."""
    from diffprivlib.mechanisms import Laplace

    return Driven(Laplace(epsilon=1, sensitivity=1).randomise, 1, 0, (0.0, 1.0))


def _tool(name: str, neighbours: str = "replaced") -> Callable[[], Driven]:
    def driven() -> Driven:
        import diffprivlib.tools as tools

        from lapwing.audit.awkward import added, numbers, replaced

        function = getattr(tools, name)
        more = {"quant": 0.5} if name == "quantile" else {}
        call = lambda values: function(np.array(values, dtype=float), **more, epsilon=1, bounds=(0, 1))  # noqa: E731  # a driver is one line
        make = added if neighbours == "added" else replaced
        return Driven(call, 1, 0, (), {"neighbours": make(numbers(0, 1, outside=True), sizes=(1, 2, 3, 10))})

    return driven


def nanmean_of_nothing() -> Driven:
    """Diffprivlib's nanmean, where the only value is missing."""
    import diffprivlib.tools as tools

    return Driven(lambda x: tools.nanmean(x, epsilon=1, bounds=(0, 1)), 1, 0, (np.array([0.0]), np.array([np.nan])))


def mean_of_nothing() -> Driven:
    """Diffprivlib's mean of no value against one."""
    import diffprivlib.tools as tools

    return Driven(lambda x: tools.mean(x, epsilon=1, bounds=(0, 1)), 1, 0, (np.array([]), np.array([0.5])))


def linear_regression() -> Driven:
    """Diffprivlib's linear regression, one x changed from 1 to 100."""
    from diffprivlib.models import LinearRegression

    def fit(x: Any) -> Any:  # noqa: ANN401  # an array
        model = LinearRegression(epsilon=1, bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False)
        return model.fit(x, np.full(len(x), 0.5)).coef_

    left = np.full((10, 1), 1.0)
    right = left.copy()
    right[0, 0] = 100.0
    return Driven(fit, 1, 0, (left, right))


def nansum() -> Driven:
    """Diffprivlib's nansum: integers in, floating-point noise out."""
    import diffprivlib.tools as tools

    return Driven(
        lambda x: tools.nansum(x, epsilon=1, bounds=(0, 1)),
        1,
        0,
        (np.array([0.0, 0.2, 0.4]), np.array([0.0, 0.2, 0.9])),
    )


def control_histogram() -> Driven:
    """Diffprivlib's histogram, one row more: a control (one row changed moves two of its bins)."""
    import diffprivlib.tools as tools

    inputs = (np.array([0.0, 0.2]), np.array([0.0, 0.2, 0.9]))
    return Driven(lambda x: tools.histogram(x, epsilon=1, bins=3, range=(0, 1))[0], 1, 0, inputs)


def control_count() -> Driven:
    """Diffprivlib's count_nonzero: a control."""
    import diffprivlib.tools as tools

    return Driven(
        lambda x: tools.count_nonzero(x, epsilon=1), 1, 0, (np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0]))
    )


def numpy_laplace() -> Driven:
    """Textbook Laplace noise in floats."""
    generator = np.random.default_rng()
    return Driven(lambda x: x + generator.laplace(0.0, 1.0), 1, 0, (0.0, 1.0))


def lattice_laplace() -> Driven:
    """The same, rounded to multiples of 2^-10: a control."""
    generator = np.random.default_rng()
    return Driven(lambda x: float(np.round((x + generator.laplace(0.0, 1.0)) * 1024) / 1024), 1, 0, (0.0, 1.0))


def textbook_mean() -> Driven:
    """A mean whose noise follows the private number of rows."""
    generator = np.random.default_rng()
    return Driven(lambda v: float(np.mean(v)) + generator.laplace(0.0, 1 / len(v)), 1, 0, ([0.0], [0.0, 1.0]))


def _vector(batch: Callable[[Any, int], Any], left: Any, right: Any, epsilon: float) -> Driven:  # noqa: ANN401  # arrays
    return Driven(None, epsilon, 0, (), {"batch": batch, "left": left, "right": right})


def svt5() -> Driven:
    """Sparse vector without noise on the queries."""
    generator = np.random.default_rng()

    def batch(q: Any, n: int) -> Any:  # noqa: ANN401  # arrays
        return np.asarray(q) >= 1 + generator.laplace(0, 2 / 0.1, (n, 1))

    return _vector(batch, [0.0] * 5 + [2.0] * 5, [1.0] * 10, 0.1)


def svt6() -> Driven:
    """Sparse vector without a limit of answers."""
    generator = np.random.default_rng()

    def batch(q: Any, n: int) -> Any:  # noqa: ANN401  # arrays
        noisy = np.asarray(q) + generator.laplace(0, 2 / 0.1, (n, len(q)))
        return noisy >= 1 + generator.laplace(0, 2 / 0.1, (n, 1))

    return _vector(batch, [0.0] * 5 + [2.0] * 5, [1.0] * 10, 0.1)


def noisy_max_value() -> Driven:
    """The largest noisy number itself, of five."""
    generator = np.random.default_rng()

    def batch(q: Any, n: int) -> Any:  # noqa: ANN401  # arrays
        return (np.asarray(q) + generator.laplace(0, 2 / 0.1, (n, len(q)))).max(axis=1)

    return _vector(batch, [0.0] * 5, [1.0] * 5, 0.1)


TOOLS = ("mean", "var", "std", "sum", "median", "quantile")
TARGETS: dict[str, Callable[[], Driven]] = {
    "laplace_threshold": laplace_threshold,
    "polars_cast_count": polars_cast_count,
    "polars_group_sum": polars_group_sum,
    "bitvector": bitvector,
    "opendp_laplace": opendp_laplace,
    "diffprivlib_laplace": diffprivlib_laplace,
    **{f"tool_{name}": _tool(name) for name in TOOLS},
    "nanmean_of_nothing": nanmean_of_nothing,
    "mean_of_nothing": mean_of_nothing,
    "linear_regression": linear_regression,
    "nansum": nansum,
    "control_histogram": control_histogram,
    "control_count": control_count,
    "numpy_laplace": numpy_laplace,
    "lattice_laplace": lattice_laplace,
    "textbook_mean": textbook_mean,
    "svt5": svt5,
    "svt6": svt6,
    "noisy_max_value": noisy_max_value,
}


def _audited(driven: Driven, name: str, seconds: float) -> Finding:
    claim = {"epsilon": driven.epsilon, "delta": driven.delta}
    return lapwing.audit(driven.function, *driven.inputs, **claim, seconds=seconds, name=name, **driven.keywords)


def _computing() -> float:
    """Seconds of computing so far, here and in processes that were split off: a busy machine changes the others."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main(names: list[str], seconds: float) -> None:
    """Audit these targets, one JSON object each."""
    for name in names:
        driven = TARGETS[name]()
        began, computed = time.perf_counter(), _computing()
        try:
            finding = _audited(driven, name, seconds)
        except lapwing.LapwingError as refused:
            sys.stderr.write(f"{name}: {refused}\n")
            continue
        took, computing = time.perf_counter() - began, _computing() - computed
        data = json.loads(json.dumps(finding.to_json()))
        accepted = isinstance(recheck_json(data)[1], Recounted)
        left, right, pairs = finding.counts
        result = {
            "target": name, "verdict": finding.verdict, "claim": [float(finding.epsilon), float(finding.delta)],
            "at_least": float(finding.at_least), "pairs": finding.pairs, "seconds": round(took, 2),
            "computing": round(computing, 2),
            "event": finding.event, "left": left, "right": right, "of": pairs, "rechecked": accepted,
            "suspicions": list(finding.suspicions),
        }  # fmt: skip
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[2:] or list(TARGETS), float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)
