import { seededRandom } from 'ldpkit';
import { normal, uniformInteger } from 'ldpkit/mechanism';
import { generalizedLinear, lifted } from 'ldpkit/protocols/generalized-linear';
import type { TheoremValidation } from '../../experiment/experiment.ts';
import { COORDINATE_VARIANCE } from '../../shared/coordinate-variance.ts';
import {
  EXCESS_PLAYERS,
  type ExcessRateChunk,
  type ExcessRateSetting,
  type ExcessRateText,
  excessRateCells,
  excessRateReport,
} from '../../shared/excess-rate.ts';
import { PAPER } from '../../shared/paper.ts';

const { player, server } = generalizedLinear;

const { hypot, max, sqrt } = Math;

const DIMENSION = 3;

const EPSILON = 6;

const MEMBERS = 1000;

const AXES = [0, 1, 2];

/** A record of the population. */
interface Member {
  readonly features: Float64Array;
  readonly label: number;
}

/** The population that players are drawn from: public, and the same for every seed. */
function members(): readonly Member[] {
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
function excessOf(population: readonly Member[]): (w: ArrayLike<number>) => number {
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

/**
 * The mean excess risk of n lifted reports of degree 1 with equal shares, to first order in the noise.
 *
 * Law: w solves (A + λI + N)w = m + e, A = E vvᵀ, m = E v, with e of variance 2c/n on every coordinate and N a symmetric matrix of 2c/n on
 * every orthonormal one, to which the sampling of players adds Cov((1 − t)v)/n; the ridge λ is 0.3 times the norm 2√(3·2c/n) of
 * that noise. So the error of w is that of the ridge, −λ(A + λI)⁻¹w*, plus (A + λI)⁻¹(e − Nw), Cov(Nw) = (c/n)(‖w‖²I + wwᵀ).
 */
function forecastExcess(population: readonly Member[]): (players: number) => number {
  const { mean, second } = momentsOf(population);
  const excess = excessOf(population);
  return (players) => {
    const noise = (2 * COORDINATE_VARIANCE[EPSILON]) / players;
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
        AXES.map((k) => (k === j ? 1 : 0)),
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

/** R; the minimiser lies inside. */
const RADIUS = 5;

function chunk({ players, runs }: ExcessRateSetting, index: number, seed: string): ExcessRateChunk {
  const parameters = lifted({ epsilon: EPSILON, degree: 1, dimension: DIMENSION, shares: [1, 1] });
  const population = members();
  const excess = excessOf(population);
  const random = seededRandom(`${seed}/rate/${players}/${index}`);
  const report = player.randomize(parameters, population[0], random);
  return {
    excess: Array.from({ length: runs }, () => {
      const tally = server.empty(parameters);
      for (let i = 0; i < players; i++) {
        player.randomizeInto(parameters, population[uniformInteger(population.length, random)], random, report);
        server.add(parameters, tally, report);
      }
      return excess(server.estimate(parameters, tally, { loss: 'squared', radius: RADIUS }).w);
    }),
  };
}

const TEXT: ExcessRateText = {
  // The excess of a collection is a quadratic form of nearly normal noise in three directions, its standard deviation three quarters of
  // its mean: of means of 100 and more, 4.5 standard errors are left once in 10⁴ or less. Besides noise there is a ridge in proportion to
  // its standard deviation, whose share settles slowly: by the closed form the exponent is −.95 to −.97 here, hence the slack.
  claim: {
    what: 'log-log slope of the excess risk of lifted reports under the squared loss in n',
    expected: -1,
    slack: 0.06,
    largestTolerance: 0.24,
  },
  forecast: forecastExcess(members()),
  // Second order in the noise: 3 % at n = 1000 by 1,500 collections.
  slack: 0.04,
  largestTolerance: 0.25,
  figure: 'theorem-14-rate',
  title: 'Excess risk of lifted reports under the squared loss',
  note:
    'The reconstruction is exact for this loss at degree 1 and the minimiser lies inside the ball: all of it is noise and the ridge. ' +
    'Neither sees a scale that all reports share: the bias of a report is measured by hinge-theorem-10-moments.',
};

/** Theorem 14, second claim: the excess risk, as it holds for what the toolkit recommends. */
export const rate: TheoremValidation<ExcessRateSetting, ExcessRateChunk> = {
  name: 'generalized-linear-theorem-14-rate',
  title: 'Excess risk under the squared loss against players',
  paper: 'noninteractive',
  theorems: ['Theorem 14'],
  source: `${PAPER}, theorem 14`,
  summary:
    'Collections of lifted reports, ε = 6, p = 3, degree 1, of players drawn from 1,000 public records; algorithm 2 as printed has a ' +
    'bias that no number of players removes, and corrected more noise than can be averaged. A printed n of order α⁻⁴ (a rate of n^{−¼}) ' +
    'is met with room to spare. The ' +
    'closed form that the level is held against is to first order in the noise. Records and sizes are chosen here.',
  version: 1,
  cells: (scale) => excessRateCells(EXCESS_PLAYERS, scale),
  smallRun: (setting) => ({ ...setting, players: 50, runs: 2 }),
  chunk,
  report: (results) => excessRateReport(results, TEXT),
};
