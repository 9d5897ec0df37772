"""Models fitted in the clear by scikit-learn, statsmodels and SciPy."""

import numpy as np
import statsmodels.api as sm
from fixture import Uniforms, finish
from scipy.integrate import quad
from scipy.optimize import brentq, linprog, minimize, root
from sklearn.linear_model import HuberRegressor, LogisticRegression
from sklearn.svm import LinearSVC
from statsmodels.robust.scale import HuberScale

COUNT = 300
TRUTH = np.array([0.5, 1.0, -0.75, 0.25])
C = 1.345


def records(seed, bound):
    """Rows 1, x1, x2, x3 and responses, with errors of deviation nearly 1."""
    u = Uniforms(seed)
    rows, responses = [], []
    for _ in range(COUNT):
        row = [1.0] + [u.between(bound) for _ in range(3)]
        rows.append(row)
        responses.append(float(np.dot(TRUTH, row)) + u.bell())
    return np.array(rows), np.array(responses)


X, y = records(1, 0.5)  # all Mallows weights are 1
XF, yf = records(2, 4.0)  # few are
wf = np.minimum(1, 2 / (XF**2).sum(axis=1))
binary, binary_far = (y > 0).astype(int), (yf > 0).astype(int)
classes = np.where(y < -0.5, 0, np.where(y < 0.5, 1, 2))
signs = np.where(y > 0, 1.0, -1.0)
Z = X[:, 1:]
ones = np.ones(COUNT)


def newton(gradient, hessian, start, steps=60):
    theta = np.array(start, float)
    for _ in range(steps):
        step = np.linalg.solve(hessian(theta), gradient(theta))
        theta -= step
        if np.abs(step).max() < 1e-15:
            break
    assert np.abs(gradient(theta)).max() < 1e-13, gradient(theta)
    return theta


def smooth(rows, responses, weights, derivative, second, start=np.zeros(4)):
    """The root of the mean weighted score; for piecewise linear scores Newton's method ends in the root itself."""
    count = len(responses)
    return newton(
        lambda t: (weights * derivative(rows @ t, responses)) @ rows / count,
        lambda t: (rows.T * (weights * second(rows @ t, responses))) @ rows / count,
        start,
    )


def huber_value(u):
    return np.where(np.abs(u) <= C, 0.5 * u * u, C * np.abs(u) - 0.5 * C * C)


def psi(u):
    return np.clip(u, -C, C)


def least_squares():
    near = sm.OLS(y, X).fit(cov_type="HC0")
    far = sm.WLS(yf, XF, weights=wf).fit(cov_type="HC0")
    return {
        "near": {"theta": near.params, "errors": near.bse},
        "far": {"theta": far.params, "errors": far.bse},
        "farUnweighted": sm.OLS(yf, XF).fit().params,
    }


def huber():
    near = sm.RLM(y, X, M=sm.robust.norms.HuberT(C)).fit(
        start_scale=1.0, update_scale=False, maxiter=2000, tol=1e-15, conv="coefs"
    )
    far = minimize(
        lambda t: (wf * huber_value(yf - XF @ t)).mean(),
        np.zeros(4),
        jac=lambda t: -(wf * psi(yf - XF @ t)) @ XF / COUNT,
        hess=lambda t: (XF.T * (wf * (np.abs(yf - XF @ t) < C))) @ XF / COUNT,
        method="trust-exact",
        options={"gtol": 1e-13},
    )
    return {"near": near.params, "far": far.x, "farRisk": far.fun}


def joint_huber():
    """Coefficients and scale: Huber's proposal 2 by statsmodels, and scikit-learn's concomitant scale."""
    proposal = sm.RLM(y, X, M=sm.robust.norms.HuberT(C)).fit(
        scale_est=HuberScale(d=C, tol=1e-14, maxiter=500), maxiter=2000, tol=1e-14, conv="coefs"
    )
    learned = HuberRegressor(epsilon=C, alpha=0, fit_intercept=False, tol=1e-10, max_iter=5000).fit(X, y)
    return {
        "statsmodels": [*proposal.params, proposal.scale],
        "sklearn": [*learned.coef_, learned.scale_],
    }


