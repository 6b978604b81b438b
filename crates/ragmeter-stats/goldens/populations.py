"""Golden values of the paired tests by population, of margins and of ranks.

    pip install numpy scipy statsmodels networkx
    python populations.py > populations.json

Nothing here shares a formula with the Rust code: every pattern of signs is written out and applied
to the shifted sums, intervals are found by bisection over shifts, p of many differences is counted
exactly over the lattice that the scores lie on, groups of documents and tied groups are networkx's.
"""

import itertools
import json
import sys
from fractions import Fraction

import networkx as nx
import numpy as np
import scipy
import statsmodels
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20261130)


def sums(differences, labels):
    groups = sorted(set(labels))
    s = np.array([sum(d for d, l in zip(differences, labels) if l == g) for g in groups])
    n = np.array([labels.count(g) for g in groups], float)
    return s, n


def all_signs(units):
    return np.array(list(itertools.product((1, -1), repeat=units)))


def p_two_sided(signs, s, n, shift):
    moved = s - shift * n
    return float(np.mean(np.abs(signs @ moved) >= abs(moved.sum()) - 1e-11))


def p_above(signs, s, n, shift):
    """Of "the true mean is at most shift"."""
    moved = s - shift * n
    return float(np.mean(signs @ moved >= moved.sum() - 1e-11))


def p_below(signs, s, n, shift):
    moved = s - shift * n
    return float(np.mean(signs @ moved <= moved.sum() + 1e-11))


def end(signs, s, n, alpha, outside):
    inside = s.sum() / n.sum()
    if p_two_sided(signs, s, n, outside) >= alpha:
        return None
    while abs(outside - inside) > 1e-11:
        middle = (inside + outside) / 2
        if p_two_sided(signs, s, n, middle) >= alpha:
            inside = middle
        else:
            outside = middle
    return float(inside)


def room_for_the_unseen(s, n, p_of_zero, level):
    """The mean if a share of units, Wilson's upper end for 0 of all, is of a kind not yet seen."""
    unseen = proportion_confint(0, len(s), alpha=1 - level, method="wilson")[1]
    ratios, mean = s / n, s.sum() / n.sum()
    largest = 1.0 if np.ptp(ratios) < 1e-12 else np.abs(ratios).max()
    seen, away = mean * (1 - unseen), unseen * largest
    towards_zero = away if p_of_zero >= 1 - level else 0.0
    below, above = (towards_zero, away) if mean > 0 else (away, towards_zero if mean < 0 else away)
    return seen - below, seen + above


def p_of_the_unseen(s, n, p_of_zero, shift, side):
    """The smallest 1 - level at which that interval reaches the shift; below it 1 minus is given."""
    def outside(level):
        low, high = room_for_the_unseen(s, n, p_of_zero, level)
        return low - shift if side == "low" else shift - high
    levels = 1 - np.logspace(-9, -0.0001, 4000)
    missed = [outside(level) > 0 for level in levels]
    if not any(missed):
        return 1.0
    if all(missed):
        return 0.0
    # Levels fall; the last one that reaches the shift and the first that misses it.
    first = missed.index(True)
    a, b = levels[first - 1], levels[first]
    for _ in range(60):
        middle = (a + b) / 2
        if outside(middle) > 0:
            b = middle
        else:
            a = middle
    return float(1 - (a + b) / 2)


def hull(interval, room):
    return (None, None) if interval[0] is None else (min(interval[0], room[0]), max(interval[1], room[1]))


def samples():
    """Differences, labels (or none: each case for itself)."""
    for n in (6, 9, 12):
        yield np.round(random.normal(0.15, 0.3, n).clip(-1, 1), 2).tolist(), None
    yield random.choice([-0.5, 0.0, 0.0, 0.5, 1.0], 11).tolist(), None
    yield [0.0] * 9 + [0.5], None
    for groups, n, shift in ((10, 24, 0.1), (11, 30, 0.25), (12, 12, 0.0), (13, 40, -0.2)):
        labels = (list(range(groups)) + random.integers(0, groups, n - groups).tolist())
        of_group = random.normal(shift, 0.2, groups)
        d = [float(np.round((of_group[l] + random.normal(0, 0.2)).clip(-1, 1), 2)) for l in labels]
        yield d, labels
    # Heavy ties, and sizes from one case to eight.
    labels = [0] * 8 + [1] * 5 + [2] * 3 + list(range(3, 11))
    yield random.choice([-0.25, 0.0, 0.0, 0.25, 0.5], len(labels)).tolist(), labels


