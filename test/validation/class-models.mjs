// The default model beside the polynomial alone, for hinge and generalized-linear, with a known constant coordinate or none: made-up files
// whose features have other laws, shares of positive labels and of wrong ones; mean excess risk of repeated collections by reports,
// each asked twice. Minutes, not part of the tests.
//
//   node test/validation/class-models.mjs [--players 50000] [--runs 6] [--seed TEXT] [--epsilon 0.5,1,4] [--radius 1,4]
//        [--loss logistic,squared,hinge] [--degree 1] [--intercept known|unknown]
import { seededRandom } from 'ldpkit';
import { bernoulli, normal, uniform } from 'ldpkit/mechanism';
import { hingeLoss } from 'ldpkit/optimize';
import {
  generalizedLinear,
  lifted,
  populationOptimum,
  populationRisk,
  publicPopulation,
  studyOf,
} from 'ldpkit/protocols/generalized-linear';
import * as byHinge from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { aligned, mean, numbers, optionsOf, standardError } from './kit.mjs';

const options = optionsOf(
  'players=50000 runs=6 seed=smooth epsilon=0.5,1,4 radius=1,4 loss=logistic,squared degree=1 intercept=known',
);
const players = Number(options.players);
const degree = Number(options.degree);
const intercept = options.intercept === 'known' ? 0 : undefined;

const clipped = (x) => Math.max(-1, Math.min(1, x));
/** What a feature may be: from coins, its number, a share of its own and a number that all features of a record have in common. */
const KINDS = {
  normal: { p: 10, positive: 0.5, wrong: 0.2, draw: ({ random }) => clipped(normal(random) / 3) },
  'rare label': { p: 10, positive: 0.2, wrong: 0.1, draw: ({ random }) => clipped(normal(random) / 3) },
  'heavy tails': {
    p: 4,
    positive: 0.5,
    wrong: 0,
    draw: ({ random }) => clipped((0.15 * normal(random)) / Math.max(0.05, Math.abs(normal(random)))),
  },
  '−1 or 1': { p: 12, positive: 0.4, wrong: 0.15, draw: ({ random, share }) => (uniform(random) < share ? 1 : -1) },
  '0 or 1': { p: 16, positive: 0.35, wrong: 0.1, draw: ({ random, share }) => (uniform(random) < share / 2 ? 1 : 0) },
  'from 0 to 1': { p: 8, positive: 0.1, wrong: 0.05, draw: ({ random }) => uniform(random) },
  correlated: {
    p: 10,
    positive: 0.5,
    wrong: 0.1,
    draw: ({ random, common }) => clipped((0.8 * common + 0.6 * normal(random)) / 3),
  },
  'unequal scales': {
    p: 9,
    positive: 0.5,
    wrong: 0.05,
    draw: ({ random, j }) => clipped((normal(random) / 3) * 2 ** -(j % 6)),
  },
  narrow: { p: 6, positive: 0.5, wrong: 0, draw: ({ random }) => clipped(normal(random) / 10) },
  mixed: {
    p: 14,
    positive: 0.25,
    wrong: 0.2,
    draw: ({ random, share, j }) => (j % 2 ? Number(uniform(random) < share) : clipped(normal(random) / 3)),
  },
};

/** A constant of 1 and features, divided by the norm; labels by a random direction, a quantile, a little noise and some that are turned round. */
function makeFile(name) {
  const { p, positive, wrong, draw } = KINDS[name];
  const random = seededRandom(`${options.seed} ${name}`);
  const axis = Array.from({ length: p }, (_, j) => (j === 0 ? 0 : normal(random)));
  const direction = axis.map((entry) => entry / Math.hypot(...axis));
  const shares = Array.from({ length: p }, () => uniform(random));
  const features = new Float32Array(players * p);
  const scores = new Float64Array(players);
  for (let i = 0; i < players; i++) {
    const common = normal(random);
    const record = shares.map((share, j) => (j === 0 ? 1 : draw({ random, share, common, j })));
    scores[i] = record.reduce((sum, x, j) => sum + direction[j] * x, 0.1 * normal(random));
    const norm = Math.hypot(...record) * (1 + 2 ** -22);
    features.set(
      record.map((x) => x / norm),
      i * p,
    );
  }
  const threshold = scores.slice().sort()[Math.floor((1 - positive) * players)];
  const labels = Int8Array.from(scores, (score) => (score > threshold === bernoulli(1 - wrong, random) ? 1 : -1));
  return { players, dimension: p, names: shares.map((_, j) => `x${j}`), features, labels };
}

/** The protocol of a loss, how it collects, the loss, and what a query says besides. */
const LOSSES = { hinge: { protocol: byHinge.hinge, make: byHinge.lifted, by: hingeLoss(), query: { unitNorm: true } } };
const lossOf = (loss) =>
  LOSSES[loss] ?? { protocol: generalizedLinear, make: lifted, by: studyOf(loss).loss, query: { loss } };

const rows = [['features', 'loss', 'R', 'epsilon', 'default', 'polynomial alone', 'ratio']];
const logs = [];
for (const name of Object.keys(KINDS)) {
  const file = makeFile(name);
  const population = publicPopulation(file, players);
  for (const epsilon of numbers(options.epsilon)) {
    for (const loss of options.loss.split(',')) {
      const { protocol, make, by, query: own } = lossOf(loss);
      const parameters = make({ epsilon, degree, dimension: file.dimension });
      const tallies = Array.from({ length: Number(options.runs) }, (_, run) =>
        simulate(protocol, parameters, datasetPopulation(file), { seed: `${options.seed} ${name} ${epsilon} ${run}` }),
      );
      for (const radius of numbers(options.radius)) {
        const best = populationOptimum(population, by, radius);
        const excess = (query) =>
          tallies.map((tally) => {
            const { w } = protocol.server.estimate(parameters, tally, { radius, intercept, ...own, ...query });
            return populationRisk(population, by, w) - best;
          });
        const [open, alone] = [excess({}), excess({ degree })];
        const ratio = mean(open) / mean(alone);
        logs.push(Math.log(ratio));
        const cell = (values) => `${mean(values).toFixed(4)} ±${standardError(values).toFixed(4)}`;
        rows.push([name, loss, String(radius), String(epsilon), cell(open), cell(alone), ratio.toFixed(2)]);
      }
    }
  }
}
process.stdout.write(
  `${players} players, ${options.runs} collections; mean excess risk and its standard error\n\n${aligned(rows)}\n\n` +
    `ratio, geometric mean: ${Math.exp(mean(logs)).toFixed(2)}; at most ${Math.exp(Math.max(...logs)).toFixed(2)}\n`,
);
