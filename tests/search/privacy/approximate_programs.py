"""Programs with a δ as strangers might write them, and their wrong neighbours."""

HEAD = "from lapwing import each, exponential, laplace, mechanism, one, within\n\n\n"
TIGHT = '("epsilon", "2.6 * exp(epsilon / 2 - epsilon * (high - low) / 4)")'


def between(body, claim=TIGHT, returns="int", asserts="epsilon > 0"):
    return f"""{HEAD}
@mechanism(q=each(1), claim={claim})
def f(q: list[float], low: float, high: float, epsilon: float) -> {returns}:
    assert {asserts}
{body}"""


LOOP = """    for i, x in enumerate(q):
        noisy = x + laplace(6 / epsilon)
        if {test}:
            return i
    return len(q)
"""
DRAWN = "    u = laplace(2 / epsilon)\n"
FLAGGED = """    done = False
    out = []
    for x in q:
        if not done:
            hit = low - u <= x + laplace(6 / epsilon) <= high + u
            out.append(hit)
            if hit:
                done = True
    return out
"""
BETWEEN = {
    "chained": between(DRAWN + LOOP.format(test="low - u <= noisy <= high + u")),
    "and": between(DRAWN + LOOP.format(test="noisy >= low - u and noisy <= high + u")),
    "strict": between(DRAWN + LOOP.format(test="low - u < noisy and high + u > noisy")),
    "not or": between(DRAWN + LOOP.format(test="not (noisy < low - u or noisy > high + u)")),
    "moved over": between(DRAWN + LOOP.format(test="noisy + u >= low and noisy - u <= high")),
    "other sign": between(DRAWN + LOOP.format(test="low + u <= noisy <= high - u")),
    "named": between(
        "    wobble = laplace(2 / epsilon)\n    bottom = low - wobble\n    top = high + wobble\n"
        + LOOP.format(test="bottom <= noisy and noisy <= top")
    ),
    "no name for the noise": between(
        DRAWN
        + """    for i, x in enumerate(q):
        if low - u <= x + laplace(6 / epsilon) <= high + u:
            return i
    return len(q)
"""
    ),
    "nested": between(
        DRAWN
        + """    for i, x in enumerate(q):
        noisy = x + laplace(6 / epsilon)
        if noisy >= low - u:
            if noisy <= high + u:
                return i
    return len(q)
"""
    ),
    "by index": between(
        DRAWN
        + """    for i in range(len(q)):
        noisy = q[i] + laplace(6 / epsilon)
        if low - u <= noisy <= high + u:
            return i
    return len(q)
"""
    ),
    "once found, no more": between(
        DRAWN
        + """    found = -1
    for i in range(len(q)):
        if found < 0:
            noisy = q[i] + laplace(6 / epsilon)
            if low - u <= noisy <= high + u:
                found = i
    return found
"""
    ),
    "a flag": between(DRAWN + FLAGGED, returns="list[bool]"),
    "break": between(
        DRAWN
        + """    where = len(q)
    for i, x in enumerate(q):
        noisy = x + laplace(6 / epsilon)
        if low - u <= noisy <= high + u:
            where = i
            break
    return where
"""
    ),
    "labels": between(
        DRAWN
        + """    out = []
    for x in q:
        noisy = x + laplace(6 / epsilon)
        if noisy < low - u:
            out.append(-1)
        elif noisy > high + u:
            out.append(1)
        else:
            out.append(0)
            break
    return out
""",
        returns="list[int]",
    ),
    "a fresh value": between(
        DRAWN
        + """    for x in q:
        noisy = x + laplace(6 / epsilon)
        if low - u <= noisy <= high + u:
            return x + laplace(1 / epsilon)
    return 0.0
""",
        claim='("2 * epsilon", "2.6 * exp(epsilon / 2 - epsilon * (high - low) / 4)")',
        returns="float",
    ),
}

RELEASE = """{head}
@mechanism(gap=within(1), value=within("bound", given="{given}"), claim=("2 * epsilon", "{delta}"))
def f(gap: float, value: float, bound: float, threshold: float, epsilon: float) -> {returns}:
    assert epsilon > 0 and bound > 0
{body}"""
PAIR = "tuple[bool, float]"
HALF = "exp(-epsilon * threshold) / 2"


def release(body, given="gap > 0", delta=HALF, returns=PAIR):
    return RELEASE.format(head=HEAD, given=given, delta=delta, body=body, returns=returns)


RELEASED = {
    "at once": release(
        """    if gap + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
"""
    ),
    "named": release(
        """    far = gap + laplace(1 / epsilon)
    out = 0.0
    if far >= threshold:
        out = value + laplace(bound / epsilon)
    return (far >= threshold, out)
"""
    ),
    "refused first": release(
        """    if gap + laplace(1 / epsilon) <= threshold:
        return (False, 0.0)
    return (True, value + laplace(bound / epsilon))
"""
    ),
    "the other way round": release(
        """    if threshold < gap - laplace(1 / epsilon):
        noise = laplace(bound / epsilon)
        return (True, noise + value)
    else:
        return (False, 0.0)
"""
    ),
    "at least one": release(
        """    if gap + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
""",
        given="gap >= 1",
        delta="exp(epsilon - epsilon * threshold) / 2",
    ),
    "half the noise": release(
        """    if gap + laplace(2 / epsilon) > threshold:
        return (True, value + laplace(2 * bound / (3 * epsilon)))
    return (False, 0.0)
""",
        delta="exp(-epsilon * threshold / 2) / 2",
    ),
}

