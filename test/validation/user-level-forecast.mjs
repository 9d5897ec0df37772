// The forecast of `vector` beside what it comes to: root mean squared error in l2 over runs with all players, for every s/B, d and n
// of the lists, each with an m and an epsilon drawn from theirs. Local means are drawn as normal ones around means anywhere in the
// middle half of the box. About a minute for each d at 16 runs, d = 32 five; not part of the tests.
//
//   node test/validation/user-level-forecast.mjs [--runs 16] [--spreads .005,.01,.02,.05,.1,.3] [--dimensions 1,8,32]
//     [--players 5000,20000,100000] [--samples 10,30,100] [--epsilons .5,1,2,4] [--rounds 8] [--seed TEXT]
import { seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import { expectedSquaredError, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { numbers, optionsOf } from './kit.mjs';

const options = optionsOf(
  'runs=16 spreads=.005,.01,.02,.05,.1,.3 dimensions=1,8,32 players=5000,20000,100000 samples=10,30,100 epsilons=.5,1,2,4 rounds seed=forecast',
);
const runs = Number(options.runs);
const { max, min, sqrt } = Math;

/** The squared errors of the runs of a plan, and what the runs state. */
function measure(plan, spread) {
  const { dimension, players, samples } = plan;
  const deviation = spread / sqrt(samples);
  const local = new Float64Array(dimension);
  const errors = [];
  let stated = 0;
  for (let run = 0; run < runs; run++) {
    const name = `${options.seed} ${plan.digest} ${spread} ${run}`;
    const random = seededRandom(`samples ${name}`);
    const mean = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
    const datum = (index) => {
      random.seek(index);
      for (let i = 0; i < dimension; i++) local[i] = max(-1, min(1, mean[i] + deviation * normal(random)));
      return { samples: local };
    };
    const { estimate } = conduct(userLevelMean, plan, { players, datum }, { seed: name });
    errors.push(estimate.mean.reduce((sum, value, i) => sum + (value - mean[i]) ** 2, 0));
    stated += estimate.standardError.reduce((sum, value) => sum + value * value, 0) / runs;
  }
  return { errors, stated };
}

const print = (...cells) => console.log(`| ${cells.join(' | ')} |`);
print(
  's/B',
  'd',
  'n',
  'm',
  'epsilon',
  'form',
  'error',
  'median',
  'stated',
  'forecast',
  'closed form',
  'error/forecast',
);
print(...Array(12).fill('---'));
const draw = seededRandom(`cells ${options.seed}`);
const pick = (list) => list[Math.floor(uniform(draw) * list.length)];
let [near, closed, cells] = [0, 0, 0];
const isNear = (ratio) => ratio < 1.5 && ratio > 1 / 1.5;
for (const dimension of numbers(options.dimensions)) {
  for (const players of numbers(options.players)) {
    for (const spread of numbers(options.spreads)) {
      const [samples, epsilon] = [pick(numbers(options.samples)), pick(numbers(options.epsilons))];
      const shape = { variant: 'vector', epsilon, players, samples, dimension };
      const plan = userLevelMeanPlan(
        options.rounds === undefined ? shape : { ...shape, rounds: Number(options.rounds) },
      );
      const { errors, stated } = measure(plan, spread);
      const error = sqrt(errors.reduce((sum, value) => sum + value, 0) / runs);
      const median = sqrt(errors.sort((a, b) => a - b)[runs >> 1]);
      const forecast = userLevelMean.theory.forecast(plan, { players, spread }).error;
      const form = sqrt(expectedSquaredError(plan, spread));
      cells++;
      near += isNear(error / forecast) ? 1 : 0;
      closed += isNear(error / form) ? 1 : 0;
      const row = [error, median, sqrt(stated), forecast, form].map((value) => value.toPrecision(3));
      print(spread, dimension, players, samples, epsilon, plan.form, ...row, (error / forecast).toFixed(2));
    }
  }
}
console.log(`within a factor 1.5 of the forecast: ${near} of ${cells} cells; of the closed form: ${closed}`);
