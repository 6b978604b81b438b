"""Golden values for agreement and correlation: statsmodels, scikit-learn, krippendorff, scipy.

    pip install numpy scipy statsmodels scikit-learn krippendorff
    python people.py > people.json

Kappa and its standard error are statsmodels' (checked against scikit-learn's kappa here), alpha is
the `krippendorff` package's, correlations are scipy's with Fisher's interval written out, the AUC is
scikit-learn's and its score interval is found by Brent's method.
"""

import json
import sys

import krippendorff
import numpy as np
import scipy
import sklearn
import statsmodels
from scipy.optimize import brentq
from scipy.stats import norm, pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from statsmodels.stats.inter_rater import cohens_kappa

random = np.random.default_rng(20261130)
Z = norm.ppf(0.975)


def kappas():
    tables = [
        [[20, 5], [10, 15]],
        [[45, 15], [25, 15]],
        [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
        [[7, 0, 1], [2, 0, 3], [0, 0, 9]],
        [[0, 5], [5, 0]],
    ]
    for k in (2, 3, 4):
        tables.append(random.integers(0, 12, (k, k)).tolist())
    rows = []
    for table in tables:
        first = [i for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
        second = [j for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
        for weights in (None, "linear", "quadratic"):
            result = cohens_kappa(np.array(table), wt=weights)
            other = cohen_kappa_score(first, second, weights=weights)
            # scikit-learn drops a label that nobody gave, which changes no kappa but the weighted.
            if all(sum(row) + sum(r[i] for r in table) for i, row in enumerate(table)):
                assert abs(result.kappa - other) < 1e-12, (table, weights)
            rows.append({"table": table, "weights": weights or "nominal", "kappa": result.kappa,
                         "se": result.std_kappa})
    return rows


def alphas():
    rows = []
    # The worked example of the literature, three coders with missing data: 0.691.
    matrices = [[[int(c) - 1 if c != "*" else None for c in line] for line in
                 ["*****34121133*3", "1*213343*******", "**21344*21133*4"]]]
    for raters, units, k, missing in ((2, 30, 2, 0.0), (3, 40, 3, 0.3), (4, 25, 3, 0.5)):
        truth = random.integers(0, k, units)
        matrix = []
        for _ in range(raters):
            given = np.where(random.random(units) < 0.25, random.integers(0, k, units), truth)
            matrix.append([None if random.random() < missing else int(v) for v in given])
        matrices.append(matrix)
    for matrix in matrices:
        values = np.array([[np.nan if v is None else v for v in row] for row in matrix], float)
        units = [[row[u] for row in matrix if row[u] is not None] for u in range(len(matrix[0]))]
        rows.append({
            "units": units,
            "k": int(np.nanmax(values)) + 1,
            "alpha": krippendorff.alpha(reliability_data=values, level_of_measurement="nominal"),
        })
    return rows


def fisher(r, n, variance=1.0):
    half = Z * np.sqrt(variance / (n - 3))
    return [np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)]


def correlations():
    rows = []
    for n in (8, 25, 120):
        for ties in (False, True):
            x = random.random(n)
            y = 0.5 * x + 0.5 * random.random(n)
            if ties:
                x, y = np.round(x, 1), np.round(y * 4)
            r, rho = pearsonr(x, y).statistic, spearmanr(x, y).statistic
            rows.append({
                "x": x.tolist(), "y": y.tolist(),
                "pearson": r, "pearson_interval": fisher(r, n),
                "spearman": rho, "spearman_interval": fisher(rho, n, 1 + rho**2 / 2),
            })
    return rows


def newcombe(theta, m, n):
    spare = (m + n) / 2 - 1

    def gap(t):
        v = t * (1 - t) * (1 + spare * ((1 - t) / (2 - t) + t / (1 + t))) / (m * n)
        return (t - theta) ** 2 - Z**2 * v

    tiny = 1e-13
    low = brentq(gap, tiny, theta - tiny, xtol=1e-14) if theta > 0 else 0.0
    high = brentq(gap, theta + tiny, 1 - tiny, xtol=1e-14) if theta < 1 else 1.0
    return [low, high]


def aucs():
    samples = [([0.0, 0.5, 0.5], [0.5, 1.0]), ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]),
               ([0.9, 0.8], [0.1, 0.2, 0.3])]
    for m, n in ((10, 12), (40, 7)):
        samples.append((np.round(random.beta(2, 2, m), 1).tolist(),
                        np.round(random.beta(3, 2, n), 1).tolist()))
    rows = []
    for low, high in samples:
        theta = roc_auc_score([0] * len(low) + [1] * len(high), low + high)
        rows.append({"low": low, "high": high, "auc": theta,
                     "interval": newcombe(theta, len(low), len(high))})
    return rows


json.dump({
    "made_with": {"numpy": np.__version__, "scipy": scipy.__version__,
                  "statsmodels": statsmodels.__version__, "sklearn": sklearn.__version__},
    "kappa": kappas(), "alpha": alphas(), "correlation": correlations(), "auc": aucs(),
}, sys.stdout, allow_nan=False)
print()
