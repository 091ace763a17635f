"""Randomized response: every answer is the truth a little more often than not."""

from lapwing import choose, mechanism, replaced


@mechanism(truths=replaced(), claim="epsilon")
def randomized_response(truths: list[bool], epsilon: float) -> list[bool]:
    """Each truth, told with probability e^epsilon / (1 + e^epsilon) and otherwise turned round.

    Each answer depends on one person only, so everybody can run it on their own truth before handing it in.

    * ``truths``: private; a neighbour has one of them replaced.
    * ``epsilon``: the price for each person.
    """
    answers = []
    for truth in truths:
        lie = choose([1, 0], 1 / epsilon)
        answers.append(truth if lie == 0 else not truth)
    return answers
