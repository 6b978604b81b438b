"""Golden values for verdicts on pairs: the sign test, Bradley-Terry strengths and their intervals.

    pip install numpy scipy
    python preference.py > preference.json

The sign test is scipy's exact binomial test. Strengths maximise the Bradley-Terry log-likelihood,
written out below and handed to scipy.optimize (BFGS, then Newton steps on its exact Hessian), with
half a win more for each side of every pair. Intervals of two systems are quantiles of Jeffreys' beta
posterior, intervals of three a Bayesian bootstrap with numpy's generator and scipy's optimiser: they
are met within the error of drawing.
"""

import itertools
import json
import sys

import numpy as np
import scipy
from scipy.optimize import minimize
from scipy.stats import beta, binomtest

random = np.random.default_rng(20261130)


def strengths(wins):
    """Maximum likelihood for these counts, centred."""
    wins = np.array(wins, float)
    k = len(wins)
    np.fill_diagonal(wins, 0)

    def loss(free):
        theta = np.append(free, 0.0)
        gap = theta[:, None] - theta[None, :]
        return float((wins * np.logaddexp(0, -gap)).sum())

    def derivatives(theta):
        p = 1 / (1 + np.exp(-(theta[:, None] - theta[None, :])))
        n = wins + wins.T
        slope = (n * p).sum(1) - wins.sum(1)
        weight = n * p * (1 - p)
        return slope, np.diag(weight.sum(1)) - weight

    start = minimize(loss, np.zeros(k - 1), method="BFGS").x
    theta = np.append(start, 0.0)
    for _ in range(50):
        slope, hessian = derivatives(theta)
        theta[:-1] -= np.linalg.solve(hessian[:-1, :-1], slope[:-1])
    return theta - theta.mean()


def with_halves(wins):
    wins = np.array(wins, float) + 0.5
    np.fill_diagonal(wins, 0)
    return wins


def sign_tests():
    pairs = [(0, 1), (3, 0), (5, 5), (7, 2), (20, 9), (61, 39), (120, 180), (1000, 1100), (0, 40)]
    return [{"wins": w, "losses": l, "p": binomtest(w, w + l, 0.5).pvalue} for w, l in pairs]


def tables():
    given = [
        [[0, 8], [2, 0]],
        [[0, 10, 10], [0, 0, 6], [0, 4, 0]],
        [[0, 20, 20, 20], [0, 0, 12.5, 13], [0, 7.5, 0, 11], [0, 7, 9, 0]],
        [[0, 3, 0], [1, 0, 0], [0, 0, 0]],
    ]
    for k in (3, 4, 6):
        given.append(np.triu(random.integers(0, 40, (k, k)) / 2, 1) + np.tril(random.integers(0, 40, (k, k)) / 2, -1))
    return [{"wins": np.array(w).tolist(), "strengths": strengths(with_halves(w)).tolist()} for w in given]


def of_two():
    rows = []
    for wins, losses in [(20, 0), (14, 6), (50, 50), (3, 1), (0, 9)]:
        ends = beta.ppf([0.025, 0.975], wins + 0.5, losses + 0.5)
        # Strengths of two are +-logit(p)/2.
        against_average = 1 / (1 + np.exp(-np.log(ends / (1 - ends)) / 2))
        rows.append({"wins": wins, "losses": losses, "low": against_average[0], "high": against_average[1]})
    return rows


def of_three():
    pairs = list(itertools.combinations(range(3), 2))
    chances = [[0.6, 0.1, 0.3], [0.5, 0.3, 0.2], [0.35, 0.3, 0.35]]
    cases = np.array([[random.choice([1.0, 0.5, 0.0], p=c) for c in chances] for _ in range(60)])
    # Verdicts of one case hang together.
    cases[:20, 1] = cases[:20, 0]
    drawn = []
    for _ in range(3000):
        weight = random.exponential(size=len(cases))
        wins = np.zeros((3, 3))
        for column, (i, j) in enumerate(pairs):
            wins[i, j] = weight @ cases[:, column] + random.gamma(0.5)
            wins[j, i] = weight @ (1 - cases[:, column]) + random.gamma(0.5)
        drawn.append(1 / (1 + np.exp(-strengths(wins))))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    wins = np.zeros((3, 3))
    for column, (i, j) in enumerate(pairs):
        wins[i, j], wins[j, i] = cases[:, column].sum(), (1 - cases[:, column]).sum()
    theta = strengths(with_halves(wins))
    return {"cases": cases.tolist(), "strengths": theta.tolist(), "low": low.tolist(), "high": high.tolist()}


json.dump(
    {
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
        "sign_tests": sign_tests(),
        "tables": tables(),
        "of_two": of_two(),
        "of_three": of_three(),
    },
    sys.stdout,
    indent=1,
)
print()
