"""Golden BM25 scores, from the formula alone. Terms are plain lower-case words without
inflection, so that no stemmer takes part. Run: python3 bm25.py > bm25.json"""

import json
import math

TEXTS = [
    "lamp oil lamp wick",
    "oil north cape",
    "cape fog horn lamp keeper log north cape",
    "маяк мыс туман",
    "fog",
]
QUERIES = ["lamp", "cape north", "fog lamp oil", "туман", "lamp lamp", "harbour"]
K1, B = 1.2, 0.75

docs = [text.split() for text in TEXTS]
mean = sum(map(len, docs)) / len(docs)


def score(query, doc):
    total = 0.0
    for term in set(query.split()):
        tf = doc.count(term)
        df = sum(term in other for other in docs)
        idf = math.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
        total += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(doc) / mean))
    return total


print(json.dumps({
    "texts": TEXTS,
    "queries": [{"query": q, "scores": [score(q, d) for d in docs]} for q in QUERIES],
}, ensure_ascii=False, indent=1))
