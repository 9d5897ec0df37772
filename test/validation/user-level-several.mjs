// Root mean squared error in l2, with its standard error over runs, of every scheme of user-level-mean in several dimensions, of the
// answer 0, and of Gaussian noise on the whole mean (naive) by its closed form. Samples of a coordinate are uniform on an interval of
// length 1, means anywhere in [-1/2, 1/2]^d; local means are drawn as sums of samples at d <= 8 and as normal ones above. Several
// minutes, not part of the tests.
//
//   node test/validation/user-level-several.mjs [--runs 100] [--settings 1,2,3] [--seed TEXT] [--variants twoRound,vector]
import { seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import { analyticGaussianSigma } from 'ldpkit/privacy';
import { study, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { optionsOf } from './kit.mjs';

const options = optionsOf(
  'runs=100 settings=1,2,3,4,5,6,7,8 seed=validation variants=vector,twoRound,same players,gaussian,coordinates,exact,printed',
);
const runs = Number(options.runs);
const { sqrt } = Math;
const DELTA = 1e-6;
const SPREAD = 1 / sqrt(12);

const SCHEMES = {
  vector: { variant: 'vector' },
  twoRound: { variant: 'twoRound' },
  'same players': { variant: 'twoRound', samePlayers: true },
  gaussian: { variant: 'twoRound', delta: DELTA, form: 'gaussian' },
  coordinates: { variant: 'coordinates' },
  exact: { variant: 'printed', delta: DELTA, calibration: 'exact' },
  printed: { variant: 'printed', delta: DELTA },
};

const SETTINGS = [
  { dimension: 8, players: 20000, samples: 50, epsilon: 1 },
  { dimension: 64, players: 100000, samples: 50, epsilon: 1 },
  { dimension: 8, players: 20000, samples: 1000, epsilon: 1 },
  { dimension: 8, players: 80000, samples: 50, epsilon: 1 },
  { dimension: 8, players: 20000, samples: 50, epsilon: 4 },
  { dimension: 8, players: 6000, samples: 50, epsilon: 1 },
  { dimension: 8, players: 2000, samples: 50, epsilon: 1 },
  { dimension: 24, players: 40000, samples: 50, epsilon: 1 },
];

// The local means of one run, players after players.
function localMeans({ dimension: d, players, samples }, centre, random) {
  const local = new Float64Array(players * d);
  for (let i = 0; i < local.length; i++) {
    let sum = 0;
    if (d <= 8 && samples <= 50) for (let k = 0; k < samples; k++) sum += (uniform(random) - 0.5) / samples;
    else sum = (SPREAD / sqrt(samples)) * normal(random);
    local[i] = Math.max(-1, Math.min(1, centre[i % d] + sum));
  }
  return local;
}

function measure(setting) {
  const { dimension: d, players } = setting;
  const names = options.variants.split(',');
  const plans = names.map((name) => userLevelMeanPlan({ ...SCHEMES[name], ...setting }));
  const squares = [...names, 'zero'].map(() => []);
  const draws = seededRandom(`${options.seed} data`);
  for (let run = 0; run < runs; run++) {
    draws.seek(run);
    const centre = Float64Array.from({ length: d }, () => uniform(draws) - 0.5);
    const local = localMeans(setting, centre, draws);
    const datum = { samples: local };
    const population = {
      players,
      datum(i) {
        datum.samples = local.subarray(i * d, (i + 1) * d);
        return datum;
      },
    };
    plans.forEach((plan, k) => {
      const { estimate } = conduct(userLevelMean, plan, population, { seed: `${options.seed} ${run}` });
      squares[k].push(centre.reduce((sum, mean, j) => sum + (estimate.mean[j] - mean) ** 2, 0));
    });
    squares[names.length].push(centre.reduce((sum, mean) => sum + mean * mean, 0));
  }
  const { epsilon, samples } = setting;
  console.log(`\nd = ${d}, n = ${players}, m = ${samples}, epsilon = ${epsilon}, ${runs} runs`);
  [...names, 'zero'].forEach((name, k) => {
    const mean = squares[k].reduce((sum, square) => sum + square, 0) / runs;
    const variance = squares[k].reduce((sum, square) => sum + (square - mean) ** 2, 0) / (runs - 1);
    const error = sqrt(variance / runs) / (2 * sqrt(mean));
    const rounds = plans[k]?.shares.length ?? 0;
    const asked = { delta: DELTA, ...SCHEMES[name], ...setting };
    const expected =
      name === 'zero' || name === 'gaussian' ? '' : study.forecast(asked, { spread: SPREAD }).error.toPrecision(3);
    console.log(
      `${name.padEnd(14)} ${rounds} rounds  ${sqrt(mean).toPrecision(3)} ± ${error.toPrecision(2)}  forecast ${expected}`,
    );
  });
  const sigma = analyticGaussianSigma({ epsilon, delta: DELTA, sensitivity: 2 * sqrt(d) });
  console.log(
    `naive          1 round   ${sqrt((d * (SPREAD ** 2 / samples + sigma ** 2)) / players).toPrecision(3)} by its closed form`,
  );
}

for (const index of options.settings.split(',')) measure(SETTINGS[Number(index) - 1]);
