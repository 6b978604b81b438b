"""Golden values for judge cards: McNemar's exact test, ordinal alpha, Brier score, calibration error.

    pip install numpy scipy statsmodels scikit-learn krippendorff
    python judge.py > judge.json

McNemar's p is statsmodels' (exact) and scipy's binomial test at once, alpha is the `krippendorff`
package's at the ordinal level, the Brier score is scikit-learn's. The calibration error is written
out with numpy's histogram, whose bins are closed below and the last one at both ends.
"""

import json
import sys

import krippendorff
import numpy as np
import scipy
import sklearn
import statsmodels
from scipy.stats import binomtest
from sklearn.metrics import brier_score_loss
from statsmodels.stats.contingency_tables import mcnemar

random = np.random.default_rng(20261201)


def mcnemars():
    tables = [(0, 0, 0, 3), (5, 0, 0, 5), (10, 1, 0, 4), (3, 0, 7, 2), (50, 12, 5, 33), (7, 6, 6, 1),
              (400, 60, 31, 509), (9, 900, 1000, 4), (1, 3000, 2500, 1), (0, 1, 40, 0)]
    rows = []
    for both, first, second, neither in tables:
        p = mcnemar([[both, first], [second, neither]], exact=True).pvalue if first + second else 1.0
        if first + second:
            assert abs(p - binomtest(first, first + second).pvalue) <= 1e-9 * p, (first, second)
        rows.append({"table": [both, first, second, neither], "p": float(min(p, 1.0))})
    return rows


def alphas():
    rows = []
    for raters, units, k, missing in ((2, 20, 3, 0.0), (3, 40, 4, 0.2), (4, 30, 5, 0.4), (3, 60, 2, 0.1)):
        truth = random.integers(0, k, units)
        noise = random.integers(-1, 2, (raters, units)) * (random.random((raters, units)) < 0.4)
        matrix = np.clip(truth + noise, 0, k - 1).astype(float)
        matrix[random.random((raters, units)) < missing] = np.nan
        value = krippendorff.alpha(reliability_data=matrix, level_of_measurement="ordinal",
                                   value_domain=list(range(k)))
        labels = [[int(c) for c in matrix[:, u] if not np.isnan(c)] for u in range(units)]
        rows.append({"units": labels, "k": k, "alpha": float(value)})
    return rows


def calibrations():
    rows = []
    for n, bins in ((1, 10), (40, 10), (200, 10), (200, 15), (7, 5)):
        p = np.round(random.beta(2, 1.2, n), 3)
        # What lies on an edge: none of 0, 1/2 and 1 may be lost.
        p[: min(n, 3)] = np.array([0.0, 1.0, 0.5])[: min(n, 3)]
        y = (random.random(n) < p**1.5).astype(int)
        edges = np.arange(bins + 1) / bins
        counts, _ = np.histogram(p, edges)
        sums, _ = np.histogram(p, edges, weights=p)
        trues, _ = np.histogram(p, edges, weights=y)
        assert counts.sum() == n
        filled = counts > 0
        gaps = np.abs(sums[filled] / counts[filled] - trues[filled] / counts[filled])
        rows.append({"p": p.tolist(), "y": [bool(v) for v in y], "bins": bins,
                     "brier": float(brier_score_loss(y, p, pos_label=1)),
                     "ece": float((counts[filled] / n * gaps).sum()), "counts": counts.tolist()})
    return rows


json.dump({
    "made_with": {"numpy": np.__version__, "scipy": scipy.__version__,
                  "scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__},
    "mcnemar": mcnemars(), "alpha": alphas(), "calibration": calibrations(),
}, sys.stdout, indent=1)
