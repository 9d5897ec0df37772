import { refusal } from '../check/number.ts';
import { checkInterval, type Interval } from './chebyshev.ts';
import { panelRule, type QuadratureRule } from './quadrature.ts';

/** A weight with a density on an interval; it need not be normalised. */
export interface DensityWeight {
  /** The density, at least 0, finite, and positive somewhere. */
  readonly density: (t: number) => number;
  /** Ascending points between which the density varies on one scale; outside the first and last there is no mass. */
  readonly edges: readonly number[];
}

/** A weight on finitely many points, such as a sample of margins. */
export interface PointWeight {
  readonly points: ArrayLike<number>;
  /** One mass a point, at least 0 and not all 0; they need not sum to 1. */
  readonly masses: ArrayLike<number>;
}

/** What a least-squares fit is averaged over: where the margins t are expected to lie. */
export type FitWeight = DensityWeight | PointWeight;

/** The uniform weight on an interval. */
export function uniformWeight(interval: Interval = {}): DensityWeight {
  const { lower, upper } = checkInterval(interval);
  return { density: () => 1, edges: [lower, upper] };
}

/**
 * A weight and a target as one quadrature rule with masses that sum to 1: the weighted mean of anything smooth is the
 * mass-weighted sum, and panels are refined until those of the target and its square are settled.
 *
 * @throws RangeError when the weight is negative, not finite or has no mass, or reaches outside the interval.
 */
export function weightedRule(
  weight: FitWeight,
  target: (t: number) => number,
  { lower, upper }: Required<Interval>,
  /** At least this many panels, so that products of the basis are integrated exactly. */ panels: number,
): QuadratureRule {
  let nodes: Float64Array;
  let masses: Float64Array;
  if ('points' in weight) {
    nodes = Float64Array.from(weight.points);
    masses = Float64Array.from(weight.masses);
    if (masses.length !== nodes.length) {
      throw new RangeError(refusal('weight.masses', `${nodes.length} numbers`, masses.length));
    }
    for (const node of nodes) {
      if (!(node >= lower && node <= upper)) {
        throw new RangeError(refusal('weight.points', `points of the interval [${lower}, ${upper}]`, node));
      }
    }
  } else {
    const { density, edges } = weight;
    checkEdges(edges, lower, upper);
    ({ nodes, masses } = panelRule(
      edges,
      (t, values) => {
        const mass = density(t);
        const value = target(t);
        values[0] = mass;
        values[1] = mass * value;
        values[2] = mass * value * value;
      },
      panels,
    ));
    for (let i = 0; i < nodes.length; i++) masses[i] *= density(nodes[i]);
  }
  let total = 0;
  for (const mass of masses) {
    if (!(mass >= 0)) throw new RangeError(refusal('weight', 'masses >= 0', mass));
    total += mass;
  }
  if (!(total > 0 && total < Infinity)) throw new RangeError(refusal('weight', 'a positive finite total mass', total));
  for (let i = 0; i < masses.length; i++) masses[i] /= total;
  return { nodes, masses };
}

function checkEdges(edges: readonly number[], lower: number, upper: number): void {
  const inside = edges.length >= 2 && edges[0] >= lower && edges[edges.length - 1] <= upper;
  if (!inside || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]))) {
    throw new RangeError(refusal('weight.edges', `ascending points of [${lower}, ${upper}]`, edges));
  }
}
