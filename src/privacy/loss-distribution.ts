import { normalCdf } from '../numeric/normal.ts';

const { exp, expm1, floor, max, min, PI, sqrt } = Math;

/**
 * The privacy loss log P/Q of a dominating pair (P, Q) on a grid, as a law under P: every mechanism with the guarantee is
 * at most as revealing as this pair, at every ε and under adaptive composition.
 *
 * A loss between two points of the grid is split between them so that its mass under P *and* under Q is kept. The pair on
 * the grid can be turned back into the exact one by forgetting, so it dominates as well; the errors are of second order
 * in the step.
 *
 * Source: Zhu, Dong, Wang (2022), Optimal accounting of differential privacy via characteristic function, Theorem 10
 * (dominating pairs compose); Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), Connect the dots (the split).
 */
export interface LossDistribution {
  /** Distance between two points of the grid, in nats. */
  readonly step: number;
  /** The first point, in steps. */
  readonly lowest: number;
  /** The mass under P at `(lowest + i)·step`. */
  readonly masses: Float64Array;
  /** The mass under P of an infinite loss. */
  readonly infinite: number;
  /** A bound on the relative error of any sum of masses. */
  readonly error: number;
}

/** Mass that may be moved from the far end of large losses to an infinite loss, each time. */
const HIGH_CUT = 1e-26;

/** Mass that may be moved up from the far end of small losses, each time. */
const LOW_CUT = 1e-16;

/** Nodes and weights of the Gauss–Legendre rule of four points on [−1, 1], from the positive half. */
const NODES: readonly number[] = [0.8611363115940526, 0.3399810435848563];
const WEIGHTS: readonly number[] = [0.3478548451374538, 0.6521451548625461];

/**
 * The loss of the worst (ε, δ) mechanism: with probability δ it tells all, else it is binary randomized response. δ = 0
 * for a pure guarantee.
 *
 * Source: Kairouz, Oh, Viswanath (2015), The composition theorem for differential privacy, Theorem 3.3.
 */
export function responseLosses(
  budget: { readonly epsilon: number; readonly delta: number },
  step: number,
): LossDistribution {
  const { epsilon, delta } = budget;
  const cells = floor(epsilon / step) + 1;
  const masses = new Float64Array(2 * cells + 1);
  const truth = (1 - delta) / (1 + exp(-epsilon));
  deposit(masses, cells, epsilon, truth, step);
  deposit(masses, cells, -epsilon, truth * exp(-epsilon), step);
  return { step, lowest: -cells, masses, infinite: delta, error: 2 ** -48 };
}

/** Adds a loss of some mass, split between the points on both sides; point 0 is `origin`. */
function deposit(masses: Float64Array, origin: number, loss: number, mass: number, step: number): void {
  const cell = floor(loss / step);
  const over = loss - cell * step;
  // Exactly on a point up to rounding, which the reader of the curve allows for.
  if (!(over > 0)) {
    masses[origin + cell] += mass;
    return;
  }
  const whole = -expm1(-step);
  masses[origin + cell] += (mass * exp(-over) * max(0, -expm1(over - step))) / whole;
  masses[origin + cell + 1] += (mass * -expm1(-over)) / whole;
}

/**
 * The loss of a Gaussian release, N(μ²/2, μ²), for a step of at most μ/32.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Definition 2.6; Sommer, Meiser, Mohammadi (2019), Privacy
 * loss classes, for its loss.
 */
export function gaussianLosses(mu: number, step: number): LossDistribution {
  const center = (mu * mu) / 2;
  // 1 − Φ(10.8) is below HIGH_CUT, 1 − Φ(8.3) below LOW_CUT.
  const lowest = floor((center - 8.3 * mu) / step);
  const cells = floor((center + 10.8 * mu) / step) + 1 - lowest;
  const masses = new Float64Array(cells + 1);
  const whole = -expm1(-step);
  for (let i = 0; i < cells; i++) {
    const middle = (lowest + i + 0.5) * step;
    for (let k = -2; k < 2; k++) {
      const node = k < 0 ? -NODES[k + 2] : NODES[1 - k];
      const weight = k < 0 ? WEIGHTS[k + 2] : WEIGHTS[1 - k];
      const z = (middle + (node * step) / 2 - center) / mu;
      const mass = ((exp(-0.5 * z * z) * weight) / 2) * (step / mu / sqrt(2 * PI));
      const over = ((1 + node) * step) / 2;
      masses[i] += (mass * exp(-over) * -expm1(over - step)) / whole;
      masses[i + 1] += (mass * -expm1(-over)) / whole;
    }
  }
  masses[0] += normalCdf((lowest * step - center) / mu);
  const infinite = normalCdf((center - (lowest + cells) * step) / mu);
  // The exponent z²/2 is off by z times the rounding of z, which grows with the centre over μ.
  return { step, lowest, masses, infinite, error: 2 ** -45 + 2 ** -47 * mu };
}

