import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { uniformInteger } from '../../../src/random/uniform.ts';
import {
  type ExcessRatePart,
  type ExcessRateSetting,
  type ExcessRateText,
  excessRateReport,
} from '../../../src/simulation/excess-rate.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { lifted } from '../parameters.ts';
import { player } from '../player.ts';
import { server } from '../server.ts';
import { PAPER } from './paper.ts';

const { hypot, max, sqrt } = Math;

const DIMENSION = 3;
const MEMBERS = 1000;
const EPSILON = 6;
/** R; the minimiser lies inside. */
const RADIUS = 5;

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

/** ½(w − w*)ᵀE[xxᵀ](w − w*), the excess of the squared loss ½(1 − t)². */
function excessOf(population: readonly Member[]): (w: ArrayLike<number>) => number {
  const axes = [0, 1, 2];
  const mean = (value: (member: Member) => number): number =>
    population.reduce((sum, member) => sum + value(member), 0) / MEMBERS;
  const m = axes.map((j) => mean(({ features, label }) => label * features[j]));
  const matrix = axes.map((j) => axes.map((k) => mean(({ features }) => features[j] * features[k])));
  const best = [0, 0, 0];
  for (let sweep = 0; sweep < 500; sweep++) {
    // Gauss–Seidel.
    for (const j of axes) {
      const others = axes.reduce((sum, k) => (k === j ? sum : sum + matrix[j][k] * best[k]), 0);
      best[j] = (m[j] - others) / matrix[j][j];
    }
  }
  return (w) => {
    let sum = 0;
    for (const j of axes) for (const k of axes) sum += (w[j] - best[j]) * matrix[j][k] * (w[k] - best[k]);
    return sum / 2;
  };
}

function part({ players, runs }: ExcessRateSetting, index: number, seed: string): ExcessRatePart {
  const parameters = lifted({ epsilon: EPSILON, degree: 1, dimension: DIMENSION, shares: [1, 1] });
  const population = members();
  const excess = excessOf(population);
  const random = seededRandom(`${seed}/rate/${players}/${index}`);
  const report = player.randomize(parameters, population[0], random);
  return {
    excess: Array.from({ length: runs }, () => {
      const tally = server.empty(parameters);
      for (let i = 0; i < players; i++) {
        player.randomizeInto(parameters, population[uniformInteger(MEMBERS, random)], random, report);
        server.add(parameters, tally, report);
      }
      return excess(server.estimate(parameters, tally, { loss: 'squared', radius: RADIUS }).w);
    }),
  };
}

const TEXT: ExcessRateText = {
  // The excess of a collection is a quadratic form of nearly normal noise in three directions: its standard deviation is at most √2
  // times its mean. Besides noise there is a ridge in proportion to its standard deviation, whose share settles slowly: the slack.
  claim: { what: 'excess risk of lifted reports under the squared loss in n', slope: -1, slack: 0.1, widest: 0.45 },
  figure: 'theorem-14-rate',
  title: 'Excess risk of lifted reports under the squared loss',
  note: 'The reconstruction is exact for this loss at degree 1 and the minimiser lies inside the ball: all of it is noise.',
};

/** Theorem 14, second claim: the excess risk, as it holds for what the toolkit recommends. */
export const rate: TheoremValidation<ExcessRateSetting, ExcessRatePart> = {
  name: 'generalized-linear-theorem-14-rate',
  title: 'Excess risk under the squared loss against players',
  paper: 'noninteractive',
  theorems: ['Theorem 14'],
  source: `${PAPER}, theorem 14`,
  summary:
    'Collections of lifted reports, ε = 6, p = 3, degree 1, of players drawn from 1,000 public records; algorithm 2 as printed has a ' +
    'bias that no number of players removes, and corrected more noise than can be averaged. A printed n of order α⁻⁴ (a rate of n^{−¼}) ' +
    'is met with room to spare. Records and sizes are chosen here.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [4000, 16_000, 64_000, 256_000] : [3000, 12_000, 48_000]).map((players) => ({
      key: `players-${players}`,
      label: `n = ${players.toLocaleString('en-US')}`,
      // More collections where they are smaller.
      setting: { players, runs: Math.round((scale === 'full' ? 3200 : 6000) / sqrt(players / 4)) },
      parts: scale === 'full' ? 12 : 1,
    })),
  probe: (setting) => ({ ...setting, players: 50, runs: 2 }),
  part,
  report: (results) => excessRateReport(results, TEXT),
};
