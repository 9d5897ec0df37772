import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';

const { abs, cos, max, PI } = Math;

/** A quadrature rule: Σ masses[i]·f(nodes[i]) stands for the integral of f. */
export interface QuadratureRule {
  readonly nodes: Float64Array;
  readonly masses: Float64Array;
}

/**
 * The Gauss–Lobatto rule with n ≥ 2 nodes on [−1, 1], including both ends, exact for polynomials up to degree 2n − 3.
 *
 * Newton's method for (1 − x²)·P′, P the Legendre polynomial of degree n − 1; accurate to a few units in the last
 * place.
 */
export function gaussLobatto(n: number): QuadratureRule {
  checkInteger('n', n, 2, 1000);
  const degree = n - 1;
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * i) / degree);
    let value = 1;
    // Quadratic convergence from a guess with error 1/n²; ten steps are more than enough.
    for (let step = 0; step < 10; step++) {
      let before = 1;
      value = x;
      for (let k = 2; k <= degree; k++) {
        const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      x -= (x * value - before) / (n * value);
    }
    nodes[i] = x;
    masses[i] = 2 / (degree * n * value * value);
  }
  return { nodes, masses };
}

/**
 * Nodes in a panel, which then integrates polynomials up to degree 21 exactly. A rule without the ends would miss a
 * jump between its last node and the end of a panel, however often the panel is halved.
 */
const PANEL_NODES = 12;
const PANEL_RULE: QuadratureRule = gaussLobatto(PANEL_NODES);

/**
 * A panel is split when its halves disagree with it by more than this multiple of the whole integral of |·|. The halves
 * are kept; for a smooth function they are 2²² times more accurate than the panel with which they are compared.
 */
const PANEL_TOLERANCE = 1e-12;

/** A panel is not split more often than this: around a jump the remaining error is 2⁻⁴⁵ of a panel. */
const PANEL_DEPTH = 45;

/** The largest number of panels before giving up. */
const PANEL_LIMIT = 20_000;

/**
 * A composite Gauss–Lobatto rule on [edges[0], edges[last]] fine enough for three given functions at once.
 *
 * Every segment between edges starts as equal panels; a panel whose integrals change when it is halved is replaced by
 * its halves. Bisection finds the jumps and kinks of the functions, so the caller need not give them.
 *
 * @throws RangeError when a function is not finite, or so rough that the limit on panels is reached.
 */
export function panelRule(
  edges: readonly number[],
  evaluate: (t: number, values: Float64Array) => void,
  panels: number,
): QuadratureRule {
  const values = new Float64Array(3);
  const integrate = (from: number, to: number): Float64Array => {
    const sums = new Float64Array(6);
    const half = (to - from) / 2;
    for (let i = 0; i < PANEL_NODES; i++) {
      evaluate((from + to) / 2 + half * PANEL_RULE.nodes[i], values);
      for (let k = 0; k < 3; k++) {
        sums[k] += half * PANEL_RULE.masses[i] * values[k];
        sums[k + 3] += half * PANEL_RULE.masses[i] * abs(values[k]);
      }
    }
    return sums;
  };
  const open: { from: number; to: number; depth: number; sums: Float64Array }[] = [];
  const totals = new Float64Array(3);
  for (let e = edges.length - 1; e >= 1; e--) {
    for (let i = panels - 1; i >= 0; i--) {
      const width = (edges[e] - edges[e - 1]) / panels;
      const from = edges[e - 1] + i * width;
      const to = i === panels - 1 ? edges[e] : edges[e - 1] + (i + 1) * width;
      const sums = integrate(from, to);
      for (let k = 0; k < 3; k++) totals[k] += sums[k + 3];
      open.push({ from, to, depth: 0, sums });
    }
  }
  for (const total of totals) {
    if (!Number.isFinite(total)) throw new RefusedValue(refusal('f(t)', 'finite numbers', total));
  }
  const closed: number[] = [];
  while (open.length > 0) {
    const { from, to, depth, sums } = open.pop()!;
    const middle = (from + to) / 2;
    const left = integrate(from, middle);
    const right = integrate(middle, to);
    let settled = depth >= PANEL_DEPTH;
    if (!settled) {
      settled = true;
      for (let k = 0; k < 3; k++) {
        // The larger of the first estimate and the integral over this panel, which the first estimate may have missed.
        const whole = max(totals[k], left[k + 3] + right[k + 3]);
        if (!(abs(left[k] + right[k] - sums[k]) <= PANEL_TOLERANCE * whole)) settled = false;
      }
    }
    if (settled) {
      closed.push(from, middle, middle, to);
      if (closed.length > 2 * PANEL_LIMIT) {
        throw new RefusedValue(`"f" expected a function integrable with ${PANEL_LIMIT} panels, got one that is not`);
      }
      continue;
    }
    open.push({ from: middle, to, depth: depth + 1, sums: right }, { from, to: middle, depth: depth + 1, sums: left });
  }
  const size = (closed.length / 2) * PANEL_NODES;
  const nodes = new Float64Array(size);
  const masses = new Float64Array(size);
  for (let panel = 0, entry = 0; panel < closed.length; panel += 2) {
    const half = (closed[panel + 1] - closed[panel]) / 2;
    const centre = (closed[panel] + closed[panel + 1]) / 2;
    for (let i = 0; i < PANEL_NODES; i++, entry++) {
      nodes[entry] = centre + half * PANEL_RULE.nodes[i];
      masses[entry] = half * PANEL_RULE.masses[i];
    }
  }
  return { nodes, masses };
}
