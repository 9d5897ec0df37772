import { seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';

const { hypot, max, sqrt } = Math;

const MEMBERS = 1000;
const AXES = [0, 1, 2];

/** A record of the population. */
export interface Member {
  readonly features: Float64Array;
  readonly label: number;
}

/** The population that players are drawn from: public, and the same for every seed. */
export function members(): readonly Member[] {
  const random = seededRandom('theorem 14 population');
  return Array.from({ length: MEMBERS }, (_, i) => {
    const label = i % 2 === 0 ? -1 : 1;
    const x = [0.5 * label + 0.3 * normal(random), 0.4 * normal(random), 0.4 * normal(random)];
    const norm = max(1, 1.0001 * hypot(...x));
    return { features: Float64Array.from(x, (entry) => entry / norm), label };
  });
}

type Matrix = readonly (readonly number[])[];

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => AXES.reduce((sum, j) => sum + a[j] * b[j], 0);

/** E v and E vvᵀ, v = y·x. */
function momentsOf(population: readonly Member[]): { readonly mean: readonly number[]; readonly second: Matrix } {
  const over = (value: (member: Member) => number): number =>
    population.reduce((sum, member) => sum + value(member), 0) / MEMBERS;
  return {
    mean: AXES.map((j) => over(({ features, label }) => label * features[j])),
    second: AXES.map((j) => AXES.map((k) => over(({ features }) => features[j] * features[k]))),
  };
}

/** The solution of a positive definite system, by Gauss–Seidel. */
function solved(matrix: Matrix, right: ArrayLike<number>): number[] {
  const x = [0, 0, 0];
  for (let sweep = 0; sweep < 500; sweep++) {
    for (const j of AXES) x[j] += (right[j] - dot(matrix[j], x)) / matrix[j][j];
  }
  return x;
}

/** ½(w − w*)ᵀE[xxᵀ](w − w*), the excess of the squared loss ½(1 − t)². */
export function excessOf(population: readonly Member[]): (w: ArrayLike<number>) => number {
  const { mean, second } = momentsOf(population);
  const best = solved(second, mean);
  return (w) => {
    const off = AXES.map((j) => w[j] - best[j]);
    return (
      dot(
        off,
        AXES.map((j) => dot(second[j], off)),
      ) / 2
    );
  };
}

/** c of PrivUnitG at ε = 6, the variance of a coordinate: 1/γ² with γ = φ(γ)/(1/(e^ε − 1) + Φ(−γ)); computed with mpmath. */
const COORDINATE_VARIANCE = 0.2131664147;

/**
 * The mean excess risk of n lifted reports of degree 1 with equal shares, to first order in the noise.
 *
 * Law: w solves (A + λI + N)w = m + e, A = E vvᵀ, m = E v, with e of variance 2c/n on every coordinate and N a symmetric matrix of 2c/n on
 * every orthonormal one, to which the sampling of players adds Cov((1 − t)v)/n; the ridge λ is 0.3 times the norm 2√(3·2c/n) of
 * that noise. So the error of w is that of the ridge, −λ(A + λI)⁻¹w*, plus (A + λI)⁻¹(e − Nw), Cov(Nw) = (c/n)(‖w‖²I + wwᵀ).
 */
export function forecastExcess(population: readonly Member[]): (players: number) => number {
  const { mean, second } = momentsOf(population);
  const excess = excessOf(population);
  return (players) => {
    const noise = (2 * COORDINATE_VARIANCE) / players;
    const ridge = 0.6 * sqrt(3 * noise);
    const ridged = second.map((row, j) => row.map((entry, k) => entry + (j === k ? ridge : 0)));
    const w = solved(ridged, mean);
    const rest = population.map(({ features, label }) => {
      const v = Array.from(features, (entry) => label * entry);
      const left = 1 - dot(v, w);
      return v.map((entry) => left * entry);
    });
    const middle = AXES.map((j) => rest.reduce((sum, row) => sum + row[j], 0) / MEMBERS);
    const inverse = AXES.map((j) =>
      solved(
        ridged,
        [0, 1, 2].map((k) => (k === j ? 1 : 0)),
      ),
    );
    let trace = 0;
    for (const j of AXES) {
      for (const k of AXES) {
        const sampled = rest.reduce((sum, row) => sum + row[j] * row[k], 0) / MEMBERS - middle[j] * middle[k];
        const own = j === k ? 1 + dot(w, w) / 2 : 0;
        // (A + λI)⁻¹A(A + λI)⁻¹ at j, k.
        const weight = dot(
          inverse[j],
          AXES.map((i) => dot(second[i], inverse[k])),
        );
        trace += weight * (noise * (own + (w[j] * w[k]) / 2) + sampled / players);
      }
    }
    return excess(w) + trace / 2;
  };
}
