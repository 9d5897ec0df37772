"""Cells of equal probability by SciPy, keystreams by OpenSSL, and the law of random scaling by plain simulation."""

import numpy as np
from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4
from cryptography.hazmat.primitives.ciphers import Cipher
from fixture import finish
from mpmath import exp, mp, mpf
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

CELLS = 40
LEVELS = np.arange(1, CELLS) / CELLS


def cuts(law):
    return [float(x) for x in law.ppf(LEVELS)]


def discrete(weight, reach):
    """Probabilities of −reach … reach and of what is beyond, for P(k) proportional to weight(k)."""
    mp.dps = 30
    total = sum(weight(k) for k in range(-400, 401))
    inside = [weight(k) / total for k in range(-reach, reach + 1)]
    return [float(p) for p in inside] + [float(1 - sum(inside))]


def kept_above(law, epsilon, reach):
    """The best threshold γ for a report that is above it with probability p, otherwise below; its law along the vector."""

    def constants(gamma):
        above = law.sf(gamma)
        keep = np.exp(epsilon) * above / (np.exp(epsilon) * above + 1 - above)
        moment = quad(lambda t: t * law.pdf(t), gamma, reach, epsabs=1e-13)[0]
        return above, keep, moment * (keep / above - (1 - keep) / (1 - above))

    best = minimize_scalar(lambda g: -constants(g)[2], bounds=(0.01, 0.9 * min(reach, 3)), method="bounded", options={"xatol": 1e-10})
    above, keep, mean = constants(best.x)
    below = LEVELS[LEVELS < 1 - keep]
    rest = LEVELS[LEVELS >= 1 - keep]
    low = law.ppf(below / (1 - keep) * (1 - above))
    high = law.isf((1 - rest) / keep * above)
    return {"cuts": [float(x) for x in np.concatenate([low, high]) / mean], "keep": float(keep), "mean": float(mean)}


def keystream(key, drop):
    """Words of ARC4, high byte first, after the first `drop` bytes."""
    stream = Cipher(ARC4(key), mode=None).encryptor().update(bytes(drop + 16))[drop:]
    return [int.from_bytes(stream[i : i + 4], "big") for i in range(0, 16, 4)]


def random_scaling(paths, steps):
    """t² of paths of a random walk, its definition and nothing else: (S/n)²/V, V = n⁻³ Σ (S_k − (k/n) S)²."""
    generator = np.random.Generator(np.random.PCG64(20250101))
    found = []
    share = np.arange(1, steps + 1) / steps
    for _ in range(paths // 2000):
        walk = generator.standard_normal((2000, steps)).cumsum(axis=1)
        end = walk[:, -1]
        area = ((walk - end[:, None] * share) ** 2).sum(axis=1) / steps**2
        found.append(np.abs(end) / np.sqrt(steps) / np.sqrt(area))
    t = np.concatenate(found)
    return {str(c): [float((t > c).mean()), paths] for c in (3.875, 5.323, 6.747, 8.613)}


def joint_scaling(paths, steps):
    """The same for two coordinates, Wᵀ(∫ bridge bridgeᵀ)⁻¹W."""
    generator = np.random.Generator(np.random.PCG64(20250102))
    found = []
    share = (np.arange(1, steps + 1) / steps)[:, None]
    for _ in range(paths // 1000):
        walk = generator.standard_normal((1000, steps, 2)).cumsum(axis=1) / np.sqrt(steps)
        bridge = walk - walk[:, -1:, :] * share
        area = np.einsum("nki,nkj->nij", bridge, bridge) / steps
        end = walk[:, -1, :]
        found.append(np.einsum("ni,nij,nj->n", end, np.linalg.inv(area), end))
    t = np.concatenate(found)
    return {str(c): [float((t > c).mean()), paths] for c in (30.0, 70.0, 103.68)}


finish("laws", ["numpy", "scipy", "mpmath", "cryptography"], {
    "cuts": {
        "normal": cuts(stats.norm),
        "laplace": cuts(stats.laplace(scale=2)),
        "exponential": cuts(stats.expon(scale=3)),
        "gamma": cuts(stats.gamma(2.5, scale=0.5)),
        "gammaSmall": cuts(stats.gamma(0.4)),
        "sphere": cuts(stats.beta(3.5, 3.5, loc=-1, scale=2)),
    },
    "reports": {
        "gaussian": kept_above(stats.norm, 2.0, 12),
    },
    "chiSquare": float(stats.chi2.isf(1e-6, CELLS - 1)),
    "discreteGaussian": discrete(lambda k: exp(-mpf(k) ** 2 / (2 * mpf("7.25"))), 8),
    "chiSquareDiscrete": float(stats.chi2.isf(1e-6, 17)),
    "keystream": {
        "0102030405, from byte 256": keystream(bytes([1, 2, 3, 4, 5]), 256),
        "8:a stream, from byte 256": keystream(b"8:a stream", 256),
    },
    "randomScaling": random_scaling(200_000, 1000),
    "jointScaling": joint_scaling(100_000, 500),
})  # fmt: skip