/**
 * The loss of two releases together; the finer of the two is brought to the step of the other, a power of two times its
 * own. A direct sum of positive terms: no cancellation, hence errors relative to the result even in the far tail.
 */
export function composeLosses(first: LossDistribution, second: LossDistribution): LossDistribution {
  let [a, b] = [first, second];
  while (a.step < b.step) a = coarsened(a);
  while (b.step < a.step) b = coarsened(b);
  if (a.masses.length > b.masses.length) [a, b] = [b, a];
  const masses = new Float64Array(a.masses.length + b.masses.length - 1);
  const other = b.masses;
  for (let i = 0; i < a.masses.length; i++) {
    const mass = a.masses[i];
    // Randomized response has few points; skipping the empty ones makes its powers cheap.
    if (mass === 0) continue;
    for (let j = 0; j < other.length; j++) masses[i + j] += mass * other[j];
  }
  const infinite = a.infinite + b.infinite - a.infinite * b.infinite;
  const error = a.error + b.error + a.error * b.error + (a.masses.length + 4) * 2 ** -53;
  return trimmed({ step: a.step, lowest: a.lowest + b.lowest, masses, infinite, error });
}

/** The same on a grid of twice the step: every second point is split between its neighbours. */
export function coarsened(given: LossDistribution): LossDistribution {
  const { step, lowest, infinite } = given;
  const upper = 1 / (1 + exp(-step));
  const first = floor(lowest / 2);
  const masses = new Float64Array(floor((lowest + given.masses.length) / 2) + 1 - first);
  for (let i = 0; i < given.masses.length; i++) {
    const point = lowest + i;
    const cell = floor(point / 2) - first;
    if (point % 2 === 0) masses[cell] += given.masses[i];
    else {
      masses[cell] += given.masses[i] * (upper * exp(-step));
      masses[cell + 1] += given.masses[i] * upper;
    }
  }
  return { step: 2 * step, lowest: first, masses, infinite, error: given.error + 2 ** -50 };
}

/** Both far ends cut off, to the safe side: upwards. */
function trimmed(given: LossDistribution): LossDistribution {
  const { masses } = given;
  let high = masses.length;
  let cut = 0;
  while (high > 1 && cut + masses[high - 1] <= HIGH_CUT) cut += masses[--high];
  let low = 0;
  let moved = 0;
  while (low < high - 1 && moved + masses[low] <= LOW_CUT) moved += masses[low++];
  const kept = masses.slice(low, high);
  kept[0] += moved;
  return { ...given, lowest: given.lowest + low, masses: kept, infinite: given.infinite + cut };
}

/**
 * The δ of the distribution at ε, rounded up: the mass of infinite losses and Σ mass·(1 − e^(ε − loss)) over the losses
 * above ε.
 *
 * Source: Koskela, Jälkö, Honkela (2020), Computing tight differential privacy guarantees using FFT, Lemma 5.
 */
export function lossDelta(given: LossDistribution, epsilon: number): number {
  const { step, lowest, masses } = given;
  // Points of the grid are rounded, in their last place or so.
  const at = epsilon - 2 ** -50 * (lowest + masses.length) * step;
  let sum = 0;
  for (let i = max(0, floor(at / step) - lowest); i < masses.length; i++) {
    const over = (lowest + i) * step - at;
    if (over > 0) sum -= masses[i] * expm1(-over);
  }
  return min(1, (sum + given.infinite) * (1 + 1.01 * given.error + (masses.length + 16) * 2 ** -53));
}