def logistic():
    plain = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=500, fit_intercept=False)
    near = plain.fit(X, binary).coef_[0]
    errors = sm.Logit(binary, X).fit(disp=0, tol=1e-13, maxiter=100, cov_type="HC0").bse
    far = plain.fit(XF, binary_far, sample_weight=wf).coef_[0]
    ridge = {}
    for strength in (0.1, 0.01, 0.001):
        model = LogisticRegression(
            C=1 / (COUNT * strength), solver="newton-cholesky", tol=1e-12, max_iter=500, fit_intercept=False
        )
        ridge[str(strength)] = model.fit(Z, signs).coef_[0]
    return {"near": {"theta": near, "errors": errors}, "far": far, "ridge": ridge}


def multinomial():
    model = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-10, max_iter=5000, fit_intercept=False)
    coefficients = model.fit(X, classes).coef_
    reference = sm.MNLogit(classes, X).fit(disp=0, method="newton", tol=1e-13, maxiter=200).params
    return {
        "sklearn": (coefficients[1:] - coefficients[0]).ravel(),
        "statsmodels": np.asarray(reference).T.ravel(),
    }


def expectiles():
    """Asymmetric least squares, iterated to its fixed point by statsmodels' weighted least squares; the robust form by Newton."""
    plain = {}
    for tau in (0.25, 0.8):
        theta = np.zeros(4)
        for _ in range(200):
            side = np.where(y - X @ theta < 0, 1 - tau, tau)
            theta = sm.WLS(y, X, weights=side).fit().params
        plain[str(tau)] = theta
    tau = 0.25
    robust = smooth(
        X, y, ones,
        lambda m, r: -np.where(r - m < 0, 1 - tau, tau) * psi(r - m),
        lambda m, r: np.where(r - m < 0, 1 - tau, tau) * (np.abs(r - m) < C),
        plain[str(tau)],
    )  # fmt: skip
    return {"plain": plain, "robust": robust}


def quantiles():
    """The least risk of linear quantile regression as a linear programme, and the smoothed loss as an integral."""
    exact = {}
    for tau in (0.3, 0.5):
        cost = np.concatenate([np.zeros(4), tau * ones / COUNT, (1 - tau) * ones / COUNT])
        equal = np.hstack([X, np.eye(COUNT), -np.eye(COUNT)])
        bounds = [(None, None)] * 4 + [(0, None)] * (2 * COUNT)
        solution = linprog(cost, A_eq=equal, b_eq=y, bounds=bounds, method="highs")
        fitted = sm.QuantReg(y, X).fit(q=tau, max_iter=5000, p_tol=1e-10)
        residual = y - X @ fitted.params
        risk = np.where(residual < 0, (tau - 1) * residual, tau * residual).mean()
        assert abs(risk - solution.fun) < 1e-4, (risk, solution.fun)
        exact[str(tau)] = solution.fun
    h, tau = 0.25, 0.3

    def convolved(r):
        # E check(r − h·L) for a standard logistic L
        def density(t):
            return 1 / (4 * np.cosh(t / 2) ** 2)

        def check(t):
            return t * (tau - (t < 0))

        return quad(lambda t: check(r - h * t) * density(t), -60, r / h, epsabs=1e-13, limit=400)[0] + quad(
            lambda t: check(r - h * t) * density(t), r / h, 60, epsabs=1e-13, limit=400
        )[0]

    residuals = [-2.0, -0.5, -0.01, 0.0, 0.2, 1.5]
    return {"leastRisk": exact, "convolved": [[r, convolved(r)] for r in residuals]}


def hinge():
    """The exact least mean of (1/2 − y<w, x>)+ as a linear programme; support vectors by scikit-learn."""
    signed = signs[:, None] * Z
    cost = np.concatenate([np.zeros(3), ones / COUNT])
    solution = linprog(
        cost,
        A_ub=-np.hstack([signed, np.eye(COUNT)]),
        b_ub=-0.5 * ones,
        bounds=[(None, None)] * 3 + [(0, None)] * COUNT,
        method="highs",
    )
    machine = LinearSVC(C=0.2, loss="hinge", fit_intercept=False, tol=1e-12, max_iter=2_000_000, random_state=0)
    w = machine.fit(Z, signs).coef_[0]
    return {
        "leastRisk": solution.fun,
        "machine": {"norm": np.linalg.norm(w), "risk": np.maximum(0, 1 - signed @ w).mean()},
    }


