"""Golden values of the default intervals, of betting, of the bootstrap and of cases needed.

    pip install numpy scipy statsmodels pandas
    python intervals.py > intervals.json

Wilson's formula is statsmodels', Student's t and the BCa bootstrap are scipy's (with the index matrix
that the file holds), sample sizes come from the noncentral t (statsmodels) and from integrating the
power of two one-sided tests, the analysis of variance is statsmodels'. The betting interval is the
published definition, capital by capital, with a general root finder.
"""

import json
import sys

import numpy as np
import pandas as pd
import scipy
import statsmodels
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20261201)


def mean_samples():
    """Scores and labels."""
    yield [1.0] * 20, None
    yield [0.75] * 30, None
    yield [1.0] * 19 + [0.0], None
    yield [0.0] * 7 + [1.0] * 53, None
    for n in (20, 45, 150):
        yield np.round(random.beta(4, 1.5, n), 3).tolist(), None
    for groups, n in ((10, 24), (12, 60), (25, 100)):
        labels = list(range(groups)) + random.integers(0, groups, n - groups).tolist()
        easy = random.beta(6, 2, groups)
        yield (random.binomial(4, easy[labels]) / 4).tolist(), labels
    yield [1.0] * 40, [case % 10 for case in range(40)]


def wilson():
    rows = []
    for values, labels in mean_samples():
        x = pd.Series(values)
        n, m = len(x), x.mean()
        groups = (x - m).groupby(labels if labels else list(range(n)))
        sizes = groups.size().to_numpy(float)
        seen = (groups.sum() ** 2).sum()
        if labels:
            seen *= len(sizes) / (len(sizes) - 1)
        per_case = (sizes**2).sum() / n
        weight = 0.25 * per_case
        phi = (seen + weight * (1 + 0.25 * (per_case - 1))) / (n * m * (1 - m) + weight)
        for level in (0.8, 0.95):
            q = stats.t.ppf((1 + level) / 2, n / per_case - 1)
            effective = n / phi
            low, high = proportion_confint(m * effective, effective, alpha=2 * stats.norm.sf(q),
                                           method="wilson")
            rows.append({"values": values, "labels": labels, "level": level,
                         "low": low, "high": high})
    return rows


def log_capital(x, m, alpha):
    """The largest log capital of the gambler on higher scores, over time; bets are predictable."""
    n, best, capital = len(x), -np.inf, 0.0
    for t in range(n):
        history = x[:t]
        means = [(0.5 + history[: i + 1].sum()) / (i + 2) for i in range(t)]
        variance = (0.25 + sum((history[i] - means[i]) ** 2 for i in range(t))) / (t + 1)
        stake = np.sqrt(2 * np.log(2 / alpha) / (n * variance))
        capital += np.log(1 + min(stake, 0.5 / m) * (x[t] - m))
        best = max(best, capital)
    return best


def betting():
    rows = []
    samples = [np.ones(8), np.zeros(15), np.full(12, 0.75), np.array([1, 1, 0, 1, 1.0]), np.array([0.3])]
    samples += [np.round(random.beta(4, 1.5, n), 3) for n in (5, 19, 40)]
    for x in samples:
        for level in (0.9, 0.95):
            alpha = 1 - level

            def end(y):
                rich = lambda m: log_capital(y, m, alpha) - np.log(2 / alpha)
                return brentq(rich, 1e-9, 1 - 1e-9, xtol=1e-11) if rich(1e-9) > 0 else 0.0

            rows.append({"values": x.tolist(), "level": level, "low": min(end(x), x.mean()),
                         "high": max(1 - end(1 - x), x.mean())})
    return rows


class Given(np.random.Generator):
    """A generator that draws the indices that it was given."""

    def __init__(self, indices):
        super().__init__(np.random.PCG64(0))
        self.indices = indices

    def integers(self, *args, size=None, **more):
        assert tuple(size) == self.indices.shape
        return self.indices


