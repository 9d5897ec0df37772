import { checkInteger, checkPositive, RefusedValue } from '../check/refusal.ts';
import { stirlingCorrection } from '../numeric/beta.ts';
import { panelRule } from '../polynomial/fit.ts';
import { type Random, uniform } from '../random/random.ts';
import { type MarginLoss, type OneSidedSlopes, slopeInside, slopesAt } from './margin-loss.ts';

const { PI, abs, exp, log, log1p, sqrt } = Math;

/** Parameters of {@link convexMixture}. */
export interface ConvexMixtureOptions {
  readonly radius?: number;
  /** Panels of 24 nodes on each segment between kinks before any refinement; 128 by default. */
  readonly panels?: number;
}

/** A point of positive probability. */
export interface Atom {
  /** The place: a kink of the loss. */
  readonly point: number;
  /** Its probability: the jump of f′ at the kink, divided by f′(R) − f′(−R). */
  readonly mass: number;
  /** f′ on the two sides. */
  readonly slopes: OneSidedSlopes;
}

/**
 * A convex function on [−R, R] as a mixture of absolute values: f(θ) = scale·E|θ − s| + slope·θ + constant with s ~ Q,
 * Q([−R, s]) = (f′(s) − f′(−R))/(f′(R) − f′(−R)).
 */
export interface ConvexMixture {
  readonly loss: MarginLoss;
  readonly radius: number;
  /** f′(−R), from the right. */
  readonly lowest: number;
  /** f′(R), from the left. */
  readonly highest: number;
  /** (f′(R) − f′(−R))/2, 0 for a straight line, whose Q is taken to be the point R. */
  readonly scale: number;
  /** (f′(R) + f′(−R))/2. */
  readonly slope: number;
  /** The constant of the mixture: (f(R) + f(−R))/2 − scale·R. */
  readonly constant: number;
  /** The point masses of Q, ascending. */
  readonly atoms: readonly Atom[];
  /** A quadrature rule for Q: its nodes, the atoms last. */
  readonly nodes: Float64Array;
  /** The probabilities of the nodes; they sum to 1. */
  readonly weights: Float64Array;
}

/** Allowed relative error of the mass of f″ and the kinks against f′(R) − f′(−R); the quadrature is far better. */
const MASS_TOLERANCE = 1e-8;

/**
 * The mixture of a convex loss, with a quadrature rule that has the kinks as nodes and Gauss–Lobatto panels between them.
 *
 * Source: Wang, Smith, Xu 2020, lemma 13.
 * @throws TypeError or RangeError for bad options, or if f″ and the kinks of the loss do not add up to its slopes.
 * @theorem noninteractive Lemma 13
 */
export function convexMixture(loss: MarginLoss, options: ConvexMixtureOptions = {}): ConvexMixture {
  const radius = checkPositive('radius', options.radius ?? 1);
  const panels = checkInteger('panels', options.panels ?? 128, 1, 10_000);
  const lowest = slopeInside(loss, -radius);
  const highest = slopeInside(loss, radius);
  const total = highest - lowest;
  const scale = total / 2;
  const common = {
    loss,
    radius,
    lowest,
    highest,
    scale,
    slope: (highest + lowest) / 2,
    constant: (loss.value(radius) + loss.value(-radius)) / 2 - scale * radius,
  };
  if (!(total > 0)) {
    return { ...common, atoms: [], nodes: Float64Array.of(radius), weights: Float64Array.of(1) };
  }
  const kinks = loss.kinks.filter((kink) => abs(kink) < radius);
  const atoms = kinks.map((point) => {
    const slopes = slopesAt(loss, point);
    return { point, mass: (slopes.right - slopes.left) / total, slopes };
  });
  const density = (t: number, values: Float64Array): void => {
    const curvature = loss.secondDerivative(t);
    // The rule is for functions times f″; besides 1, the test function s² keeps it fine where f″ is odd or flat.
    values[0] = curvature;
    values[1] = curvature * t;
    values[2] = curvature * t * t;
  };
  const rule = panelRule([-radius, ...kinks, radius], density, panels);
  const nodes: number[] = [];
  const masses: number[] = [];
  rule.nodes.forEach((node, i) => {
    const mass = (rule.masses[i] * loss.secondDerivative(node)) / total;
    // Where the loss is straight there is no mass.
    if (mass === 0) return;
    nodes.push(node);
    masses.push(mass);
  });
  for (const { point, mass } of atoms) {
    nodes.push(point);
    masses.push(mass);
  }
  const sum = masses.reduce((partial, mass) => partial + mass, 0);
  if (!(abs(sum - 1) <= MASS_TOLERANCE)) {
    throw new RefusedValue(`"loss" expected f″ and kinks that account for all of its slope, got a share of ${sum}`);
  }
  const weights = Float64Array.from(masses, (mass) => mass / sum);
  return { ...common, atoms, nodes: Float64Array.from(nodes), weights };
}