def tests():
    rows = []
    for differences, labels in samples():
        s, n = sums(differences, labels or list(range(len(differences))))
        signs = all_signs(len(s))
        p = p_two_sided(signs, s, n, 0.0)
        mean = float(s.sum() / n.sum())

        def interval(alpha):
            ends = end(signs, s, n, alpha, -3.0), end(signs, s, n, alpha, 3.0)
            return hull(ends, room_for_the_unseen(s, n, p, 1 - alpha))

        margins = []
        for margin in (0.05, 0.1, 0.3):
            lower, upper = p_above(signs, s, n, -margin), p_below(signs, s, n, margin)
            if mean > -margin:
                lower = max(lower, p_of_the_unseen(s, n, p, -margin, "low") / 2)
            if mean < margin:
                upper = max(upper, p_of_the_unseen(s, n, p, margin, "high") / 2)
            low, high = interval(0.1)
            margins.append({"margin": margin, "p_lower": lower, "p_upper": upper,
                            "low": low, "high": high})
        low, high = interval(0.05)
        rows.append({"differences": differences, "labels": labels, "units": len(s), "mean": mean,
                     "p": p, "low": low, "high": high, "margins": margins})
    return rows


def equal():
    """All differences equal: a share not yet seen, Wilson's upper end for 0 of n."""
    rows = []
    for d, n in ((0.0, 20), (0.25, 20), (-0.5, 8), (1.0, 150), (0.0, 6)):
        unseen = proportion_confint(0, n, alpha=0.05, method="wilson")[1]
        seen = d * (1 - unseen)
        rows.append({
            "difference": d, "n": n,
            "p": 1.0 if d == 0 else None,
            "low": seen - (0 if d > 0 else unseen), "high": seen + (0 if d < 0 else unseen),
        })
    return rows


def lattice():
    """p of many differences that are multiples of a quarter, exactly: counts of every sum."""
    rows = []
    for n, shift in ((24, 0.1), (40, 0.06), (150, 0.03), (150, 0.0)):
        quarters = np.round(random.normal(shift, 0.35, n).clip(-1, 1) * 4).astype(int).tolist()
        ways = {0: 1}
        for quarter in quarters:
            after = {}
            for total, count in ways.items():
                for sign in (1, -1):
                    after[total + sign * quarter] = after.get(total + sign * quarter, 0) + count
            ways = after
        observed = abs(sum(quarters))
        beyond = sum(count for total, count in ways.items() if abs(total) >= observed)
        rows.append({"differences": [q / 4 for q in quarters],
                     "p": float(Fraction(beyond, 2**n))})
    return rows


def components():
    rows = []
    for cases, documents, most in ((12, 20, 2), (30, 25, 3), (8, 3, 2)):
        named = [[f"doc-{d}" for d in random.choice(documents, random.integers(0, most + 1),
                                                     replace=False)] for _ in range(cases)]
        graph = nx.Graph()
        for case, names in enumerate(named):
            graph.add_node(("case", case))
            graph.add_edges_from((("case", case), ("document", name)) for name in names)
        groups = list(nx.connected_components(graph))
        rows.append({
            "documents": named,
            "groups": sorted(sorted(n for kind, n in group if kind == "case") for group in groups),
            "merged": sum(sum(kind == "document" for kind, _ in group) > 1 for group in groups),
        })
    return rows


def ranks():
    rows = []
    for n, share in ((1, 0.5), (3, 0.5), (5, 0.4), (6, 0.2), (7, 0.7), (8, 0.5)):
        strength = random.permutation(n)
        better = [[bool(strength[i] > strength[j] and random.random() < share) for j in range(n)]
                  for i in range(n)]
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((i, j) for i in range(n) for j in range(i)
                             if not better[i][j] and not better[j][i])
        matrix = np.array(better)
        rows.append({
            "better": better,
            "best": (1 + matrix.sum(axis=0)).tolist(), "worst": (n - matrix.sum(axis=1)).tolist(),
            "tied": sorted(sorted(clique) for clique in nx.find_cliques(graph)),
        })
    return rows


json.dump(
    {
        "made_with": {"numpy": np.__version__, "scipy": scipy.__version__,
                      "statsmodels": statsmodels.__version__, "networkx": nx.__version__},
        "tests": tests(), "equal": equal(), "lattice": lattice(),
        "components": components(), "ranks": ranks(),
    },
    sys.stdout, separators=(",", ":"),
)
print()
