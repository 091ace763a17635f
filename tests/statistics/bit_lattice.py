"""The bit-lattice test: whether the last bits of an answer tell which input it came from.

Real-valued noise in floating point leaves answers on a grid that depends on the input: 0 + noise can need more than
53 bits after the point, 1 + noise hardly ever does. Answers that are lattice steps, converted once at the end, lie
on the same lattice for every input.
"""

import numpy as np


def share_beyond(answers, bits=53):
    """The share of answers that are not multiples of 2^-bits."""
    scaled = np.ldexp(np.asarray(answers, dtype=np.float64), bits)
    return float((scaled != np.rint(scaled)).mean())


def leak(answers_for_0, answers_for_1, bits=53):
    """How much the shares differ: 0 for a safe mechanism; an attacker who sees one fine answer knows the input."""
    return abs(share_beyond(answers_for_0, bits) - share_beyond(answers_for_1, bits))


def textbook_laplace(value, scale, count):
    """The sampler of the textbooks, by inversion in floating point. Not private; only here to fail."""
    uniform = np.random.default_rng().random(count) - 0.5
    return value - scale * np.sign(uniform) * np.log(1 - 2 * np.abs(uniform))