KEYED = f"""{HEAD}
@mechanism(lead=within(2), key=within(0, given="lead > 2"), claim=("epsilon", "exp(-epsilon * threshold / 2) / 2"))
def f(lead: float, key: int, threshold: float, epsilon: float) -> int:
    assert epsilon > 0 and threshold > 0
    if lead + laplace(2 / epsilon) > 2 + threshold:
        return key
    return -1
"""


def histogram(body, relation="one(1)", delta="exp(-epsilon * (threshold - 1))", returns="list[float]", kind="int"):
    return f"""{HEAD}
@mechanism(counts={relation}, claim=("epsilon", "{delta}"))
def f(counts: list[{kind}], threshold: float, epsilon: float) -> {returns}:
    assert threshold >= 1 and epsilon > 0
    out = []
    for c in counts:
{body}
    return out
"""


STABLE = """        released = 0.0
        if c > 0:
            noisy = c + laplace(1 / epsilon)
            if noisy > threshold:
                released = noisy
        out.append(released)"""
STABLES = {
    "released": histogram(STABLE),
    "reals": histogram(STABLE, kind="float"),
    "which keys": histogram(
        """        found = False
        if c > 0:
            found = c + laplace(1 / epsilon) > threshold
        out.append(found)""",
        returns="list[bool]",
    ),
}

RIGHT = {
    **{f"between, {name}": text for name, text in BETWEEN.items()},
    **{f"release, {name}": text for name, text in RELEASED.items()},
    **{f"histogram, {name}": text for name, text in STABLES.items()},
    "key": KEYED,
}

CLAIM = '("epsilon", "2.6 * exp(epsilon / 2 - epsilon * (high - low) / 4)")'
PUBLISHED = '("epsilon", "10 / epsilon * exp(1 - epsilon * (high - low) / 12)")'
CHAINED = LOOP.format(test="low - u <= noisy <= high + u")
WRONG = {
    "a flag that is never set": between(DRAWN + FLAGGED.replace("done = True", "done = False"), returns="list[bool]"),
    "W2 both thresholds move one way": between(DRAWN + LOOP.format(test="low + u <= noisy <= high + u")),
    "W3 without a delta": between(DRAWN + CHAINED, claim='"epsilon"'),
    "W4 half the noise": between(DRAWN + CHAINED.replace("6 /", "2 /")),
    "W4 a sixth of the noise": between(DRAWN + CHAINED.replace("6 /", "1 /")),
    "W4 the published delta": between(
        DRAWN + CHAINED.replace("6 /", "2 /"), claim=PUBLISHED, asserts="epsilon > 0 and epsilon < 1 and low < high"
    ),
    "W5 two noises": between(
        "    u = laplace(2 / epsilon)\n    v = laplace(2 / epsilon)\n"
        + LOOP.format(test="low - u <= noisy <= high + v")
    ),
    "W6 the value that was tested": between(
        DRAWN + CHAINED.replace("return i", "return noisy").replace("return len(q)", "return 0.0"), returns="float"
    ),
    "no noise on the thresholds": between(LOOP.format(test="low <= noisy <= high")),
    "no noise on the answers": between(DRAWN + CHAINED.replace(" + laplace(6 / epsilon)", "")),
    "never stops": between(
        DRAWN
        + """    out = []
    for x in q:
        noisy = x + laplace(6 / epsilon)
        out.append(low - u <= noisy <= high + u)
    return out
""",
        returns="list[bool]",
    ),
    "a smaller delta": between(
        DRAWN + CHAINED, claim='("epsilon", "exp(epsilon / 2 - epsilon * (high - low) / 4) / 1000000")'
    ),
    "W7 the threshold is 0": release(
        """    if gap + laplace(1 / epsilon) > 0:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
"""
    ),
    "W7 no noise on the gap": release(
        """    if gap > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
"""
    ),
    "the value itself": release(
        """    if gap + laplace(1 / epsilon) > threshold:
        return (True, value)
    return (False, 0.0)
"""
    ),
    "half the delta": release(
        """    if gap + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
""",
        delta="exp(-epsilon * threshold) / 4",
    ),
    "close in the wrong place": release(
        """    if gap + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
""",
        given="gap > 5",
    ),
    "W9 a threshold without the one": histogram(STABLE, delta="exp(-epsilon * threshold)"),
    "W10 every count may change": histogram(STABLE, relation="each(1)"),
    "W16 noisy max, half the exponential noise": f"""{HEAD}
@mechanism(q=each(1), claim=("epsilon", "0"))
def f(q: list[float], epsilon: float) -> int:
    assert epsilon > 0
    best = 0
    largest = 0.0
    for i, x in enumerate(q):
        noisy = x + exponential(1 / epsilon)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best
""",
    "W18 more noise in one branch": f"""{HEAD}
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    assert epsilon > 0
    if x > 0:
        y = x + laplace(1 / epsilon)
    else:
        y = laplace(2 / epsilon)
    return y
""",
}
