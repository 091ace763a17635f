"""The server is killed without warning, again and again: nothing is charged twice, nothing is answered unpaid."""

import http.client
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from lapwing.ledger import Ledger
from tests.server.making import make_folder
from tests.server.running import Running

CLIENTS, QUESTIONS = 4, 40
#: A server takes some seconds to start: LAPWING_THOROUGH=1 for the fifty times that were asked for.
KILLS = 50 if os.environ.get("LAPWING_THOROUGH") else 4


def ask(port, token, number):
    """One attempt at a question, under its own key; the status and the answer, or None if the line went dead."""
    body = {"sql": f"SELECT COUNT(*) AS n FROM people WHERE age < {number}", "epsilon": "1/100"}
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": f"question-{number}",
    }
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("POST", "/api/tables/people/run", json.dumps(body), headers)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        line.close()


def test_killed_again_and_again(in_memory):
    """Clients ask 160 questions, retrying each under its key until it is answered, while the server keeps dying."""
    accounts = make_folder(in_memory, epsilon=1, shares=(("ana", 1), ("bo", 1)))
    tokens = [accounts.new_token(name, "ask", 1, "test") for name in ("ana", "bo")]
    server = [Running(in_memory, "--pace", "0.01")]
    port = server[0].port
    done, kills = threading.Event(), [0]
    outcomes = {}

    def murderer():
        while not done.is_set() and kills[0] < KILLS:
            time.sleep(0.15 + 0.05 * (kills[0] % 5))  # at other moments each time
            server[0].kill()
            kills[0] += 1
            server[0] = Running(in_memory, "--pace", "0.01", port=port)

    def client(which):
        for turn in range(QUESTIONS):
            number = which * QUESTIONS + turn
            while (found := ask(port, tokens[which % 2], number)) is None:
                time.sleep(0.05)
            outcomes[number] = found

    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        killing = pool.submit(murderer)
        asking = [pool.submit(client, which) for which in range(CLIENTS)]
        for each in asking:
            each.result(300 + 60 * KILLS)  # a busy machine takes its time to start a server
        killing.result(300 + 60 * KILLS)
    done.set()
    server[0].stop()
    ledger = Ledger.open(in_memory / "people.lapwing.ledger")
    charges = [entry for entry in ledger.entries() if entry.kind == "charge"]
    assert ledger.verify().intact
    assert kills[0] >= KILLS
    answered = {n: body["receipt"]["sequence"] for n, (status, body) in outcomes.items() if status == 200}
    lost = [n for n, (_, body) in outcomes.items() if body.get("code") == "D127"]
    spent = [n for n, (_, body) in outcomes.items() if body.get("code") == "L113"]
    print(f"{kills[0]} kills; {len(answered)} answered, {len(lost)} charged and lost, {len(spent)} beyond the budget")
    assert len(answered) + len(lost) + len(spent) == len(outcomes) == CLIENTS * QUESTIONS
    assert len(charges) == 100  # the budget to its last hundredth, and no further
    texts = [entry.text for entry in charges]
    assert len(set(texts)) == len(texts)  # no question was charged twice
    assert len(set(answered.values())) == len(answered)  # each answer has a charge of its own
    assert set(answered.values()) <= {entry.sequence for entry in charges}
    assert len(answered) + len(lost) == 100  # and every charge was answered, or owned up to
    assert "Traceback" not in (in_memory / "server.log").read_text()
