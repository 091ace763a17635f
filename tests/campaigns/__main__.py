"""``python -m tests.campaigns``: each campaign as long as asked for; exit code 1 after a contradiction."""

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path

from lapwing.decide.time_limits import computed
from tests.campaigns import audits, evidence, forgeries, kills, kinds, neighbours, readings, transplants
from tests.kernel.random_certificates import campaign as random_certificates
from tests.search.privacy.mutated import campaign as mutated_programs
from tests.search.privacy.mutated import corpus, glimpse, mutants, shelves


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns")
    parser.add_argument("--programs", type=int, default=500, help="mutated programs, proved and refuted")
    parser.add_argument("--evidence", type=int, default=3000, help="mutated certificates and witnesses of the corpus")
    parser.add_argument("--kinds", type=int, default=3000, help="mutated certificates of every kind the kernel reads")
    parser.add_argument("--transplants", type=int, default=1000, help="proofs in programs they were not written for")
    parser.add_argument("--forgeries", type=int, default=1000, help="the same, with all that a forger can compute")
    parser.add_argument("--random", type=int, default=5000, help="random programs, read in six ways")
    parser.add_argument("--certificates", type=int, default=500, help="random programs with random certificates")
    parser.add_argument("--kills", type=int, default=50, help="of a server that 8 clients ask for the last epsilon")
    parser.add_argument("--audits", type=int, default=200, help="random queries of our own SQL, audited")
    parser.add_argument("--neighbours", type=int, default=10_000, help="comparisons of neighbouring tables that move")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="of computing, to look for a proof of a mutant")
    asked = parser.parse_args(arguments)

    def proving():
        some = islice(mutants(asked.seed, [*corpus(), *shelves()]), asked.programs)
        return mutated_programs(some, glimpse, asked.seconds)

    def guessing():
        seeds = range(asked.seed, asked.seed + asked.certificates)
        outcomes = [random_certificates(seeds, control) for control in (False, True)]
        wrong = [case for _, cases in outcomes for case in cases]
        print(*wrong, sep="\n", end="")
        return {"proved": sum(proved for proved, _ in outcomes), "CONTRADICTION": len(wrong)}

    def killing():
        with tempfile.TemporaryDirectory() as folder:
            return kills.campaign(Path(folder), asked.kills, seed=asked.seed)

    campaigns = {
        "mutated programs": (asked.programs, proving),
        "mutated evidence": (asked.evidence, lambda: evidence.campaign(asked.evidence, asked.seed)),
        "mutated certificates of all kinds": (asked.kinds, lambda: kinds.campaign(asked.kinds, asked.seed)),
        "transplanted proofs": (asked.transplants, lambda: transplants.campaign(asked.transplants, asked.seed)),
        "forged proofs": (asked.forgeries, lambda: forgeries.campaign(asked.forgeries, asked.seed)),
        "random programs, six ways": (asked.random, lambda: readings.campaign(asked.random, asked.seed)),
        "random certificates": (asked.certificates, guessing),
        "killed servers": (asked.kills, killing),
        "audited queries": (asked.audits, lambda: audits.campaign(asked.audits, asked.seed)),
        "neighbouring tables": (asked.neighbours, lambda: neighbours.campaign(asked.neighbours, asked.seed)),
    }
    wrong = 0
    for name, (count, run) in campaigns.items():
        if count:
            start = computed()
            found = run()
            wrong += found.get("CONTRADICTION", 0)
            print(f"{name}: {dict(found)} in {computed() - start:.0f} s of computing", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
