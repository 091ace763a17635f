"""Programs on which coupling proofs were first found by a machine [AH18], as far as the corpus does not have them."""

from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def above_threshold_once(q: list[float], threshold: float, epsilon: float) -> int:
    """The place of the first answer above the threshold."""
    bar = threshold + laplace(2 / epsilon)
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= bar:
            return i
    return len(q)


@mechanism(q=each(1), claim="epsilon")
def numeric_once(q: list[float], threshold: float, epsilon: float) -> tuple[list[bool], list[float]]:
    """Which answers are above the threshold, and a fresh noisy answer to the first that is."""
    bar = threshold + laplace(3 / epsilon)
    out = []
    told = []
    done = False
    for x in q:
        if not done:
            if x + laplace(6 / epsilon) >= bar:
                out.append(True)
                told.append(x + laplace(3 / epsilon))
                done = True
            else:
                out.append(False)
    return (out, told)
