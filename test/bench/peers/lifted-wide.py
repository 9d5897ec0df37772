"""Lifted PrivUnitG reports made and tallied per second: p = 15, degree 2, 815 numbers and the padding, epsilon = 1, NumPy."""
import json
import statistics
import time

import numpy as np

p, players, batch = 15, 20_000, 250
keep, gamma, mean = 0.589326, 0.397463, 0.397463
generator = np.random.default_rng(1)
records = generator.standard_normal((players, p))
records /= np.linalg.norm(records, axis=1, keepdims=True)

# Monomials of degree 2 and 3 as a parent and one more factor, with their orthonormal weights; shares 4 : 2 : 1.
pairs = [(i, j) for i in range(p) for j in range(i, p)]
triples = [(a, k) for a, (_, j) in enumerate(pairs) for k in range(j, p)]
left, right = (np.array(column) for column in zip(*pairs))
parent, factor = (np.array(column) for column in zip(*triples))


def weight(indexes):
    """The square root of the multinomial coefficient of a sequence of indexes."""
    counts = np.unique(indexes, return_counts=True)[1]
    ways = {2: 2, 3: 6}[len(indexes)]
    for count in counts:
        ways //= {1: 1, 2: 2, 3: 6}[int(count)]
    return ways**0.5


second = np.array([weight(pair) for pair in pairs])
third = np.array([weight((*pairs[a], k)) for a, k in triples])
one, two, three = (np.sqrt(share / 7) for share in (4, 2, 1))
size = p + len(pairs) + len(triples)


def alphas(count):
    """One number a player: a normal above gamma with probability keep, below it otherwise."""
    inside = generator.random(count) < keep
    drawn = np.empty(count)
    todo = np.arange(count)
    while todo.size:
        tried = generator.standard_normal(todo.size)
        fits = (tried >= gamma) == inside[todo]
        drawn[todo[fits]] = tried[fits]
        todo = todo[~fits]
    return drawn


def run():
    tally = np.zeros(size)
    unit = np.empty((batch, size + 1))
    for start in range(0, players, batch):
        v = records[start : start + batch]
        products = v[:, left] * v[:, right]
        unit[:, :p] = one * v
        np.multiply(products, two * second, out=unit[:, p : p + len(pairs)])
        np.multiply(products[:, parent], v[:, factor], out=unit[:, p + len(pairs) : size])
        unit[:, p + len(pairs) : size] *= three * third
        unit[:, size] = 0
        noise = generator.standard_normal((batch, size + 1))
        shift = alphas(batch) - np.einsum("ij,ij->i", noise, unit)
        tally += (noise[:, :size] + shift[:, None] * unit[:, :size]).sum(0) / mean
    return tally / players


assert size == 815
rates = []
for _ in range(6):
    begin = time.perf_counter()
    run()
    rates.append(players / (time.perf_counter() - begin))
print(json.dumps({"peer": "numpy lifted PrivUnitG, 815 numbers", "reportsPerSecond": statistics.median(rates[1:])}))
