"""Randomized response with more than two answers: each is the truth more often than any other."""

from lapwing import exp, flip, mechanism, replaced, uniform


@mechanism(choices=replaced(), claim="epsilon")
def k_ary_randomized_response(choices: list[int], k: int, epsilon: float) -> list[int]:
    """Each choice, told as it is now and then, and otherwise one of all ``k``, every one as likely.

    The truth comes out with probability e^epsilon / (e^epsilon + k - 1). Each answer depends on one person only, so
    everybody can run it on their own choice before handing it in.

    * ``choices``: private, from 0 to k - 1, or taken for the nearest of these; a neighbour has one of them replaced.
    * ``k``: how many choices there are, at least 2.
    * ``epsilon``: the price for each person.
    """
    assert k >= 2
    answers = []
    for choice in choices:
        if flip((exp(epsilon) - 1) / (exp(epsilon) + k - 1)):
            answers.append(max(0, min(choice, k - 1)))
        else:
            answers.append(uniform(k))
    return answers