def bca():
    rows = []
    shapes = [("mean", np.round(random.exponential(2, 12), 2), np.ones(12)),
              ("mean", random.choice([0.0, 0.5, 1.0, 1.0], 30), np.ones(30)),
              ("ratio", random.integers(0, 6, 25).astype(float), random.integers(6, 9, 25).astype(float))]
    for _, above, below in shapes:
        indices = random.integers(0, len(above), (199, len(above)))
        interval = stats.bootstrap(
            (above, below), lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis), paired=True,
            vectorized=True, n_resamples=199, method="BCa", rng=Given(indices),
        ).confidence_interval
        rows.append({"above": above.tolist(), "below": below.tolist(), "indices": indices.tolist(),
                     "low": interval.low, "high": interval.high})
    return rows


def student():
    rows = []
    for n in (2, 5, 30):
        x = np.round(random.exponential(1.5, n), 2)
        low, high = stats.t.interval(0.95, n - 1, x.mean(), stats.sem(x))
        rows.append({"values": x.tolist(), "low": low, "high": high})
    return rows


def tost_power(n, margin, sd, alpha):
    """Power of two one-sided t tests at a true difference of 0: the mean given the variance."""
    crit = stats.t.ppf(1 - alpha, n - 1)
    se = sd / np.sqrt(n)

    def given(ratio):  # the estimated standard error over the true one
        half = margin / se - crit * ratio
        inside = 2 * stats.norm.cdf(half) - 1 if half > 0 else 0.0
        return inside * 2 * ratio * (n - 1) * stats.chi2.pdf(ratio**2 * (n - 1), n - 1)

    return quad(given, 0, margin / se / crit, limit=200)[0]


def cases():
    rows = []
    for sd, size in ((0.3, 0.1), (0.3, 0.05), (0.15, 0.1), (0.4, 0.2)):
        d = size / sd
        power = TTestPower()
        rows.append({"aim": "detect", "sd": sd, "size": size, "cases":
                     int(np.ceil(power.solve_power(d, alpha=0.05, power=0.8, alternative="two-sided")))})
        rows.append({"aim": "non_inferior", "sd": sd, "size": size, "cases":
                     int(np.ceil(power.solve_power(d, alpha=0.05, power=0.8, alternative="larger")))})
        n = 2
        while tost_power(n, size, sd, 0.05) < 0.8:
            n += 1
        rows.append({"aim": "equivalent", "sd": sd, "size": size, "cases": n})
        n = 2
        while stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n) > size:
            n += 1
        rows.append({"aim": "half_width", "sd": sd, "size": size, "cases": n})
    return rows


def design():
    rows = []
    for groups, n, between in ((6, 30, 0.3), (10, 80, 0.1), (12, 50, 0.0)):
        labels = list(range(groups)) + random.integers(0, groups, n - groups).tolist()
        of_group = random.normal(0, between, groups)
        values = np.round(of_group[labels] + random.normal(0, 0.2, n), 3)
        frame = pd.DataFrame({"value": values, "group": labels})
        table = anova_lm(ols("value ~ C(group)", frame).fit())
        between_ms, within_ms = table["mean_sq"].iloc[0], table["mean_sq"].iloc[1]
        sizes = frame.groupby("group").size().to_numpy(float)
        n0 = (n - (sizes**2).sum() / n) / (groups - 1)
        icc = max(0.0, (between_ms - within_ms) / (between_ms + (n0 - 1) * within_ms))
        rows.append({"values": values.tolist(), "labels": labels,
                     "effect": 1 + ((sizes**2).sum() / n - 1) * icc})
    return rows


json.dump(
    {
        "made_with": {"numpy": np.__version__, "scipy": scipy.__version__,
                      "statsmodels": statsmodels.__version__},
        "wilson": wilson(), "betting": betting(), "bca": bca(), "student": student(),
        "cases": cases(), "design": design(),
    },
    sys.stdout, separators=(",", ":"),
)
print()
