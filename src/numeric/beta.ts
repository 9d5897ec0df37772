import { checkPositive, checkUnit } from '../check/refusal.ts';
import { normalQuantile } from './normal.ts';

const { PI, abs, acos, ceil, cos, exp, floor, fround, log, log1p, max, min, sin, sqrt } = Math;

const HALF_LOG_2PI = 0.9189385332046728;

/** From here on Stirling's series is used: its eighth term is below 4e-17. */
const STIRLING_FROM = 10;

/**
 * log Γ(x) for x > 0, to about 1e-15 relative everywhere, the zeros at 1 and 2 included.
 * @throws TypeError or RangeError unless x is a finite number > 0.
 */
export function logGamma(x: number): number {
  checkPositive('x', x);
  if (x >= STIRLING_FROM) return (x - 0.5) * log(x) - x + HALF_LOG_2PI + stirlingSeries(x);
  // Γ(x) = Γ(1 + x)/x, written with u = x, so 1 + x is never rounded.
  if (x < 1) return oneToThree(x) - log(x);
  // Γ(x) = (x−1)(x−2)…y·Γ(y) with y in (2, 3]: both logarithms are positive, nothing cancels.
  let product = 1;
  let y = x;
  while (y > 3) product *= --y;
  return oneToThree(y - 1) + log(product);
}

/**
 * Binet's function log Γ(x) − (x − ½) log x + x − ½ log 2π, about 1/(12x), to 1e-14. Ratios of gamma functions of large
 * arguments are written with it: differences of `logGamma` lose as many digits as its size has.
 */
export function stirlingCorrection(x: number): number {
  checkPositive('x', x);
  if (x >= STIRLING_FROM) return stirlingSeries(x);
  return logGamma(x) - (x - 0.5) * log(x) + x - HALF_LOG_2PI;
}

/** Seven terms of Stirling's series, Σ B₂ₖ/(2k(2k−1)x²ᵏ⁻¹). */
function stirlingSeries(x: number): number {
  const s = 1 / (x * x);
  let series = (s / 156 - 691 / 360360) * s + 1 / 1188;
  series = (series * s - 1 / 1680) * s + 1 / 1260;
  return ((series * s - 1 / 360) * s + 1 / 12) / x;
}

/**
 * log Γ(1 + u) on [0, 2] as u(u − 1) times a minimax quotient, relative error 1.1e-17, fitted by the Remez exchange at 50
 * digits; its coefficients are positive, so nothing cancels.
 */
function oneToThree(u: number): number {
  let above = 1.3249296092876958e-6 * u + 0.0006059734636313508;
  above = (above * u + 0.01915823776483293) * u + 0.19045383652375616;
  above = (above * u + 0.8132260775138249) * u + 1.6592507446458304;
  above = (above * u + 1.5928658561415212) * u + 0.5772156649015329;
  let below = 0.0001564207333612991 * u + 0.008098923375469998;
  below = (below * u + 0.12130252892751409) * u + 0.773114244770418;
  below = (below * u + 2.43268579377769) * u + 3.9583270658261513;
  below = (below * u + 3.1844548518579505) * u + 1;
  return (u * (u - 1) * above) / below;
}

/**
 * log of γ(a, x)/xᵃ = ∫ t^{a−1}·exp(−x·t) dt over (0, 1), to about 1e-12: a series of positive terms up to the mean a, a
 * continued fraction of what is missing beyond.
 */
export function logLowerGamma(a: number, x: number): number {
  if (x <= a + 1) {
    let [sum, term] = [0, 1 / a];
    for (let n = 1; term > 1e-12 * sum; n++) {
      sum += term;
      term *= x / (a + n);
    }
    return log(sum) - x;
  }
  // Γ(a, x) = xᵃ·exp(−x)·part, from the convergents of 1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − 2·(2 − a)/…)).
  let [below, ratio] = [x + 1 - a, Infinity];
  let inverse = 1 / below;
  let part = inverse;
  for (let n = 1, change = 0; abs(change - 1) > 1e-12; n++) {
    below += 2;
    inverse = 1 / (below - n * (n - a) * inverse);
    ratio = below - (n * (n - a)) / ratio;
    change = ratio * inverse;
    part *= change;
  }
  const whole = logGamma(a) - a * log(x);
  return whole + log1p(-part * exp(-x - whole));
}

