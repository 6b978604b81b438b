"""Makes the runs, the judgements and the values in this folder.

    pip install pytrec-eval-terrier==0.5.11 numpy && python make.py

pytrec_eval is trec_eval 9's own C code called from Python. Values of each query are its; sums over
queries are made here, by the rules of trec_eval's manual: counts are added, `gm_*` are geometric
means, all others arithmetic means. With `-c` the divisor is the number of judged queries, `gm_*` of
a query without results is its least value 0.00001, and `num_rel` counts every grade above 0.

ERR is not in trec_eval. It is computed here from Chapelle et al. 2009 with gdeval's scale: gain
(2^g - 1) / 2^4, or 2^top where the file has a grade above 4.

A query whose judgements are all negative is left out: trec_eval 9 reads memory that it doesn't own.
"""

import json
import math
import random
from pathlib import Path

import pytrec_eval

HERE = Path(__file__).parent
LEAST = 0.00001
ERR_CUTS = (5, 10, 20)


def random_set(seed, queries, pool, most, grades, prefix):
    """A run and judgements with ties, negative grades, unjudged documents, queries without a
    relevant one, and queries that only one of the two files has."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for n in range(queries):
        query = f"{prefix}{n}"
        documents = [f"d{i}" if i % 3 else f"D-{i:04}" for i in range(pool)]
        if n % 7 == 5:
            documents = [f"док{i}" for i in range(pool)]
        judged = rng.sample(documents, rng.randint(1, max(2, int(pool * 0.6))))
        retrieved = rng.sample(documents, rng.randint(1, min(most, pool)))
        if n % 11 != 3:
            qrels[query] = {one: rng.choice(grades) for one in judged}
            if n % 6 == 4:  # no relevant document
                qrels[query] = {one: 0 for one in judged}
            elif max(qrels[query].values()) < 0:
                qrels[query][judged[0]] = 1
        if n % 9 != 2:
            scale = rng.choice((1, 4, 1000))
            run[query] = {one: rng.randint(-scale, scale) / scale * 7.25 for one in retrieved}
            if n % 5 == 0:  # apart in 64 bits, tied in 32
                run[query] = {one: 1.0 + 1e-9 * rng.randint(0, 99) for one in retrieved}
    return run, qrels


def ranked(scores):
    """By score in 32 bits, then by id, both descending."""
    import numpy

    key = lambda item: (numpy.float32(item[1]), item[0].encode())
    return [one for one, _ in sorted(scores.items(), key=key, reverse=True)]


def err(grades, k, top):
    goes_on, value = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], 1):
        stops = (2.0 ** max(grade, 0) - 1) / 2.0**top
        value += goes_on * stops / rank
        goes_on *= 1 - stops
    return value


def lines_of(run, qrels, rng):
    """Both files, their lines shuffled, ranks that say something else, tabs and blank lines."""
    lines = [
        f"{query} Q0 {one} {rng.randint(1, 99)} {score!r} golden"
        for query, scores in run.items()
        for one, score in scores.items()
    ]
    judged = [
        f"{query}\t0\t{one}\t{grade}"
        for query, grades in qrels.items()
        for one, grade in grades.items()
    ]
    rng.shuffle(lines)
    rng.shuffle(judged)
    lines.insert(len(lines) // 2, "")
    return "\n".join(lines) + "\n", "\n".join(judged) + "\n"


def values(run, qrels, level):
    measures = pytrec_eval.supported_measures - {"relstring", "runid"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level)
    per_query = evaluator.evaluate(run)
    top = max(4, max(grade for grades in qrels.values() for grade in grades.values()))
    for query, found in per_query.items():
        grades = [qrels[query].get(one, 0) for one in ranked(run[query])]
        for k in ERR_CUTS:
            found[f"err_{k}"] = err(grades, k, top)
    assert per_query.keys() == run.keys() & qrels.keys()
    return per_query


def overall(per_query, qrels, complete):
    queries = len(qrels) if complete else len(per_query)
    missing = queries - len(per_query)
    result = {}
    for name in next(iter(per_query.values())):
        total = math.fsum(found[name] for found in per_query.values())
        if name == "num_q":
            result[name] = queries
        elif name == "num_rel" and complete:
            result[name] = sum(grade > 0 for grades in qrels.values() for grade in grades.values())
        elif name.startswith("num_"):
            result[name] = total
        elif name.startswith("gm_"):
            result[name] = math.exp((total + missing * math.log(LEAST)) / queries)
        else:
            result[name] = total / queries
    return result


def main():
    rng = random.Random(7)
    sets = {
        "graded": random_set(1, 24, 40, 30, (-1, 0, 0, 1, 2, 3, 4), "q"),
        "binary": random_set(2, 12, 12, 12, (0, 1), ""),
        "deep": random_set(3, 2, 1500, 1200, (0, 0, 0, 1, 2, 7), "t"),
    }
    goldens = []
    for name, (run, qrels) in sets.items():
        run_text, qrels_text = lines_of(run, qrels, rng)
        (HERE / f"{name}.run").write_text(run_text)
        (HERE / f"{name}.qrels").write_text(qrels_text)
        for level in (1, 2) if name == "graded" else (1,):
            per_query = values(run, qrels, level)
            hidden = lambda measure: measure == "num_q" or measure.startswith("gm_")
            goldens.append({
                "set": name,
                "level": level,
                "per_query": {
                    query: {m: round(v, 13) for m, v in found.items() if not hidden(m)}
                    for query, found in sorted(per_query.items())
                },
                "all": {m: round(v, 13) for m, v in overall(per_query, qrels, False).items()},
                "complete": {m: round(v, 13) for m, v in overall(per_query, qrels, True).items()},
            })
            if name == "graded" and level == 1:
                text = []
                for query, found in sorted(per_query.items(), key=lambda one: one[0].encode()):
                    text += [printed(m, query, v) for m, v in found.items() if not hidden(m)]
                text += [printed(m, "all", v) for m, v in overall(per_query, qrels, False).items()]
                text = [line for line in text if not line.startswith("err_")]
                (HERE / "graded.txt").write_text("".join(text))
    body = ",\n".join(json.dumps(one, ensure_ascii=False) for one in goldens)
    (HERE / "goldens.json").write_text(f"[\n{body}\n]\n")


def printed(measure, query, value):
    """A line as trec_eval's `printf ("%-22s\\t%s\\t%6.4f\\n")` makes it."""
    number = f"{int(value)}" if measure.startswith("num_") else f"{value:6.4f}"
    return f"{measure:22}\t{query}\t{number}\n"


if __name__ == "__main__":
    main()
