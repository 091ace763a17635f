"""What other libraries answer to the questions of ``accuracy_of_answers.py``, each in an environment of its own.

Runs inside the environment of a peer: ``python _answer_peers.py NAME FILE`` reads the values from FILE (numpy's) and
prints one JSON object, the root mean square error of each answer by its name, with its standard error. Every answer
costs ε = 1 in all, by the peer's own account of it.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

#: Quantiles take longer.
RUNS, CHOICES = 20_000, 4_000
HIGH = 100.0


def _error(errors: Iterable[Any]) -> tuple[float, float]:
    """The root mean square, and its standard error as a part of it."""
    squares = np.square(list(errors))
    mean = float(squares.mean())
    return mean**0.5, float(squares.std()) / (2 * mean * len(squares) ** 0.5)


def diffprivlib(values: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Answers about one table, for one person changed: how many there are is taken to be public, as in its manual."""
    from diffprivlib import tools  # type: ignore[import-not-found]  # in its environment

    found = {}
    for name, x in values.items():
        if not name.startswith("table"):
            continue
        ends = {"epsilon": 1.0, "bounds": (0.0, HIGH)}
        found[f"{name} AVG"] = _error(tools.mean(x, **ends) - x.mean() for _ in range(RUNS))
        found[f"{name} SUM"] = _error(tools.sum(x, **ends) - x.sum() for _ in range(RUNS))
        found[f"{name} MEDIAN"] = _error(tools.median(x, **ends) - np.median(x) for _ in range(CHOICES))
        above = x > HIGH / 2
        found[f"{name} COUNT"] = _error(tools.count_nonzero(above, epsilon=1.0) - above.sum() for _ in range(RUNS))
    return found


def smartnoise(values: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """COUNT and AVG of groups, together and alone, for one person more or fewer."""
    import pandas as pd
    import snsql  # type: ignore[import-not-found]  # in its environment

    group, x = values["group"], values["grouped"]
    frame = pd.DataFrame({"pid": np.arange(len(x)), "g": group, "x": x})
    columns = {
        "pid": {"type": "int", "private_id": True},
        "g": {"type": "int"},
        "x": {"type": "float", "lower": 0.0, "upper": HIGH},
    }
    table = {"row_privacy": False, "max_ids": 1, "censor_dims": False, "rows": len(x), **columns}
    means = frame.groupby("g").x.mean().to_numpy()
    many = len(x) / len(means)

    def asked(text: str, runs: int) -> list[list[float]]:
        def reader(epsilon: float) -> Any:  # noqa: ANN401  # untyped library
            privacy = snsql.Privacy(epsilon=epsilon, delta=1e-6)
            return snsql.from_df(frame, privacy=privacy, metadata={"": {"": {"people": table}}})

        price = reader(1.0).get_privacy_cost(text)[0]  # ε is for each column it measures; all together cost 1 then
        private = reader(1.0 / float(price))
        return [row for _ in range(runs) for row in list(private.execute(text))[1:]]

    both = asked("SELECT g, COUNT(*) AS n, AVG(x) AS m FROM people GROUP BY g", 4)
    alone = asked("SELECT g, COUNT(*) AS n FROM people GROUP BY g", 8)
    return {
        "AVG by group, with COUNT": _error(row[2] - means[int(row[0])] for row in both),
        "COUNT by group, with AVG": _error(row[1] - many for row in both),
        "COUNT by group, alone": _error(row[1] - many for row in alone),
    }


PEERS: dict[str, Callable[[dict[str, Any]], dict[str, tuple[float, float]]]] = {
    "diffprivlib": diffprivlib,
    "smartnoise": smartnoise,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with np.load(sys.argv[2]) as stored:
        given = dict(stored.items())
    print(json.dumps(PEERS[sys.argv[1]](given)))
