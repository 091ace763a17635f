"""Witnesses with one of their values changed, and whether what is left says more than before."""

from dataclasses import replace
from fractions import Fraction


def bent(witness, generator):
    """The witness as JSON with one of its values changed to something else that reads well."""
    data = witness.to_json()
    field = generator.choice([name for name in data if name not in ("kind", "format", "file")])
    value = data[field]
    match value:
        case dict():
            name = generator.choice(list(value))
            data[field] = {**value, name: _changed(value[name], generator)}
        case _:
            data[field] = _changed(value, generator)
    return data


def _changed(value, generator):
    if isinstance(value, bool):
        return not value
    if isinstance(value, list) and value:
        place = generator.randrange(len(value))
        bent = _changed(value[place], generator)
        return generator.choice([[*value[:place], bent, *value[place + 1 :]], value[:place] + value[place + 1 :]])
    if isinstance(value, str):
        try:
            number = Fraction(value)
        except ValueError:
            return value[::-1] + "0"
        by = generator.choice([Fraction(1, 1000), Fraction(-1, 7), Fraction(1), Fraction(-3), Fraction(1, 10**8)])
        return str(number + by)
    if isinstance(value, dict):
        return {name: _changed(each, generator) for name, each in value.items()}
    return generator.choice(["1", "0", []])


def says_no_more(bent, witness):
    """Whether at most the intervals differ, and hold the true ones."""

    def holds(wide, true):
        below = wide.lower is not None and (true.lower is None or wide.lower <= true.lower)
        below = below or (wide.lower is None and true.lower is None)
        return below and (wide.upper is None or (true.upper is not None and true.upper <= wide.upper))

    names = ("probability_left", "probability_right", "log_ratio")
    same = replace(bent, **{name: getattr(witness, name) for name in names})
    return same == witness and all(holds(getattr(bent, name), getattr(witness, name)) for name in names)
