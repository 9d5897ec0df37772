"""Privacy curves by numerical integration and exact enumeration, audits by exact sums: mpmath throughout."""

import hashlib
from fractions import Fraction
from math import comb

from fixture import Uniforms, finish
from mpmath import erfc, exp, findroot, log, mp, mpf, npdf, quad, sqrt

mp.dps = 40


def tail(x):
    return erfc(x / sqrt(2)) / 2


def hockey_stick(mu, epsilon):
    """∫ (φ(x − μ) − e^ε φ(x))₊ dx by quadrature: the densities cross at x = ε/μ + μ/2."""
    mu, epsilon = mpf(mu), mpf(epsilon)
    start = epsilon / mu + mu / 2
    edges = [start, start + 1, start + 3, start + 8, start + 20, start + 60]
    return quad(lambda x: npdf(x - mu) - exp(epsilon) * npdf(x), edges)


def concentrated(rho, epsilon):
    """The least of exp((α − 1)(αρ − ε))/(α − 1)·(1 − 1/α)^α over orders α > 1, where its slope in log form is 0."""
    rho, epsilon = mpf(rho), mpf(epsilon)
    order = findroot(lambda a: (2 * a - 1) * rho - epsilon + log(1 - 1 / a), (1.01 + epsilon / (2 * rho), 2 + epsilon / rho))
    return exp((order - 1) * (order * rho - epsilon)) / (order - 1) * (1 - 1 / order) ** order


def mixture(groups, mu, epsilon):
    """δ(ε) of randomized responses (count, ε₀) and one Gaussian release, all together, by summing over their losses."""
    losses = [(mpf(0), mpf(1))]
    for count, budget in groups:
        keep = exp(mpf(budget)) / (1 + exp(mpf(budget)))
        one = [((2 * k - count) * mpf(budget), comb(count, k) * keep**k * (1 - keep) ** (count - k)) for k in range(count + 1)]
        losses = [(a + b, p * q) for a, p in losses for b, q in one]
    total = mpf(0)
    for loss, mass in losses:
        rest = mpf(epsilon) - loss
        if mu == 0:
            total += mass * max(mpf(0), 1 - exp(rest))
        else:
            total += mass * (tail(rest / mu - mpf(mu) / 2) - exp(rest) * tail(rest / mu + mpf(mu) / 2))
    return total


def one_run(canaries, guesses, correct, epsilon, delta):
    """P(W ≥ v) + 2mδ max over i of P(v > W ≥ v − i)/i for a binomial W, every term written out."""
    keep = exp(mpf(epsilon)) / (1 + exp(mpf(epsilon)))
    mass = [comb(guesses, k) * keep**k * (1 - keep) ** (guesses - k) for k in range(guesses + 1)]
    steepest = max(sum(mass[correct - i : correct]) / i for i in range(1, correct + 1))
    return min(mpf(1), sum(mass[correct:]) + 2 * canaries * mpf(delta) * steepest)


def clopper_pearson(successes, trials, failure):
    """Bounds at which the binomial tail is the failure probability."""

    def below(p):
        return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes, trials + 1))

    def above(p):
        return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes + 1))

    def solve(f):
        low, high = mpf(0), mpf(1)
        rising = f(mpf(1)) > f(mpf(0))
        for _ in range(140):
            middle = (low + high) / 2
            if (f(middle) > failure) == rising:
                high = middle
            else:
                low = middle
        return low

    return [0.0 if successes == 0 else float(solve(below)), 1.0 if successes == trials else float(solve(above))]


def unit_vectors():
    """Whether vectors near the unit sphere have a squared norm of at most 1 + 1e-12, in exact fractions."""
    u = Uniforms(5)
    limit = 1 + Fraction(1e-12)
    cases = []
    for index in range(60):
        vector = [u.between(1) for _ in range(5)]
        norm = sum(x * x for x in vector) ** 0.5
        # 1 ± a multiple of 1e-13 on both sides of the tolerance on the norm, about half of 1e-12.
        scale = 1 + (index - 30) * 4e-14 + 5e-13 + 2e-14
        vector = [x / norm * scale for x in vector]
        exact = sum(Fraction(x) ** 2 for x in vector)
        assert abs(exact - limit) > Fraction(1, 10**14)
        cases.append({"vector": vector, "inside": exact <= limit})
    return cases


GROUPS = [
    ([[5, 0.4]], 0.8, [0.5, 1.0, 2.0, 3.0]),
    ([[3, 1.0], [2, 0.3]], 0.0, [0.5, 1.7, 2.9]),
    ([[4, 0.5], [1, 1.5]], 0.3, [1.0, 2.5]),
]

finish("accounting", ["mpmath"], {
    "gaussian": [[mu, eps, float(hockey_stick(mu, eps))] for mu, eps in
                 [(1.3, 0.0), (1.3, 2.0), (0.2, 0.5), (3.0, 4.0), (0.05, 0.3), (6.0, 30.0)]],
    "concentrated": [[rho, eps, float(concentrated(rho, eps))] for rho, eps in
                     [(0.3, 2.0), (0.01, 0.5), (1.0, 3.0), (2.0, 12.0)]],
    "mixtures": [{"groups": groups, "mu": mu, "curve": [[eps, float(mixture(groups, mpf(str(mu)), mpf(str(eps))))] for eps in at]}
                 for groups, mu, at in GROUPS],
    "oneRun": [[*case, float(one_run(*case))] for case in
               [(1000, 300, 230, 1.0, 1e-5), (200, 200, 150, 0.5, 0), (500, 60, 58, 2.0, 1e-6), (1000, 1000, 700, 0.6, 1e-4)]],
    "clopperPearson": [[k, n, f, *clopper_pearson(k, n, f)] for k, n, f in
                       [(0, 40, 0.01), (7, 40, 0.01), (40, 40, 0.001), (3, 500, 1e-6), (250, 500, 0.05)]],
    "unitVectors": unit_vectors(),
    "digests": {text: hashlib.sha256(text.encode()).hexdigest() for text in ["abc", '{"a":[1,2.5],"b":"ε"}']},
})  # fmt: skip
