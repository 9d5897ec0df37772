// Root mean squared error of every scalar scheme of user-level-mean, the slides' one also at its best (calibration `exact`), and of
// the answer 0, over repeated runs with their own data and coins. Part 1: samples uniform on an interval inside [-1, 1], the mean
// anywhere or on the edge of the printed bins. Part 2: normal samples clipped to [-1, 1], as in published tables. A minute or two,
// not part of the tests.
//
//   node test/validation/user-level-mean.mjs [--runs 100] [--part 1,2] [--seed TEXT]
import { seededRandom } from 'ldpkit';
import { normalCdf, normalDensity } from 'ldpkit/inference';
import { normal, uniform } from 'ldpkit/mechanism';
import { printed, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { aligned, optionsOf } from './kit.mjs';

const options = optionsOf('runs=100 part=1,2 seed=validation');
const runs = Number(options.runs);
const { max, min, sqrt, tanh, PI } = Math;

// One sample of either law, and the mean of the law at a centre.
const laws = {
  uniform: {
    sample: (centre, spread, random) => centre + spread * sqrt(3) * (2 * uniform(random) - 1),
    mean: (at) => at,
  },
  normal: {
    sample: (centre, spread, random) => max(-1, min(1, centre + spread * normal(random))),
    mean: (at, spread) => -1 + spread * (integral((at + 1) / spread) - integral((at - 1) / spread)),
  },
};
const integral = (z) => z * normalCdf(z) + normalDensity(z);

// Squared errors and times of all schemes on the same data, means over the runs.
function measure({ players, samples, epsilon, law, spread, centreOf }) {
  const draws = seededRandom(`${options.seed} data`);
  const { sample, mean } = laws[law];
  const plans = Object.values(SCHEMES).map(({ known, ...request }) =>
    userLevelMeanPlan({ ...request, ...(known ? { spread } : {}), epsilon, players, samples }),
  );
  const zero = { squared: 0, milliseconds: 0 };
  const figures = plans.map(() => ({ squared: 0, milliseconds: 0 }));
  for (let run = 0; run < runs; run++) {
    draws.seek(run);
    const centre = centreOf(draws);
    const truth = mean(centre, spread);
    zero.squared += truth ** 2 / runs;
    // The means of real samples, drawn beforehand, so that the time is that of the protocol.
    const local = new Float64Array(players);
    for (let i = 0; i < players; i++) {
      let sum = 0;
      for (let j = 0; j < samples; j++) sum += sample(centre, spread, draws);
      local[i] = sum / samples;
    }
    const datum = { samples: new Float64Array(1) };
    const population = {
      players,
      datum(i) {
        datum.samples[0] = local[i];
        return datum;
      },
    };
    plans.forEach((plan, i) => {
      const start = performance.now();
      const { estimate } = conduct(userLevelMean, plan, population, { seed: `${options.seed} ${run}` });
      figures[i].milliseconds += (performance.now() - start) / runs;
      figures[i].squared += (estimate.mean[0] - truth) ** 2 / runs;
    });
  }
  return [zero, ...figures].map(({ squared, milliseconds }) => ({ rmse: sqrt(squared), milliseconds }));
}

const SCHEMES = {
  naive: { variant: 'naive', delta: 1e-6 },
  printed: { variant: 'printed', delta: 1e-6 },
  'printed exact': { variant: 'printed', delta: 1e-6, calibration: 'exact' },
  twoRound: { variant: 'twoRound', delta: 1e-6 },
  'twoRound pure': { variant: 'twoRound' },
  oneBit: { variant: 'oneBit' },
  'oneBit s': { variant: 'oneBit', known: true },
};

function table(title, settings, show, extra) {
  const head = ['setting', 'zero', ...Object.keys(SCHEMES), ...extra.head];
  const rows = settings.map((setting) => {
    const figures = measure(setting);
    return [setting.name, ...figures.map(({ rmse }) => show(rmse)), ...extra.cells(setting, figures)];
  });
  process.stdout.write(`${title}, ${runs} runs\n\n${aligned([head, ...rows])}\n\n`);
}

const floor = ({ players, samples, spread, epsilon }) =>
  (spread * sqrt(PI / 2)) / (sqrt(players * samples) * tanh(epsilon / 2));
const parts = options.part.split(',');

if (parts.includes('1')) {
  const settings = [100, 1000].flatMap((samples) => {
    const players = 20000;
    const half = 0.5;
    const bins = printed({ epsilon: 1, delta: 1e-6, players, samples }).pilot.mechanism.categories;
    const edge = -1 + (2 / bins) * Math.floor(bins / 2 + 0.5);
    const base = { players, samples, epsilon: 1, law: 'uniform', spread: half / sqrt(3) };
    return [
      { ...base, name: `m = ${samples}, any mean`, centreOf: (random) => (2 * uniform(random) - 1) * (1 - half) },
      { ...base, name: `m = ${samples}, bin edge`, centreOf: () => edge },
    ];
  });
  table(
    'RMSE, n = 20000, epsilon = 1, uniform samples on an interval of length 1',
    settings,
    (x) => x.toExponential(2),
    {
      head: ['floor', 'oneBit/floor', 'printed/oneBit', 'exact/oneBit', 'ms oneBit'],
      cells: (setting, figures) => {
        const [oneBit, asPrinted, exact] = [figures[6], figures[2], figures[3]];
        const at = floor(setting);
        return [
          at.toExponential(2),
          (oneBit.rmse / at).toFixed(2),
          (asPrinted.rmse / oneBit.rmse).toFixed(0),
          (exact.rmse / oneBit.rmse).toFixed(0),
          oneBit.milliseconds.toFixed(1),
        ];
      },
    },
  );
}

if (parts.includes('2')) {
  const settings = [2040, 10040].flatMap((players) =>
    [0.3, 0.5].map((spread) => ({
      name: `n = ${players}, s = ${spread}`,
      players,
      samples: 20,
      epsilon: 0.6,
      law: 'normal',
      spread,
      centreOf: (random) => (2 * uniform(random) - 1) * 0.5,
    })),
  );
  table('MSE, m = 20, epsilon = 0.6, normal samples clipped to [-1, 1]', settings, (x) => (x * x).toExponential(2), {
    head: ['ms oneBit'],
    cells: (_, figures) => [figures[6].milliseconds.toFixed(1)],
  });
}
