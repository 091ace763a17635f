"""Steps that prove a shipped mechanism prove no weaker one: tied to a weaker program, the certificate is rejected."""

import re
from dataclasses import replace

import pytest

from lapwing import library
from lapwing.decide.texts import check_certificate
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module

DRAW = re.compile(r"= (laplace|choose|gaussian)\((.*, )?(.*)\)$", re.MULTILINE)


def _judged(name, text):
    source = fingerprint(parse_text(text), name)
    return check_certificate(replace(getattr(library, name).certificate, source=source), text)


@pytest.mark.parametrize("name", [name for name in library.NAMES if name != "k_ary_randomized_response"])
def test_half_the_noise_at_any_draw_is_not_proved_by_the_same_steps(name):
    text = show_module(getattr(library, name).runnable.module)
    assert isinstance(_judged(name, text), Proved)
    draws = list(DRAW.finditer(text))
    assert draws
    for draw in draws:
        kind, scores, scale = draw.groups()
        weaker = f"{text[: draw.start()]}= {kind}({scores or ''}({scale}) / 2){text[draw.end() :]}"
        assert isinstance(_judged(name, weaker), Rejected), draw.group()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sparse_vector", "found = found + 1", "found = found + 0"),
        ("sparse_vector", "found < limit", "found <= limit"),
        ("gap_sparse_vector", "gaps.append(noisy - noisy_threshold)", "gaps.append(noisy)"),
        ("numeric_sparse_vector", "found = found + 1", "found = found"),
        ("adaptive_sparse_vector", "spent = spent + 2", "spent = spent + 1"),
        ("noisy_max", "return best", "return best + (1 if largest > 0 else 0)"),
        ("noisy_min", "noisy < smallest", "score < smallest"),
        ("tree_counter", "inside = 0.0\n                filled", "inside = inside\n                filled"),
        ("tree_counter", "finer.append(total + noisy)", "finer.append(total + noisy + inside)"),
        ("tree_counter", "noisy = 0.0\n                left", "noisy = inside\n                left"),
        ("smart_sum", "running = finished", "running = finished + inside"),
        ("top_k", "range(k)", "range(k + 1)"),
        ("top_k", "else score", "else 2 * score"),
        ("top_k", "else score", "else score + sum(scores)"),
        ("private_median", "else -1", "else -2"),
        ("gaussian_sums", "2 * rho", "3 * rho"),
        ("histogram", "one('sensitivity')", "each('sensitivity')"),
        ("k_ary_randomized_response", "+ k - 1)", "+ k - 2)"),
        ("k_ary_randomized_response", "uniform(k)", "uniform(k - 1)"),
        ("k_ary_randomized_response", "min(choice, k - 1)", "choice"),
    ],
)
def test_other_mistakes_are_not_proved_by_the_same_steps(name, old, new):
    text = show_module(getattr(library, name).runnable.module)
    changed = text.replace(old, new).replace("import laplace, mechanism, one", "import each, laplace, mechanism, one")
    assert old in text, text
    assert isinstance(_judged(name, changed), Rejected)