/**
 * Regularized incomplete beta function I_x(a, b): the distribution function of the Beta(a, b) law at x. Relative error
 * about 1e-14 + 4e-16·|log I|, for a and b up to 1e5 and beyond, near the mean and in the tails. The upper tail 1 −
 * I_x(a, b) is `incompleteBeta(1 - x, b, a)`: pass the complement as accurately as you know it.
 * Source: continued fraction of DiDonato and Morris (1992), Algorithm 708, ACM TOMS 18(3), eq. (9), with the factor
 * before it in the saddle-point form of Loader (2000), Fast and accurate computation of binomial probabilities.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  checkArguments('x', x, a, b);
  if (x === 0 || x === 1) return x;
  const excess = meanExcess(x, a, b);
  if (excess <= 0) return exp(logKernel(x, 1 - x, a, b, excess)) / fraction(x, a, b, -excess);
  return 1 - exp(logKernel(x, 1 - x, a, b, excess)) / fraction(1 - x, b, a, excess);
}

/**
 * The x with I_x(a, b) = p: quantile of the Beta(a, b) law, relative error about 1e-14 + 4e-16·|log p| wherever x is a
 * normal double, 0 where it would underflow. For a shape below 1, an error of p is divided by it: 1e-12 at a = 0.01.
 *
 * For x near 1 the complement is `inverseIncompleteBeta(1 - p, b, a)`, relative to itself.
 * @throws TypeError or RangeError for p outside [0, 1] or a, b not > 0.
 */
export function inverseIncompleteBeta(p: number, a: number, b: number): number {
  checkArguments('p', p, a, b);
  if (p === 0 || p === 1) return p;
  const start = startingPoint(p, a, b);
  if (start <= 0.5) return refined(p, 1 - p, a, b, start);
  // The smaller of x and 1 − x needs the accuracy, and for small a the guess may lie on the wrong side.
  const complement = refined(1 - p, p, b, a, max(1 - start, 1e-16));
  return complement > 0.9 ? refined(p, 1 - p, a, b, max(1 - complement, 1e-16)) : 1 - complement;
}

const LEAST = 2 ** -1022;

/** Solves for log x by Halley's method on the log of the smaller tail, nearly linear or parabolic in log x. */
function refined(lower: number, upper: number, a: number, b: number, start: number): number {
  const useLower = lower <= 0.5;
  const target = log(useLower ? lower : upper);
  let x = start;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 100; step++) {
    const excess = meanExcess(x, a, b);
    const kernel = logKernel(x, 1 - x, a, b, excess);
    let tail: number;
    if (excess <= 0 === useLower) {
      tail = kernel - log(useLower ? fraction(x, a, b, -excess) : fraction(1 - x, b, a, excess));
    } else {
      tail = log1p(-exp(kernel) / (useLower ? fraction(1 - x, b, a, excess) : fraction(x, a, b, -excess)));
    }
    const below = useLower ? tail < target : tail > target;
    if (below) low = x;
    else high = x;
    // d log(tail)/d log x, and the slope of its own logarithm; x·density = exp(kernel)/(1 − x).
    const slope = (useLower ? 1 : -1) * (exp(kernel - tail) / (1 - x));
    const newton = (target - tail) / slope;
    const curvature = a - ((b - 1) * x) / (1 - x) - slope;
    const change = newton / max(0.5, min(2, 1 + 0.5 * newton * curvature));
    // Third order: a change this small leaves an error of its cube.
    if (abs(change) < 1e-7) return min(1, x * (1 + change));
    let next = x * exp(change);
    // A step below the least normal double: the quantile is there too, or between it and x.
    if (next < LEAST && low === 0 && x > LEAST) next = LEAST;
    if (x <= LEAST && !below) return 0;
    if (!(next > low && next < high)) next = between(low, high, x);
    if (next === x) return x;
    x = next;
  }
  return x;
}

/** A point of a bracket that holds the quantile, in whose lower end, if it is 0, a sixteenth of x is taken. */
function between(low: number, high: number, x: number): number {
  if (low === 0) return x / 16;
  return high > 1e3 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
}

