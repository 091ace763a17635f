"""Stop: randomized response, for people who trust nobody with their answer."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet

from lapwing.algebra.exact import decimal_up
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, words
from lapwing.noise.coin_response import CoinResponse


def visit(clinic: Clinic) -> Seen:
    """Everybody in the clinic's table is asked, and tosses coins."""
    condition = pyarrow.parquet.read_table(clinic.people)["condition"].to_numpy()
    ill = condition != "none"
    survey = CoinResponse("1/2")
    estimate = survey.estimate(survey.release(np.asarray(ill, bool)))
    count, margin, loss = float(estimate.count), 1.96 * estimate.standard_error, f"ln {survey.loss_ratio}"
    body = words(
        "Each person tosses a coin: heads, the truth; tails, a second coin answers for them. How many are ill?",
        f"Estimate: {count:,.0f} ± {margin:,.0f} (95 %, about); the truth is {int(ill.sum()):,}. Every single report",
        f"is deniable, by a factor of at most {survey.loss_ratio}:",
        f"ε = {loss} ≤ {decimal_up(survey.claim().epsilon, 5)}, for one person's answer changed.",
    )
    figures: dict[str, object] = {"estimate": count, "margin": margin, "truth": int(ill.sum()), "closed_form": loss}
    return Seen((body,), figures)


STOP = Stop("What if people do not even trust the clinic?", "tossing coins", visit)
