"""Every check of a hostile file ends soon, and shows nothing."""

import functools
import itertools
import json
import resource
import time

import pytest

from lapwing.checking import check
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel import confined
from lapwing.kernel.evidence.release_records import release_to_json
from lapwing.kernel.rejected import Rejected
from tests.audit.test_recheck import made_finding
from tests.kernel.certificates import CERTIFICATES
from tests.kernel.evidence.test_formats import application, samples
from tests.kernel.hostile import HOSTILE, hostile
from tests.kernel.release.test_boundary import changed, places
from tests.kernel.release.test_release import CHOSEN

#: Seconds of computing, for the tests' own sake: those that defeat the solver take whatever they are given.
SECONDS = 1.0


@pytest.fixture
def checked(tmp_path):
    """What ``lapwing.check`` says of a certificate that stands in a file, beside its program."""

    def judge(text, certificate):
        (tmp_path / "p.py").write_text(text)
        (tmp_path / "certificate.json").write_text(json.dumps(certificate.to_json()))
        return check(tmp_path / "certificate.json", source=tmp_path / "p.py")

    return judge


def computed():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_certificate_is_rejected_in_time(monkeypatch, checked, name):
    monkeypatch.setattr(confined, "SECONDS", SECONDS)
    before = computed()
    assert isinstance(checked(*hostile(name)), Rejected)
    assert computed() - before < 2 * SECONDS


def test_some_of_them_go_on_until_they_are_ended(monkeypatch, checked):
    """Otherwise the limit would not be tried: this one makes the solver forget the time."""
    monkeypatch.setattr(confined, "SECONDS", SECONDS)
    assert "takes more than 1 seconds" in checked(*hostile("polynomials of a high degree")).reason


def test_honest_certificates_have_time_to_spare(monkeypatch, checked):
    monkeypatch.setattr(confined, "SECONDS", 4.0)
    for certificate, text in CERTIFICATES.values():
        assert not isinstance(checked(text, certificate), Rejected)


@pytest.mark.parametrize("field", ["file", "function", "source"])
def test_what_is_said_of_a_file_cannot_move_the_cursor(tmp_path, field):
    """A rejection that quotes what it was given would show whatever a forger likes in its place."""
    certificate, text = next(iter(CERTIFICATES.values()))
    (tmp_path / "p.py").write_text(text)
    data = certificate.to_json()
    for forged in ("\x1b[2K\raccepted f: epsilon", "f\x1b]0;proved\x07", "f\naccepted f", "f\u202edevorp"):
        (tmp_path / "certificate.json").write_text(json.dumps({**data, field: forged}))
        with pytest.raises(InvalidInput, match="cannot be shown"):
            check(tmp_path / "certificate.json", source=tmp_path / "p.py")


KINDS = {
    **{kind: data for kind, data in samples() if kind != "guarantee"},
    "release": release_to_json(CHOSEN),
    "application": application().to_json(),
    "finding": made_finding().to_json(),
}
#: What is put in place of something: texts, and JSON as it is written.
FORMULAS = {
    "deep": "(" * 5_000 + "epsilon" + ")" * 5_000,
    "products of sums": " * ".join(f"(epsilon + {each})" for each in range(40)),
    "towers": "exp(" * 40 + "9" + ")" * 40,
    "powers": "9 ** 9 ** 9 ** 9",
    "digits": "9" * 100_000,
    "signs": "-" * 20_000 + "1",
    "long": " + ".join(["epsilon"] * 20_000),
    "terms written twice": functools.reduce(lambda term, _: f"max({term}, 1 + {term})", range(12), "epsilon"),
}
WRITTEN = {
    "lists in lists": "[" * 50_000 + "]" * 50_000,
    "objects in objects": '{"node":' * 20_000 + "1" + "}" * 20_000,
    "a number of 200,000 digits": "9" * 200_000,
    "a list of 100,000": f"[{', '.join(['1'] * 100_000)}]",
}


#: Names, and what is only told, may be others: nothing is derived from them.
TOLD = {"file", "name", "query", "queries"}


def judged(file, source):
    """What is said of a file, and whether it is accepted."""
    try:
        verdict = check(file, source=source)
    except LapwingError as refused:
        return str(refused), False
    return (verdict.reason, False) if isinstance(verdict, Rejected) else (verdict.statement, True)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_of_every_kind_end_soon(monkeypatch, tmp_path, kind):
    """Each in one place of the file, another one each time; all places of every file are ``test_boundary``'s."""
    monkeypatch.setattr(confined, "SECONDS", SECONDS)
    (tmp_path / "p.py").write_text(CERTIFICATES["sparse_vector"][1])
    source = None if kind in ("release", "application", "finding") else tmp_path / "p.py"
    file = tmp_path / "evidence.json"
    paths = list(places(KINDS[kind]))
    forged = [(f'"{text}"', each) for each, text in zip(spread(paths), FORMULAS.values(), strict=False)]
    forged += [(text, each) for each, text in zip(spread(paths), WRITTEN.values(), strict=False)]
    for text, path in forged:
        file.write_text(json.dumps(changed(KINDS[kind], path, "@@")).replace('"@@"', text))
        before = computed() + time.process_time()
        said, accepted = judged(file, source)
        assert said.isprintable(), (path, text[:40])
        assert not accepted or path[-1] in TOLD, (path, text[:40])
        assert computed() + time.process_time() - before < 8, (path, text[:40])


def spread(paths):
    """Some of the places, from all over the file."""
    return (paths[each * 7 % len(paths)] for each in itertools.count(1))
