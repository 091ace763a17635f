"""The last epsilon, asked for by many at once, of a server that is killed again and again.

Every client sends each of its questions under a key of its own until something comes back. What came back is then held
against the ledger: never over the budget, every answer charged once, and every charge answered or owned up to. At the
end each question is sent once more under its key, which has to give the same and to charge nothing.
"""

import http.client
import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from lapwing.ledger import Ledger
from tests.server.making import make_folder
from tests.server.running import Running

ANALYSTS = ("ana", "bo")
#: Seconds that a paid answer waits at least: as good as none, so that the server is always in the middle of something.
PACE = "0.01"
#: The kills come while this part of the questions is being answered: most of them while there is money left.
SPREAD = 0.6
WHAT_COMES = {200: "answered", "D127": "charged and lost", "L113": "beyond the budget"}


@dataclass
class Siege:
    """A server, what is asked of it, and what came of each question."""

    folder: object
    clients: int
    requests: int
    tokens: list
    server: Running
    outcomes: dict = field(default_factory=dict)

    @property
    def total(self):
        return self.clients * self.requests

    def ask(self, number):
        """The status and the answer to a question; it is sent again until the line holds and the rate allows it."""
        body = {"sql": f"SELECT COUNT(*) AS n FROM people WHERE age < {number}", "epsilon": f"2/{self.total}"}
        headers = {
            "Authorization": f"Bearer {self.tokens[number % len(self.tokens)]}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"question-{number}",
        }
        while True:
            line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
            with suppress(OSError, http.client.HTTPException, ValueError):
                line.request("POST", "/api/tables/people/run", json.dumps(body), headers)
                answer = line.getresponse()
                found = json.loads(answer.read())
                if answer.status != 429:
                    return answer.status, found
            line.close()
            time.sleep(0.05)

    def client(self, which):
        for number in range(which, self.total, self.clients):
            self.outcomes[number] = self.ask(number)

    def kill(self, kills, chance):
        """Kills the server so often, each time a little after some more questions were answered."""
        for turn in range(kills):
            while len(self.outcomes) < SPREAD * self.total * turn / kills:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.2))
            self.server.kill()
            self.server = Running(self.folder, "--pace", PACE, port=self.server.port)


def campaign(folder, kills, clients=8, requests=200, seed=0):
    """What became of all questions, and what of it contradicts the ledger."""
    accounts = make_folder(folder, epsilon=1, shares=tuple((name, 1) for name in ANALYSTS))
    tokens = [accounts.new_token(name, "ask", 1, "campaign") for name in ANALYSTS]
    siege = Siege(folder, clients, requests, tokens, Running(folder, "--pace", PACE))
    try:
        with ThreadPoolExecutor(clients + 1) as pool:
            tasks = [pool.submit(siege.client, which) for which in range(clients)]
            tasks.append(pool.submit(siege.kill, kills, random.Random(seed)))
            for task in tasks:
                task.result()
        found = Counter(_kind(*each) for each in siege.outcomes.values())
        wrong = _contradictions(siege, found)
        found["killed"], found["CONTRADICTION"] = kills, len(wrong)
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return found
    finally:
        siege.server.kill()


def _kind(status, body):
    return WHAT_COMES.get(status if status == 200 else body.get("code"), f"{status} {body.get('code')}")


def _contradictions(siege, found):
    """What does not fit together, in words."""
    answered = {n: body for n, (status, body) in siege.outcomes.items() if status == 200}
    receipts = [body["receipt"]["sequence"] for body in answered.values()]
    before = _charges(siege)
    with ThreadPoolExecutor(siege.clients) as pool:
        numbers = sorted(siege.outcomes)
        again = dict(zip(numbers, pool.map(siege.ask, numbers), strict=True))
    charges = _charges(siege)
    texts = [entry.text for entry in charges]
    claims = {
        "an outcome that none should have": set(found) <= set(WHAT_COMES.values()),
        "a question without an outcome": len(siege.outcomes) == siege.total,
        "a ledger that is not intact": _ledger(siege).verify().intact,
        "more charged, or less, than the budget": len(charges) == siege.total // 2,
        "a question charged twice": len(set(texts)) == len(texts),
        "two answers to one charge": len(set(receipts)) == len(receipts),
        "an answer that was not charged": set(receipts) <= {entry.sequence for entry in charges},
        "a charge that nobody owns up to": len(answered) + found["charged and lost"] == len(charges),
        "a repeat that was charged": before == charges,
        "a repeat with another answer": all(again[n][1].get("rows") == body["rows"] for n, body in answered.items()),
        "a traceback in the log": "Traceback" not in (siege.folder / "server.log").read_text(),
    }
    return [words for words, holds in claims.items() if not holds]


def _ledger(siege):
    return Ledger.open(siege.folder / "people.lapwing.ledger")


def _charges(siege):
    return [entry for entry in _ledger(siege).entries() if entry.kind == "charge"]
