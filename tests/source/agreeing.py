"""Holds a run against Python itself: the same source, given the same numbers for noise."""

from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.inputs import answer
from lapwing.kernel.run.interpret import program


def check_like_python(text, module, name, given, noise, *, counted=True):
    """Fail unless both answer the same after as many draws; ``noise`` makes a fresh function of a scale.

    Where noise that nobody sees need not be drawn, draws are not ``counted``.
    """
    mine, theirs = _Counted(noise()), _Counted(noise())
    space = {"mechanism": lambda **_: lambda function: function, "each": id, "one": id, "laplace": theirs}
    exec(text, space)  # noqa: S102  # our own text
    ran = program(module, name, lambda _kind, arguments: mine(arguments[0]))(dict(given), Meter(10**6))
    meant = space[name](**given)
    returns = module[name].returns
    assert not counted or mine.calls == theirs.calls
    assert answer(ran, returns, 20) == answer(tuple(meant) if isinstance(meant, list) else meant, returns, 20)


class _Counted:
    def __init__(self, noise):
        self.noise, self.calls = noise, 0

    def __call__(self, scale):
        self.calls += 1
        return self.noise(scale)


def listed(draws):
    """Noise that is given in advance, whatever its scale; :func:`check_like_python` takes it from the beginning."""

    def noise():
        left = iter(draws)
        return lambda _scale: next(left)

    return noise
