"""Golden values for ragmeter-stats, from scipy and statsmodels.

    pip install numpy scipy statsmodels
    python make.py > goldens.json

Nothing here shares a formula with the Rust code: the Wilson interval and Holm's correction are
statsmodels', the permutation p is scipy's, and the interval is found by bisection over shifts with
every pattern of signs written out.
"""

import itertools
import json
import sys

import numpy as np
import scipy
import statsmodels
from scipy.stats import permutation_test
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20240607)


def wilson():
    rows = []
    for zeros, ones in [(0, 1), (1, 0), (0, 20), (20, 0), (1, 19), (3, 7), (50, 100), (997, 3)]:
        for level in (0.90, 0.95, 0.99):
            low, high = proportion_confint(ones, zeros + ones, alpha=1 - level, method="wilson")
            values = [0.0] * zeros + [1.0] * ones
            rows.append({"values": values, "level": level, "low": low, "high": high})
    # statsmodels takes a count that is not whole: the interval around any mean.
    for n in (2, 5, 33, 150):
        values = np.round(random.beta(4, 1.5, n), 3)
        low, high = proportion_confint(values.sum(), n, alpha=0.05, method="wilson")
        rows.append({"values": values.tolist(), "level": 0.95, "low": low, "high": high})
    return rows


def p_of_shift(differences, shift):
    moved = np.asarray(differences) - shift
    signs = np.array(list(itertools.product((1, -1), repeat=len(moved))))
    means = signs @ moved / len(moved)
    return np.mean(np.abs(means) >= abs(moved.mean()) - 1e-12)


def end_of_interval(differences, outside):
    """The shift at which p falls below .05 between the mean and a shift far outside."""
    inside, step = float(np.mean(differences)), 0
    if p_of_shift(differences, outside) >= 0.05:
        return None
    while step < 60 and abs(outside - inside) > 1e-10:
        middle = (inside + outside) / 2
        if p_of_shift(differences, middle) >= 0.05:
            inside = middle
        else:
            outside = middle
        step += 1
    return inside


def room_for_the_unseen(data, p):
    """The mean if a share of cases, Wilson's upper end for 0 of n, is of a kind not yet seen."""
    unseen = proportion_confint(0, len(data), alpha=0.05, method="wilson")[1]
    largest = 1.0 if np.ptp(data) == 0 else np.abs(data).max()
    seen = data.mean() * (1 - unseen)
    towards_zero = unseen * largest if p >= 0.05 else 0.0
    away = unseen * largest
    if data.mean() > 0:
        return seen - towards_zero, seen + away
    if data.mean() < 0:
        return seen - away, seen + towards_zero
    return seen - away, seen + away


def sign_flip():
    samples = [[0.25], [0.5, -0.25], [0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.0, 0.5, 0.25, 1.0, -0.25, 0.0]]
    for n in (6, 8, 11, 13):
        samples.append(np.round(random.normal(0.15, 0.3, n).clip(-1, 1), 2).tolist())
    # Heavy ties, as scores of few claims have.
    samples.append(random.choice([-0.5, 0.0, 0.0, 0.5, 1.0], 10).tolist())
    samples.append(random.choice([-0.25, 0.0, 0.0, 0.25], 12).tolist())
    rows = []
    for sample in samples:
        data = np.asarray(sample)
        if len(data) == 1:
            # scipy wants two observations; both patterns are as far from 0.
            p = 1.0
        else:
            p = permutation_test(
                (data,), np.mean, permutation_type="samples", vectorized=False,
                n_resamples=np.inf, alternative="two-sided",
            ).pvalue
        assert abs(p - p_of_shift(sample, 0.0)) < 1e-9, (sample, p, p_of_shift(sample, 0.0))
        low, high = end_of_interval(sample, -3.0), end_of_interval(sample, 3.0)
        if low is not None:
            below, above = room_for_the_unseen(data, p)
            low, high = min(low, below), max(high, above)
        rows.append({"differences": sample, "p": float(p), "low": low, "high": high})
    return rows


def sign_flip_drawn():
    """Too many to enumerate: scipy's own draws, many of them, to be met within sampling error."""
    rows = []
    for n, shift in ((40, 0.05), (40, 0.12), (150, 0.04)):
        data = np.round(random.normal(shift, 0.3, n).clip(-1, 1), 3)
        p = permutation_test(
            (data,), lambda x, axis: np.mean(x, axis=axis), permutation_type="samples",
            vectorized=True, n_resamples=400_000, batch=20_000, alternative="two-sided",
            rng=np.random.default_rng(1),
        ).pvalue
        rows.append({"differences": data.tolist(), "p": float(p)})
    return rows


def holm():
    lists = [[0.04], [0.01, 0.04, 0.03], [0.5, 0.5, 0.5], [0.001, 0.001, 0.9, 1.0]]
    lists.append(np.round(random.uniform(0, 0.1, 12), 4).tolist())
    return [{"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()} for p in lists]


json.dump(
    {
        "made_with": {"numpy": np.__version__, "scipy": scipy.__version__,
                      "statsmodels": statsmodels.__version__},
        "wilson": wilson(),
        "sign_flip": sign_flip(),
        "sign_flip_drawn": sign_flip_drawn(),
        "holm": holm(),
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