/** A first guess: the cube root of an F ratio is nearly normal; far in the lower tail I_x ≈ xᵃ/(a·B(a, b)). */
function startingPoint(p: number, a: number, b: number): number {
  const z = normalQuantile(p);
  const u = 1 / (9 * a);
  const v = 1 / (9 * b);
  // Solves ((1−v)w − (1−u))² = z²(v·w² + u) for w, the cube root of the ratio.
  const square = (1 - v) * (1 - v) - z * z * v;
  const discriminant = (1 - v) * (1 - v) * u + (1 - u) * (1 - u) * v - z * z * u * v;
  const root = square > 0 && discriminant > 0 ? ((1 - u) * (1 - v) + z * sqrt(discriminant)) / square : -1;
  if (root > 0.05 && root < 1e3) {
    const ratio = root * root * root * a;
    return ratio / (b + ratio);
  }
  const [small, c, d] = p < 0.5 ? [p, a, b] : [1 - p, b, a];
  const n = c + d;
  const logBeta =
    stirlingCorrection(c) +
    stirlingCorrection(d) -
    stirlingCorrection(n) -
    0.5 * log((c * d) / (2 * Math.PI * n)) -
    c * log(n / c) -
    d * log(n / d);
  const x = min(0.9, max(1e-300, exp((log(small) + logBeta + log(c)) / c)));
  return p < 0.5 ? x : 1 - x;
}

/** (a + b)x − a, to full relative accuracy through the cancellation near the mean. */
function meanExcess(x: number, a: number, b: number): number {
  // 24-bit heads: their products are exact, and so is the subtraction of a from the larger one near the mean.
  const xHead = fround(x);
  const aHead = fround(a);
  const bHead = fround(b);
  const ax = aHead * xHead;
  const bx = bHead * xHead;
  const head = ax > bx ? ax - aHead + bx : bx - aHead + ax;
  return head + ((b - bHead) * xHead - (a - aHead) * (1 - xHead) + (a + b) * (x - xHead));
}

/** log of xᵃ(1 − x)ᵇ/B(a, b), as deviances from the mean: exact where the plain powers lose log(a) digits. */
function logKernel(x: number, y: number, a: number, b: number, excess: number): number {
  const n = a + b;
  const corrections = stirlingCorrection(n) - stirlingCorrection(a) - stirlingCorrection(b);
  const deviance = a * deviation(excess / a, (n * x) / a) + b * deviation(-excess / b, (n * y) / b);
  return corrections + 0.5 * log((a / n) * (b / (2 * Math.PI))) - deviance;
}

/** s − log(1 + s). 1 + s is given as well, since it is sometimes known more accurately than s. */
function deviation(s: number, onePlus: number): number {
  if (abs(s) > 0.5) return s - log(onePlus);
  // log(1+s) = 2·atanh(r) and s = 2r + s·r: the linear terms are removed by hand.
  const r = s / (2 + s);
  const square = r * r;
  let series = 0;
  let power = r * square;
  for (let k = 3; abs(power) > 1e-18 * abs(series) && power !== 0; k += 2) {
    series += power / k;
    power *= square;
  }
  return s * r - 2 * series;
}

/** The continued fraction that divides the kernel to give I_x, for x up to the mean, where its terms are positive. */
function fraction(x: number, a: number, b: number, shortfall: number): number {
  const y = 1 - x;
  const c = 1 + shortfall;
  // Numerators and denominators of successive convergents, rescaled so that they stay near 1.
  let previousAbove = 0;
  let previousBelow = 1;
  let above = 1;
  let below = (a / (a + 1)) * c;
  for (let k = 1; k < 100_000; k++) {
    const spread = a + 2 * k;
    const ratio = (k * (b - k) * x) / (spread - 1);
    const alpha = ((a + k - 1) / (spread - 1)) * (a + b + k - 1) * x * ratio;
    const beta = k + ratio + ((a + k) / (spread + 1)) * (c + k * (1 + y));
    const nextAbove = beta * above + alpha * previousAbove;
    const nextBelow = beta * below + alpha * previousBelow;
    const scale = 1 / nextBelow;
    previousAbove = above * scale;
    previousBelow = below * scale;
    const next = nextAbove * scale;
    const change = abs(next - above / below);
    above = next;
    below = 1;
    if (change <= 1e-16 * next) break;
  }
  return below / above;
}

function checkArguments(name: string, x: number, a: number, b: number): void {
  checkUnit(name, x);
  checkPositive('a', a);
  checkPositive('b', b);
}

/** The law of t = |⟨s, u⟩| for s uniform on a sphere: a quadrature rule with the tail P(|⟨s, u⟩| > t) at every node. */
export interface SphereMarginal {
  readonly nodes: Float64Array;
  readonly masses: Float64Array;
  readonly tails: Float64Array;
}

