"""Polynomials by NumPy, scores by scikit-learn, and what Python reads in the files of vega-datasets."""

import csv
import pathlib

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from fixture import Uniforms, finish
from numpy.polynomial import chebyshev, hermite_e, legendre
from sklearn.metrics import log_loss, roc_auc_score

DATA = pathlib.Path(__file__).resolve().parents[3] / "node_modules/vega-datasets/data"


def smoothed_hinge_slope(t, beta):
    """Derivative of (d + √(d² + β²))/2 for d = ½ − t."""
    d = 0.5 - t
    return -(1 + d / np.sqrt(d * d + beta * beta)) / 2


def series():
    """Chebyshev series as interpolants of so high a degree that aliasing is below rounding."""
    functions = {
        "smoothed hinge, β = 0.3": (lambda t: smoothed_hinge_slope(t, 0.3), 8),
        "logistic": (lambda t: -1 / (1 + np.exp(t)), 9),
    }
    result = {}
    for name, (f, degree) in functions.items():
        coefficients = chebyshev.chebinterpolate(f, 600)[: degree + 1]
        result[name] = {
            "chebyshev": coefficients.tolist(),
            "monomial": chebyshev.cheb2poly(coefficients).tolist(),
        }
    return result


def hermite():
    """s^k He_k(u/s), k = 0 … 9."""
    result = []
    for u, s in [(0.7, 1.3), (-2.5, 0.6), (4.0, 2.0)]:
        result.append([u, s, [float(s**k * hermite_e.hermeval(u / s, [0] * k + [1])) for k in range(10)]])
    return result


def lobatto(count):
    """Nodes of Gauss–Lobatto: the ends and the roots of the derivative of a Legendre polynomial."""
    p = [0] * (count - 1) + [1]
    inner = legendre.legroots(legendre.legder(p))
    nodes = np.concatenate([[-1], np.sort(inner), [1]])
    return {"nodes": nodes.tolist(), "masses": (2 / (count * (count - 1) * legendre.legval(nodes, p) ** 2)).tolist()}


def scores():
    """Scores in steps of 1/16, so that there are many ties, and labels that lean their way."""
    u = Uniforms(9)
    labels, values = [], []
    for _ in range(2000):
        values.append(round(16 * u.between(1)) / 16)
        labels.append(1 if values[-1] + u.bell() > 0.25 else 0)
    labels, values = np.array(labels), np.array(values)
    share = 1 / (1 + np.exp(-values))
    return {
        "positives": int(labels.sum()),
        "auc": float(roc_auc_score(labels, values)),
        "logLoss": float(log_loss(labels, np.column_stack([1 - share, share]))),
        "accuracy": float(((values > 0) == labels)[values != 0].sum() + 0.5 * (values == 0).sum()) / len(labels),
    }


def airports():
    with open(DATA / "airports.csv", newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    return {
        "rows": len(rows),
        "latitudes": float(np.sum([float(row["latitude"]) for row in rows])),
        "nameLetters": sum(len(row["name"]) for row in rows),
        "withComma": [row["name"] for row in rows if "," in row["name"]],
        "withQuote": [row["name"] for row in rows if '"' in row["name"]],
    }


def flights():
    table = pq.read_table(DATA / "flights-3m.parquet", columns=["delay", "date"])
    delay = table["delay"]
    assert delay.null_count == 0
    return {
        "rows": table.num_rows,
        "delay": pc.sum(delay).as_py(),
        "late": pc.sum(pc.greater(delay, 0)).as_py(),
        "earliest": pc.min(pc.cast(table["date"], "int64")).as_py() // 1000,
        "latest": pc.max(pc.cast(table["date"], "int64")).as_py() // 1000,
    }


finish("tables", ["numpy", "scikit-learn", "pyarrow"], {
    "series": series(),
    "hermite": hermite(),
    "lobatto": {str(count): lobatto(count) for count in (4, 7, 12)},
    "scores": scores(),
    "airports": airports(),
    "flights": flights(),
})  # fmt: skip
