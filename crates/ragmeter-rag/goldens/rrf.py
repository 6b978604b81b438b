"""Golden scores of fusion by reciprocal rank. Run:

    pip install ranx==0.3.21 && python rrf.py > rrf.json

ranx fuses runs with k = 60 and ranks from 1, as Cormack et al. 2009 and we do. Ours differs by its
weights: ranx's `rrf` has none, so a weighted fusion is here ranx's reciprocal ranks of each run
alone, added by its own weighted sum. With weights of 1 both ways are checked to be the same. ranx
orders a run by score, so each ranking is given to it with falling scores.
"""

import json
import random

from ranx import Run
from ranx.fusion import rrf, wsum

WEIGHTS = [[1.0, 1.0], [0.3, 0.7], [2.0, 1.0], [0.0, 1.0], [1.0, 1.0, 1.0], [0.5, 0.25, 3.0]]
ITEMS = 40


def run(ranking):
    return Run({"q": {str(item): float(len(ranking) - at) for at, item in enumerate(ranking)}})


def fused(weights, rankings):
    alone = [rrf([run(ranking)], k=60) for ranking in rankings]
    scores = wsum(alone, weights).run["q"]
    if all(weight == 1.0 for weight in weights):
        plain = rrf([run(ranking) for ranking in rankings], k=60).run["q"]
        assert all(abs(plain[item] - scores[item]) < 1e-15 for item in plain)
        scores = plain
    return sorted((int(item), float(score)) for item, score in scores.items())


rng = random.Random(60)
cases = []
for weights in WEIGHTS:
    # Of one length, of others, and one that shares nothing with the rest.
    for lengths in [(10, 10, 10), (1, 25, 7)]:
        rankings = [rng.sample(range(ITEMS), n) for n in lengths[: len(weights)]]
        cases.append({"weights": weights, "rankings": rankings, "scores": fused(weights, rankings)})
    apart = [list(range(at, ITEMS, len(weights))) for at in range(len(weights))]
    cases.append({"weights": weights, "rankings": apart, "scores": fused(weights, apart)})

print(json.dumps({"cases": cases}))