/** Nodes of a panel of the composite rule. */
const PANEL = 16;

/** The part beyond the last panel has a probability of about this order. */
const CUT = 1e-19;

/**
 * The marginal of the sphere of R^dimension ≥ 2, fine enough for order statistics of up to `count` directions. In t = sin
 * θ the density is proportional to cos^(d−2) θ and everything is analytic up to both ends: Gauss rules on panels no wider
 * than the spread of an order statistic reach rounding error. That of the smallest is narrowest, so θ is a square: finer
 * towards 0.
 */
export function sphereMarginal(dimension: number, count: number): SphereMarginal {
  const panels = 8 + ceil(2.5 * sqrt(count));
  const end = dimension === 2 ? PI / 2 : min(PI / 2, acos(exp(log(CUT) / (dimension - 2))));
  const rule = gaussLegendre(PANEL);
  const size = panels * PANEL;
  const nodes = new Float64Array(size);
  const masses = new Float64Array(size);
  const tails = new Float64Array(size);
  const half = (dimension - 1) / 2;
  let total = 0;
  for (let i = 0; i < size; i++) {
    const place = (floor(i / PANEL) + 0.5 + 0.5 * rule.nodes[i % PANEL]) / panels;
    const theta = end * place * place;
    const along = sin(theta);
    const across = cos(theta);
    nodes[i] = along;
    // log cos θ from the smaller of sine and cosine: a power of the cosine itself would lose as many digits as d has.
    const logAcross = along < 0.7 ? 0.5 * log1p(-along * along) : log(across);
    masses[i] = rule.masses[i % PANEL] * place * exp((dimension - 2) * logAcross);
    total += masses[i];
    // The smaller of the two complementary probabilities is computed.
    const within = incompleteBeta(along * along, 0.5, half);
    tails[i] = within < 0.5 ? 1 - within : incompleteBeta(across * across, half, 0.5);
  }
  for (let i = 0; i < size; i++) masses[i] /= total;
  return { nodes, masses, tails };
}

/**
 * E Σ of the k largest of `count` independent |⟨s, u⟩| and of their squares, for every k at once: `count` times the
 * integral of t (or t²) times the probability that fewer than k of the others exceed t. Relative error about 1e-13 for a
 * marginal made for at least this count (1e-11 in dimension 1e6).
 */
export function largestSums(
  { nodes, masses, tails }: SphereMarginal,
  count: number,
): { readonly first: Float64Array; readonly second: Float64Array } {
  const first = new Float64Array(count);
  const second = new Float64Array(count);
  const law = new Float64Array(count);
  for (let i = 0; i < nodes.length; i++) {
    fillBinomial(law, tails[i]);
    const weight = count * masses[i] * nodes[i];
    let below = 0;
    for (let k = 0; k < count; k++) {
      below += law[k];
      first[k] += weight * below;
      second[k] += weight * nodes[i] * below;
    }
  }
  return { first, second };
}

/** The binomial law of `law.length` − 1 trials, in both directions from its mode, where it cannot underflow. */
function fillBinomial(law: Float64Array, probability: number): void {
  const trials = law.length - 1;
  const mode = min(trials, max(0, floor((trials + 1) * probability)));
  const odds = probability / (1 - probability);
  law[mode] = 1;
  let total = 1;
  for (let k = mode + 1; k <= trials; k++) total += law[k] = (law[k - 1] * odds * (trials - k + 1)) / k;
  for (let k = mode - 1; k >= 0; k--) total += law[k] = (law[k + 1] * (k + 1)) / (odds * (trials - k));
  for (let k = 0; k <= trials; k++) law[k] /= total;
}

/** The Gauss–Legendre rule with n nodes on [−1, 1], masses summing to 2: Newton's method for the polynomial. */
function gaussLegendre(n: number): { readonly nodes: Float64Array; readonly masses: Float64Array } {
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * (i + 0.75)) / (n + 0.5));
    let slope = 1;
    // Quadratic convergence from a guess good to 1/n²: six steps are more than enough.
    for (let step = 0; step < 6; step++) {
      let before = 1;
      let value = x;
      for (let k = 2; k <= n; k++) {
        const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = (n * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    nodes[i] = x;
    masses[i] = 2 / ((1 - x) * (1 + x) * slope * slope);
  }
  return { nodes, masses };
}
