"""The same measures by ranx and sacreBLEU: python lexical.py FILE. Prints one JSON object.

Sentence scores of sacreBLEU are averaged over the records, as a table of records has them. ranx
compiles its kernels at the first use and keeps them; the time of that is printed apart."""

import importlib.metadata
import json
import logging
import resource
import sys
import time

start = time.perf_counter()
from ranx import Qrels, Run, evaluate  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF  # noqa: E402

imported = time.perf_counter()
# A warning a sentence would be timed.
logging.getLogger("sacrebleu").setLevel(logging.ERROR)
with open(sys.argv[1], encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
qrels = Qrels({row["id"]: {one: 1 for one in row["reference_context_ids"]} for row in rows})
run = Run(
    {
        row["id"]: {one["id"]: float(-rank) for rank, one in enumerate(row["contexts"])}
        for row in rows
    }
)
NAMES = {
    "map": "map",
    "mrr": "mrr",
    "ndcg@5": "ndcg_at_5",
    "precision@5": "precision_at_5",
    "recall@5": "recall_at_5",
    "hit_rate@5": "success_at_5",
    "r-precision": "r_precision",
}
values = evaluate(qrels, run, list(NAMES))
means = {ours: float(values[theirs]) for theirs, ours in NAMES.items()}
ranked = time.perf_counter()
for name, metric in [("bleu", BLEU()), ("chrf", CHRF()), ("chrf_pp", CHRF(word_order=2))]:
    scores = [metric.sentence_score(row["answer"], [row["reference"]]).score for row in rows]
    means[name] = sum(scores) / len(scores) / 100
ended = time.perf_counter()
print(
    json.dumps(
        {
            "means": means,
            "import": imported - start,
            "ranx": ranked - imported,
            "sacrebleu": ended - ranked,
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "versions": ", ".join(
                f"{name} {importlib.metadata.version(name)}" for name in ["ranx", "sacrebleu"]
            ),
        }
    )
)
