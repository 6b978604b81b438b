#!/usr/bin/env python3
"""Golden comparisons of every pair of planted systems, in every metric that is no companion.

    python3 compare.py            write compare.json
    python3 compare.py --verify   fail if compare.json is not what would be written

Standard library only, apart from the product's code. From the values in golden.json: the exact
two-sided sign-flip p by enumerating every pattern of signs, Holm's correction over the metrics of
the pair, worst and best bounds with missing scores at 0 and 1, and the verdict.
"""

import itertools
import json
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
METRICS = ["faithfulness", "context_precision", "context_recall", "question_coverage"]


def sign_flip(differences):
    observed = abs(sum(differences))
    patterns = list(itertools.product((1, -1), repeat=len(differences)))
    extreme = sum(
        abs(sum(s * d for s, d in zip(signs, differences))) >= observed for signs in patterns
    )
    return Fraction(extreme, len(patterns)), Fraction(2, len(patterns))


def holm(ps):
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    adjusted, largest = [None] * len(ps), Fraction(0)
    for rank, i in enumerate(order):
        largest = max(largest, min(Fraction(1), (len(ps) - rank) * ps[i]))
        adjusted[i] = largest
    return adjusted


def nested(of_a, of_b):
    a_in_b = all(set(of_a[c]) <= set(of_b[c]) for c in of_a)
    b_in_a = all(set(of_b[c]) <= set(of_a[c]) for c in of_a)
    return a_in_b != b_in_a


def bounds(pairs):
    pairs = [(a, b) for a, b in pairs if not (a is None and b is None)]
    if not pairs:
        return None
    low = sum((0 if b is None else b) - (1 if a is None else a) for a, b in pairs)
    high = sum((1 if b is None else b) - (0 if a is None else a) for a, b in pairs)
    return [low / len(pairs), high / len(pairs)]


def compare(golden, contexts, a, b):
    rows = {}
    for metric in METRICS:
        of_a, of_b = (golden[s][metric]["records"] for s in (a, b))
        cases = sorted(set(of_a) & set(of_b))
        # Values are shares with small denominators: as fractions, ties are ties.
        exact = lambda v: None if v is None else Fraction(v).limit_denominator(1000)
        pairs = [(exact(of_a[c]), exact(of_b[c])) for c in cases]
        both = [(x, y) for x, y in pairs if x is not None and y is not None]
        row = {"both": len(both), "bounds": bounds(pairs), "p": None, "p_holm": None}
        inside = nested({c: contexts[a][c] for c in cases}, {c: contexts[b][c] for c in cases})
        if not both:
            row["verdict"] = "no_common_scores"
        elif metric == "context_recall" and inside:
            row["verdict"] = "nested"
        else:
            row["p"], row["smallest"] = sign_flip([y - x for x, y in both])
            row["difference"] = sum(y - x for x, y in both) / len(both)
        rows[metric] = row
    tested = [row for row in rows.values() if row["p"] is not None]
    ps = [row["p"] for row in tested]
    for at, (row, adjusted) in enumerate(zip(tested, holm(ps))):
        row["p_holm"] = adjusted
        difference, (low, high) = row["difference"], row["bounds"]
        if adjusted < Fraction(1, 20):
            same = low > 0 if difference > 0 else high < 0
            row["verdict"] = ("better" if difference > 0 else "worse") if same else "missing_could_turn"
        # Not even agreement in every case would survive the correction.
        elif holm(ps[:at] + [row["smallest"]] + ps[at + 1 :])[at] >= Fraction(1, 20):
            row["verdict"] = "too_few_cases"
        else:
            row["verdict"] = "cannot_tell"
    number = lambda v: [float(x) for x in v] if isinstance(v, list) else None if v is None else float(v)
    return {
        metric: {
            "both": row["both"], "bounds": number(row["bounds"]), "p": number(row["p"]),
            "p_holm": number(row["p_holm"]), "verdict": row["verdict"],
        }
        for metric, row in rows.items()
    }


def main():
    golden = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))
    whole = {}
    for lang in ("en", "ru"):
        planted = json.loads((HERE / lang / "planted.json").read_text(encoding="utf-8"))
        contexts = {
            name: {record["id"]: record["contexts"] for record in records}
            for name, records in planted["systems"].items()
        }
        whole[lang] = {
            f"{a} {b}": compare(golden[lang], contexts, a, b)
            for a, b in itertools.combinations(planted["systems"], 2)
        }
    text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    file = HERE / "compare.json"
    if "--verify" in sys.argv:
        sys.exit(0 if file.read_text(encoding="utf-8") == text else "compare.json is stale")
    file.write_text(text, encoding="utf-8")


main()
