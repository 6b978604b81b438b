"""Golden values for ragmeter-metrics.

    pip install numpy scikit-learn
    python make.py > goldens.json

Nothing here shares a formula with the Rust code: average precision is scikit-learn's, which
integrates a precision-recall curve over scores; shares are exact fractions; cosines are taken of
vectors, and their mean is numpy's.
"""

import json
import sys
from fractions import Fraction

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score

random = np.random.default_rng(20240607)


def context_precision():
    """Rankings with at least one useful context; without one scikit-learn has no definition."""
    rows = []
    fixed = [[1], [1, 1, 1], [1, 0], [0, 1], [1, 1, 0, 1], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    drawn = [random.random(n) < share for n in range(1, 31) for share in (0.2, 0.5, 0.8)]
    for useful in fixed + drawn:
        useful = [bool(one) for one in useful]
        if any(useful):
            # Scores that fall with the rank say the order without ties.
            scores = np.arange(len(useful), 0, -1)
            value = average_precision_score(useful, scores)
            rows.append({"useful": useful, "value": float(value)})
    return rows


def shares(words, counted, weights):
    """Lists of verdicts, and the share of those that count."""
    rows = [{"verdicts": [word], "value": float(word == counted)} for word in words]
    for n in range(2, 32):
        verdicts = [str(word) for word in random.choice(words, n, p=weights)]
        share = Fraction(sum(word == counted for word in verdicts), n)
        rows.append({"verdicts": verdicts, "value": float(share)})
    return rows


def answer_relevancy():
    """Cosines of questions with implied questions, from far apart to nearly equal."""
    rows = []
    for spread in (0.05, 0.3, 1.0, 3.0):
        for n in (1, 3, 3, 5):
            question = random.normal(size=48)
            implied = question + spread * random.normal(size=(n, 48))
            norms = np.linalg.norm(implied, axis=1) * np.linalg.norm(question)
            cosines = implied @ question / norms
            value = float(np.clip(np.mean(cosines), 0, 1))
            rows.append({"cosines": cosines.tolist(), "value": value})
    # What is opposite on average is clamped to 0.
    rows.append({"cosines": [-0.5, 0.25, -0.125], "value": float(np.clip(np.mean([-0.5, 0.25, -0.125]), 0, 1))})
    return rows


json.dump(
    {
        "made_with": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}",
        "context_precision": context_precision(),
        "faithfulness": shares(["supported", "contradicted", "absent"], "supported", [0.6, 0.15, 0.25]),
        "context_recall": shares(["said", "not said"], "said", [0.7, 0.3]),
        "question_coverage": shares(["answered", "open"], "answered", [0.5, 0.5]),
        "refusal_rate": shares(["answered", "refused", "no_factual_content"], "refused", [0.7, 0.2, 0.1]),
        "noncommittal_rate": shares(["definite", "evasive"], "evasive", [0.8, 0.2]),
        "answer_relevancy": answer_relevancy(),
    },
    sys.stdout,
)
print()