/**
 * A draw of s.
 *
 * Law: u is uniform on [f′(−R), f′(R)] and s the largest point of [−R, R] that has u among its subgradients.
 *
 * Source: Wang, Smith, Xu 2020, lemma 13 and algorithm 2.
 * @theorem noninteractive Lemma 13
 */
export function sampleConvexMixture(mixture: ConvexMixture, random: Random): number {
  const { loss, radius, lowest, highest, atoms } = mixture;
  const u = lowest + (highest - lowest) * uniform(random);
  if (u >= highest) return radius;
  let low = -radius;
  let high = radius;
  for (const { point, slopes } of atoms) {
    if (u < slopes.left) {
      high = point;
      break;
    }
    // An atom is returned exactly, without the rounding of a bisection.
    if (u < slopes.right) return point;
    low = point;
  }
  // The largest s with f′(s) ≤ u: ties go right. f′ ascends, so bisection finds it in 53 steps.
  for (;;) {
    const middle = low + (high - low) / 2;
    if (high - low <= Number.EPSILON * radius) return low;
    if (loss.derivative(middle) <= u) low = middle;
    else high = middle;
  }
}

/**
 * scale·E|θ − s| + slope·θ + constant with the quadrature rule of the mixture: f(θ) for |θ| ≤ R.
 * @theorem noninteractive Lemma 13
 */
export function reconstructedValue(mixture: ConvexMixture, theta: number): number {
  const { nodes, weights, scale, slope, constant } = mixture;
  let mean = 0;
  for (let i = 0; i < nodes.length; i++) mean += weights[i] * abs(theta - nodes[i]);
  return scale * mean + slope * theta + constant;
}

/**
 * C = √π·Γ((p + 1)/2)/Γ(p/2), for which ‖x‖ = C·E|⟨u, x⟩| with u uniform on the unit sphere of R^p: π/2 for p = 2, 2
 * for p = 3, about √(πp/2) for large p. Accurate to 1e-14 for every p.
 *
 * Source: Wang, Smith, Xu 2020, lemma 16, whose printed constant is {@link printedSphereConstant}.
 * @throws TypeError or RangeError unless p is a whole number from 1 to 1e9.
 * @theorem noninteractive Lemma 16
 */
export function sphereConstant(dimension: number): number {
  const z = checkInteger('dimension', dimension, 1, 1_000_000_000) / 2;
  // log Γ(z + ½) − log Γ(z) by Stirling's formula with its exact remainder, because two large logarithms would cancel.
  const stirling = z * log1p(0.5 / z) - 0.5 + 0.5 * log(z);
  return sqrt(PI) * exp(stirling + stirlingCorrection(z + 0.5) - stirlingCorrection(z));
}

/**
 * The constant as printed, √π·p·Γ((p − 1)/2)/(2Γ(p/2)). It is too large by the factor p/(p − 1): twice the correct
 * value for p = 2. For comparison only.
 *
 * Source: Wang, Smith, Xu 2020, lemma 16 and algorithm 3.
 * @throws TypeError or RangeError unless p is a whole number from 2 to 1e9; at p = 1 the formula is not defined.
 * @theorem noninteractive Lemma 16
 */
export function printedSphereConstant(dimension: number): number {
  const p = checkInteger('dimension', dimension, 2, 1_000_000_000);
  // Γ((p + 1)/2) = ((p − 1)/2)·Γ((p − 1)/2).
  return (sphereConstant(p) * p) / (p - 1);
}
