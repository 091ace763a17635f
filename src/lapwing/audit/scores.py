"""Scores: whatever orders answers from *rather the right input* to *rather the left one*.

The one idea: every event here is a threshold on a score, ``score >= t`` or ``score <= t``. A feature is a score as it
is; tags and whole answers get the logarithm of how often they were seen on each side; a logistic model and, with the
extra ``audit``, boosted trees combine all of them. Scores are fitted on some runs, their thresholds chosen on others.

The score of an answer follows from that answer alone, never from the others that are encoded with it: else the event
would be none, and the proof in ``recheck`` would not hold.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.answer_counts import Keys, left_over_keys, repeats, table, tag_keys, whole_keys
from lapwing.audit.features import Feature, Floats, features, padded, telling
from lapwing.audit.seen_answers import Batch, Encoder

#: A table of whole answers is kept when the same answers come again so often on average.
_REPEATS = 3.0
#: Marks and numbers that are looked for in answers, and numbers that are looked at to find them.
_POINTED, _POINTED_TAGS, _LOOKED = 24, 60, 200_000
#: Remainders that a leak may hide in, and the places of an answer that are divided.
_DIVISORS, _DIVIDED = (10, 9, 16, 7), 6
#: Columns that a model looks at, at most, and tags that become columns of their own.
_COLUMNS, _TAGS = 160, 12
#: Rows by which columns are compared: one that is another in other units is left out.
_COMPARED = 4000
#: A column with less than this share of the largest weight is left out of a logistic model.
_MATTERS = 0.2
_TREES: dict[str, Any] = {"max_iter": 60, "max_leaf_nodes": 8, "learning_rate": 0.15, "early_stopping": False}


@dataclass(frozen=True, slots=True)
class Score:
    """One number per answer, and the words for an event ``score >= t`` (``up``) or ``score <= t``."""

    of: Callable[[Batch], Floats]
    words: Callable[[bool, float], str]


def plain_scores(left: Batch, right: Batch, encoder: Encoder) -> Iterator[Score]:
    """Scores that nothing is fitted for: each tag that occurs, each feature."""
    tags = Counter(left.tags.tolist()), Counter(right.tags.tolist())
    if len(tags[0] | tags[1]) > 1:
        for code in _most_telling(*tags, _POINTED_TAGS):
            yield Score(_is_tag(code), _tag_words(encoder.name(code)))
    width, places = max(left.values.shape[1], right.values.shape[1]), telling(left.values, right.values)
    for feature in features(width, places):
        yield Score(feature.of, _feature_words(feature))
    yield from _mark_scores(left, right, encoder)
    if width > 1:
        yield from _number_scores(left, right)


def fitted_scores(left: Batch, right: Batch, encoder: Encoder, *, models: bool) -> Iterator[Score]:
    """Scores learnt from these runs: tables of tags and of whole answers, and ``models`` of all features."""
    if len(set(left.tags.tolist()) | set(right.tags.tolist())) > 2:
        yield _table(left, right, tag_keys, "the kind of the answer is among those seen more often")
    if repeats(left) >= _REPEATS or repeats(right) >= _REPEATS:
        yield _table(left, right, whole_keys, "the answer is among those seen more often")
    yield from _remainders(left, right)
    if not models or left.values.shape[1] == 0:
        return
    columns = _Columns.fitted(left, right, encoder)
    if columns.count > 1:
        yield _logistic(left, right, columns)
    trees = _boosting(left, right, columns)
    if trees is not None:
        yield trees


# --- tags and features --------------------------------------------------------------------------------------


def _is_tag(code: int) -> Callable[[Batch], Floats]:
    return lambda batch: (batch.tags == code).astype(np.float64)


def _tag_words(tag: str) -> Callable[[bool, float], str]:
    kind = f"the callable {tag}" if tag.startswith("raises ") else f"the answer is {_said(tag)}"
    other = (
        f"the callable does not {tag.replace('raises', 'raise', 1)}"
        if tag.startswith("raises ")
        else f"the answer is not {_said(tag)}"
    )
    return lambda up, _: kind if up else other


def _said(tag: str) -> str:
    """A tag as a person says it."""
    words = {"float": "an ordinary number", "int": "a whole number", "bool": "a truth value", "nan": "NaN"}
    return words.get(tag, f"of the form {tag}" if " of " in tag or tag.startswith("{") else tag)


def _feature_words(feature: Feature) -> Callable[[bool, float], str]:
    return lambda up, threshold: f"{feature.name} is at {'least' if up else 'most'} {threshold:.10g}"


# --- what is in an answer -----------------------------------------------------------------------------------


def _mark_scores(left: Batch, right: Batch, encoder: Encoder) -> Iterator[Score]:
    """Whether an answer has a mark, for those that look most telling."""
    counts = [Counter(chain.from_iterable([] if each.marks is None else each.marks)) for each in (left, right)]
    for code in _most_telling(counts[0], counts[1], _POINTED):
        yield Score(_has_mark(code), _has_words(encoder.mark_names[code]))


def _number_scores(left: Batch, right: Batch) -> Iterator[Score]:
    """Whether a number is anywhere in an answer, for those that look most telling."""
    counts: list[Counter[float]] = []
    for each in (left, right):
        some = each.values[: max(1, _LOOKED // max(1, each.values.shape[1]))]
        counts.append(Counter(chain.from_iterable(set(row) for row in some.tolist())))
    for number in _most_telling(counts[0], counts[1], _POINTED):
        if number == number:  # NaN is a tag's matter
            yield Score(_has_number(number), _has_words(f"has the number {number:.17g} somewhere"))


def _most_telling(left: Counter[Any], right: Counter[Any], most: int) -> list[Any]:
    """What was seen much oftener on one side than on the other; first of all."""

    def apart(entry: object) -> float:
        return abs(left[entry] - right[entry]) / math.sqrt(left[entry] + right[entry])

    return sorted(left | right, key=apart, reverse=True)[:most]


def _has_mark(code: int) -> Callable[[Batch], Floats]:
    def of(batch: Batch) -> Floats:
        if batch.marks is None:
            return np.zeros(len(batch))
        return np.array([code in marks for marks in batch.marks], dtype=np.float64)

    return of


def _has_number(number: float) -> Callable[[Batch], Floats]:
    return lambda batch: (batch.values == number).any(axis=1).astype(np.float64)


def _has_words(mark: str) -> Callable[[bool, float], str]:
    return lambda up, _: f"the answer {mark}" if up else f"it is not so that the answer {mark}"


# --- tables -------------------------------------------------------------------------------------------------


def _table(left: Batch, right: Batch, keys: Keys, words: str) -> Score:
    return Score(
        table(left, right, keys),
        lambda up, t: (
            f"{words} on the {'left' if up else 'right'} (log ratio {'at least' if up else 'at most'} {t:.3g})"
        ),
    )


def _remainders(left: Batch, right: Batch) -> Iterator[Score]:
    """Tables of what is left of each number when it is divided; a number with two values is seen through already."""
    for place in telling(left.values, right.values, _DIVIDED):
        if place < left.values.shape[1] and len(np.unique(left.values[:, place])) <= 2:
            continue
        for divisor in _DIVISORS:
            words = f"number {place + 1} of the answer, divided by {divisor}, leaves what was seen more often"
            yield _table(left, right, left_over_keys(place, divisor), words)


# --- models -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Columns:
    """All features of answers as a table for a model: scaled by what is usual, with columns for the common tags."""

    kept: tuple[Feature, ...]
    tags: tuple[int, ...]
    centres: Floats = field(repr=False)
    spreads: Floats = field(repr=False)

    @classmethod
    def fitted(cls, left: Batch, right: Batch, _encoder: Encoder) -> _Columns:
        both = Batch(np.concatenate([left.tags, right.tags]), _stacked(left, right))
        kept, centres, spreads = [], [], []
        for feature in features(both.values.shape[1], telling(left.values, right.values))[:_COLUMNS]:
            column = feature.of(both)
            finite = column[np.isfinite(column)]
            if len(finite) and finite.min() < finite.max():
                low, middle, high = np.quantile(finite, [0.05, 0.5, 0.95])
                kept.append(feature)
                centres.append(middle)
                spreads.append(
                    max((high - low) / 2, 1e-300) if high > low else max(finite.max() - finite.min(), 1e-300)
                )
        common = Counter(both.tags.tolist()).most_common(_TAGS)
        tags = tuple(code for code, _ in common) if len(common) > 1 else ()
        made = cls(tuple(kept), tags, np.array(centres), np.array(spreads))
        return made.only(_new(made.table(both.take(slice(None, None, max(1, len(both) // _COMPARED))))))

    @property
    def count(self) -> int:
        return len(self.kept) + len(self.tags)

    def each(self, batch: Batch) -> Iterator[Floats]:
        for feature, centre, spread in zip(self.kept, self.centres, self.spreads, strict=True):
            yield np.clip((feature.of(batch) - centre) / spread, -30, 30)
        for code in self.tags:
            yield (batch.tags == code).astype(np.float64)

    def table(self, batch: Batch) -> Floats:
        filled = np.empty((len(batch), self.count))
        for place, column in enumerate(self.each(batch)):
            filled[:, place] = column
        return filled

    def only(self, kept: NDArray[np.bool_]) -> _Columns:
        """Some of the columns."""
        own, others = kept[: len(self.kept)], kept[len(self.kept) :]
        features = tuple(each for each, keep in zip(self.kept, own, strict=True) if keep)
        tags = tuple(each for each, keep in zip(self.tags, others, strict=True) if keep)
        return _Columns(features, tags, self.centres[own], self.spreads[own])


def _new(table: Floats) -> NDArray[np.bool_]:
    """Which columns say something that no earlier one says in other units."""
    spread = np.nan_to_num(table) - np.nan_to_num(table).mean(axis=0)
    length = np.sqrt((spread**2).sum(axis=0))
    alike = np.abs(spread.T @ spread) >= (1 - 1e-9) * np.outer(length, length)
    missing = np.isnan(table)
    kept = np.ones(table.shape[1], dtype=bool)
    for place in range(table.shape[1]):
        earlier = np.flatnonzero(alike[place, :place] & kept[:place])
        kept[place] = not any((missing[:, place] == missing[:, other]).all() for other in earlier)
    return kept


def _stacked(left: Batch, right: Batch) -> Floats:
    width = max(left.values.shape[1], right.values.shape[1])
    return np.vstack([padded(left.values, width), padded(right.values, width)])


def _logistic(left: Batch, right: Batch, columns: _Columns) -> Score:
    """A logistic model, fitted twice: the second time without the columns that hardly mattered."""
    weights = _weights(left, right, columns)
    matter = np.abs(weights[:-1]) > _MATTERS * np.abs(weights[:-1]).max()
    if matter.any() and not matter.all():
        columns = columns.only(matter)
        weights = _weights(left, right, columns)

    def of(batch: Batch) -> Floats:
        score = np.full(len(batch), weights[-1])
        for weight, column in zip(weights[:-1], columns.each(batch), strict=True):
            score += weight * np.nan_to_num(column)  # one by one: a matrix product rounds as its size makes it
        return score

    return Score(of, _learnt("logistic"))


def _weights(left: Batch, right: Batch, columns: _Columns) -> Floats:
    """A few steps of Newton's method, with a small penalty so that there is a best one; the last is the constant."""
    x = np.nan_to_num(np.vstack([columns.table(left), columns.table(right)]))
    x = np.column_stack([x, np.ones(len(x))])
    y = np.repeat([1.0, 0.0], [len(left), len(right)])
    weights = np.zeros(x.shape[1])
    penalty = np.diag(np.append(np.full(x.shape[1] - 1, 1e-3 * len(y)), 1e-9))
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - p) - penalty @ weights
        bend = (x * (p * (1 - p))[:, None]).T @ x + penalty
        step = np.asarray(np.linalg.solve(bend, slope), dtype=np.float64)
        weights = weights + step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def _boosting(left: Batch, right: Batch, columns: _Columns) -> Score | None:
    """Boosted trees, where scikit-learn is installed."""
    try:
        ensemble = importlib.import_module("sklearn.ensemble")
        alone = importlib.import_module("threadpoolctl").threadpool_limits
    except ImportError:
        return None
    if columns.count == 0:
        return None
    model = ensemble.HistGradientBoostingClassifier(**_TREES)
    with alone(limits=1):  # threads that wait for one another take seconds on a busy machine
        model.fit(np.vstack([columns.table(left), columns.table(right)]), np.repeat([1, 0], [len(left), len(right)]))

    def of(batch: Batch) -> Floats:
        with alone(limits=1):
            return np.asarray(model.decision_function(columns.table(batch)))

    return Score(of, _learnt("boosted trees"))


def _learnt(model: str) -> Callable[[bool, float], str]:
    def words(up: bool, threshold: float) -> str:
        side, sign = ("left", "at least") if up else ("right", "at most")
        return f"the answer looks like the {side} input (a learnt score, by {model}, is {sign} {threshold:.4g})"

    return words


def positions(values: NDArray[np.float64], most: int = 120) -> Floats:
    """Thresholds to try: every value if there are few, else quantiles that are dense in both tails."""
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= most:
        return distinct
    tail = np.geomspace(1 / len(distinct), 0.05, most // 4)
    shares = np.unique(np.concatenate([tail, np.linspace(0.05, 0.95, most // 2), 1 - tail, [0.0, 1.0]]))
    return np.unique(distinct[np.round(shares * (len(distinct) - 1)).astype(int)])
