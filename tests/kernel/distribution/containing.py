"""Whether an answer is in an event, said as simply as it can be: what the kernel's way is held against."""

from fractions import Fraction

from lapwing.kernel.evidence.event import AnyOf, Anything, Between, Prefix


def contains(event, answer):
    """Whether ``answer`` is in ``event``. True and 1 are different answers."""
    match event:
        case Anything():
            return True
        case AnyOf(events):
            return any(contains(one, answer) for one in events)
        case bool():
            return isinstance(answer, bool) and answer is event
        case Fraction():
            return not isinstance(answer, bool) and answer == event
        case Between(low, high):
            if isinstance(answer, bool | tuple):
                return False
            return (low is None or low <= answer) and (high is None or answer <= high)
        case Prefix(elements):
            return isinstance(answer, tuple) and len(answer) >= len(elements) and _elementwise(elements, answer)
        case tuple():
            return isinstance(answer, tuple) and len(answer) == len(event) and _elementwise(event, answer)


def _elementwise(events, answers):
    return all(contains(event, answer) for event, answer in zip(events, answers, strict=False))
