// Root mean squared error in l2 of the variant `vector` (or another in several dimensions) beside the standard error that it states
// and its closed form, with the share of coordinates within 1.96 standard errors: for samples whose coordinates are correlated
// (pairwise rho), for samples along one direction, and for spreads far below the bound. Local means are drawn as normal ones.
// A minute or two, not part of the tests.
//
//   node test/validation/user-level-correlated.mjs [--runs 20] [--correlations 0,.5,.9,.99,1] [--spreads .1,.05,.02,.01,.005]
//     [--dimension 8] [--players 20000] [--samples 50] [--epsilon 1] [--form automatic] [--variant vector] [--seed TEXT]
import { seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import { expectedSquaredError, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { numbers, optionsOf } from './kit.mjs';

const options = optionsOf(
  'runs=20 correlations=0,.5,.9,.99,1 spreads=.1,.05,.02,.01,.005 dimension=8 players=20000 samples=50 epsilon=1 form=automatic variant=vector seed=correlated',
);
const [runs, dimension, players, samples, epsilon] = [
  options.runs,
  options.dimension,
  options.players,
  options.samples,
  options.epsilon,
].map(Number);
const { abs, max, min, sqrt } = Math;
/** s of the samples whose correlation varies: those of a uniform law on an interval of length 1. */
const SPREAD = 1 / sqrt(12);

/** One setting: players with normal local means of deviation s/√m in every coordinate and pairwise correlation rho. */
function measure(rho, spread) {
  const request = { variant: options.variant, epsilon, players, samples, dimension };
  const plan = userLevelMeanPlan(options.variant === 'vector' ? { ...request, form: options.form } : request);
  const deviation = spread / sqrt(samples);
  const [own, shared] = [deviation * sqrt(1 - rho), deviation * sqrt(rho)];
  let [squares, stated, inside] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const random = seededRandom(`samples ${options.seed} ${run}`);
    const mean = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
    const local = new Float64Array(dimension);
    const datum = (index) => {
      random.seek(index);
      const together = shared * normal(random);
      for (let i = 0; i < dimension; i++) local[i] = max(-1, min(1, mean[i] + together + own * normal(random)));
      return { samples: local };
    };
    const seed = `${options.seed} ${run}`;
    const { estimate } = conduct(userLevelMean, plan, { players, datum }, { seed });
    for (let i = 0; i < dimension; i++) {
      const error = estimate.mean[i] - mean[i];
      squares += error ** 2 / runs;
      stated += estimate.standardError[i] ** 2 / runs;
      if (abs(error) < 1.96 * estimate.standardError[i]) inside++;
    }
  }
  const closed = options.variant === 'vector' ? sqrt(expectedSquaredError(plan, spread)) : Number.NaN;
  const row = [sqrt(squares), sqrt(stated), closed].map((value) => value.toPrecision(3));
  return [...row, (sqrt(squares) / sqrt(stated)).toFixed(2), ((100 * inside) / (runs * dimension)).toFixed(1)];
}

const print = (...cells) => console.log(`| ${cells.join(' | ')} |`);
print('rho', 's/B', 'error', 'stated', 'closed form', 'error/stated', 'within 1.96, %');
print('---', '---', '---', '---', '---', '---', '---');
for (const rho of numbers(options.correlations)) print(rho, SPREAD.toFixed(3), ...measure(rho, SPREAD));
for (const spread of numbers(options.spreads)) print(0, spread, ...measure(0, spread));