def median():
    """The Euclidean median of the features, once each and with weights 1, 2, 3, 1, 2, 3, …"""

    def fit(weights):
        def value(w):
            return weights @ np.linalg.norm(Z - w, axis=1) / (2 * weights.sum())

        def gradient(w):
            d = w - Z
            return (weights / np.linalg.norm(d, axis=1)) @ d / (2 * weights.sum())

        def hessian(w):
            d = w - Z
            n = np.linalg.norm(d, axis=1)
            return (np.eye(3) * (weights / n).sum() - (d.T * (weights / n**3)) @ d) / (2 * weights.sum())

        options = {"gtol": 1e-14}
        found = minimize(value, np.zeros(3), jac=gradient, hess=hessian, method="trust-exact", options=options)
        point = newton(gradient, hessian, found.x)
        return {"point": point, "value": value(point)}

    return {"once": fit(ones), "weighted": fit(1.0 + np.arange(COUNT) % 3)}


def ball():
    """Logistic risk over a ball that holds the solution back, by SLSQP and by the multiplier of the ball."""

    def risk(w):
        return np.logaddexp(0, -signs * (Z @ w)).mean()

    def slope(w):
        return -(signs / (1 + np.exp(signs * (Z @ w)))) @ Z / COUNT

    def fit(strength):
        return newton(
            lambda w: slope(w) + strength * w,
            lambda w: (Z.T * (1 / (4 * np.cosh(Z @ w / 2) ** 2))) @ Z / COUNT + strength * np.eye(3),
            np.zeros(3),
        )

    multiplier = brentq(lambda s: np.linalg.norm(fit(s)) - 1, 1e-6, 10, xtol=1e-16, rtol=1e-15)
    point = fit(multiplier)
    constraint = {"type": "ineq", "fun": lambda w: 1 - w @ w, "jac": lambda w: -2 * w}
    other = minimize(
        risk, np.zeros(3), jac=slope, constraints=[constraint], method="SLSQP", options={"ftol": 1e-16, "maxiter": 500}
    )
    assert np.abs(other.x - point).max() < 1e-6, (other.x, point)
    return {"point": point, "value": risk(point), "slsqp": other.x, "free": np.linalg.norm(fit(0.0))}


def mallows_logistic_errors():
    """Standard errors of the weighted logistic fit by the formula."""
    theta = LogisticRegression(
        C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=500, fit_intercept=False
    ).fit(XF, binary_far, sample_weight=wf).coef_[0]
    share = 1 / (1 + np.exp(-(XF @ theta)))
    inverse = np.linalg.inv((XF.T * (wf * share * (1 - share))) @ XF)
    return np.sqrt(np.diag(inverse @ ((XF.T * (wf * (share - binary_far)) ** 2) @ XF) @ inverse))


def joint_root():
    """The root of the joint score with the consistency constant, features far out and weighted."""
    from scipy.stats import norm

    kappa = quad(lambda z: min(z * z, C * C) * norm.pdf(z), -12, 12, points=[-C, C], epsabs=1e-14)[0]

    def score(t):
        u = (yf - XF @ t[:4]) / t[4]
        return [*(-(wf * psi(u)) @ XF / COUNT), 0.5 * (wf * (kappa - psi(u) ** 2)).mean()]

    found = root(score, [0, 0, 0, 0, 1], tol=1e-14, method="hybr")
    assert np.abs(score(found.x)).max() < 1e-12
    return {"theta": found.x, "kappa": kappa}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    return float(value)


finish("fits", ["numpy", "scipy", "scikit-learn", "statsmodels"], plain({
    "leastSquares": least_squares(),
    "huber": huber(),
    "jointHuber": {**joint_huber(), "root": joint_root()},
    "logistic": {**logistic(), "farErrors": mallows_logistic_errors()},
    "multinomial": multinomial(),
    "expectiles": expectiles(),
    "quantiles": quantiles(),
    "hinge": hinge(),
    "median": median(),
    "ball": ball(),
}))  # fmt: skip
