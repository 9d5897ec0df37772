import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { study as newton } from '../../../protocols/noisy-newton/protocol.ts';
import { userLevelErmPlan } from '../../../protocols/user-level-erm/parameters.ts';
import { descentBound, expectedGradientError } from '../../../protocols/user-level-erm/protocol.ts';
import type { ModelRunDocument } from '../../../src/node/kinds/models/result.ts';
import type { PointRunDocument } from '../../../src/node/kinds/points/document.ts';
import type { StreamRunDocument } from '../../../src/node/kinds/stream/request.ts';
import type { UserRunDocument } from '../../../src/node/kinds/users/result.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import { normal, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('empty.csv', ''));
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));

/** A run that ends well, as the document that it wrote, and its page. */
async function run<Document>(
  words: string,
): Promise<{ readonly document: Document; readonly page: string; readonly text: string }> {
  const out = `out-${words.replace(/\W+/g, '-').slice(0, 80)}`;
  const { status, stdout, stderr } = await ldpkit(`run ${words} --out ${out}`);
  expect({ words, status, stderr: stderr.match(/ldpkit: .*/)?.[0] }).toEqual({ words, status: 0, stderr: undefined });
  const page = readFileSync(join(folder, out, 'report.html'), 'utf8');
  expect(page.match(/NaN|Infinity|undefined/g)).toBeNull();
  expect(page).toMatch(/<svg [^>]*role="img"/);
  expect(stdout.match(/NaN|Infinity|undefined/g)).toBeNull();
  return { document: JSON.parse(readFileSync(join(folder, out, 'result.json'), 'utf8')), page, text: stdout };
}

// Readings of a patient: y = 20 + 5·(mean of the patient) + noise; z is about half the speed. 600 patients, 4 to 7 rows each.
const rows: { readonly who: string; readonly y: number; readonly z: number; readonly sick: boolean }[] = [];
{
  const random = seededRandom('patients');
  for (let i = 0; i < 600; i++) {
    const mean = 20 + 5 * normal(random);
    const count = 4 + (i % 4);
    for (let k = 0; k < count; k++) {
      const z = 2 * uniform(random) - 1;
      const sick = uniform(random) < 1 / (1 + Math.exp(-(0.3 + 1.5 * z)));
      rows.push({ who: `p${(i * 37) % 600}`, y: mean + 3 * z + 2 * normal(random), z, sick });
    }
  }
}
const csv = ['who,y,z,state', ...rows.map(({ who, y, z, sick }) => `${who},${y},${z},${sick ? 'sick' : 'well'}`)].join(
  '\n',
);
write('patients.csv', csv);
const y = { column: 'y', minimum: 0, maximum: 40 };
const z = { column: 'z', minimum: -1, maximum: 1 };
const schemas: { readonly [name: string]: object } = {
  mean: { title: 'Readings', player: 'who', coordinates: [y] },
  nobody: { coordinates: [y] },
  both: { player: 'who', coordinates: [y, z] },
  twice: { player: 'who', coordinates: [y, y] },
  own: { player: 'y', coordinates: [y] },
  unbounded: { player: 'who', coordinates: [{ column: 'y' }] },
  labelled: { player: 'who', coordinates: [y], label: { column: 'z', above: 0 } },
  erm: {
    player: 'who',
    label: { column: 'state', positive: 'sick', negative: 'well' },
    features: [{ constant: 1 }, z],
    normalize: 'ball',
  },
  records: {
    label: { column: 'state', positive: 'sick', negative: 'well' },
    features: [{ constant: 1 }, z],
    normalize: 'ball',
  },
  regression: { label: { ...y, unit: 5 }, features: [z] },
  sides: { label: { column: 'state', positive: 'sick', negative: 'well' }, features: [z] },
  bands: { label: { column: 'y', bands: [15, 25] }, features: [z] },
  points: { unit: 'metres', coordinates: [y, z] },
  line: { coordinates: [y] },
};
for (const [name, schema] of Object.entries(schemas)) write(`${name}.json`, JSON.stringify(schema));
const on = (schema: string, data = 'patients.csv'): string => `--data ${data} --schema ${schema}.json`;

const players = new Map<string, typeof rows>();
for (const row of rows) players.set(row.who, [...(players.get(row.who) ?? []), row]);
const cut = (value: number): number => Math.min(40, Math.max(0, value));
const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Numbers agree to so many digits behind the point. */
function near(actual: readonly number[], expected: readonly number[], digits: number): void {
  expect(actual).toEqual(expected.map((entry) => expect.closeTo(entry, digits)));
}

describe('run user-level-mean on a file', () => {
  test('has the rows of a player as its samples, and the mean of the players’ means as its truth', async () => {
    const { document, text } = await run<UserRunDocument>(
      `user-level-mean ${on('mean')} --epsilon 8 --variant oneBit --repetitions 4`,
    );
    const means = [...players.values()].map((own) => average(own.map((row) => cut(row.y))));
    const truth = average(means);
    // Values are held as 32-bit floats of [−1, 1]: to 40·2⁻²⁵ each.
    expect(document.truth.mean[0]).toBeCloseTo(truth, 5);
    expect(document.truth.recordMean[0]).toBeCloseTo(average(rows.map((row) => cut(row.y))), 5);
    expect([document.players, document.records, document.unit, document.title]).toEqual([
      600,
      rows.length,
      'y',
      'Readings',
    ]);
    expect(document.baselines.middle.error).toBeCloseTo(Math.abs(truth - 20), 5);
    expect(text.replace(/\s+/g, ' ')).toContain(`the mean over them is ${truth.toFixed(2)} y`);
    expect(text).toContain('oneBit at ε = 8: pure, ε = 8');
    // Naive: noise of the exact Gaussian mechanism at sensitivity 2 on every mean in [−1, 1], in units of 20, over √600 players. Four
    // runs have a root mean square above 2.6 deviations with probability 5·10⁻⁶ (χ² with 4 degrees beyond 27).
    const sigma = 20 * analyticGaussianSigma({ epsilon: 8, delta: 1e-6, sensitivity: 2 });
    expect(document.baselines.naive.error).toBeLessThan((2.6 * sigma) / Math.sqrt(600));
    expect(document.baselines.naive.error).toBeGreaterThan((0.1 * sigma) / Math.sqrt(600));
  });

  test('of several columns tells all in half their ranges; --player says whose a row is, --samples who takes part', async () => {
    const words = `user-level-mean ${on('both')} --player who --samples 6 --epsilon 8 --variant vector --repetitions 2`;
    const { document } = await run<UserRunDocument>(words);
    const chosen = [...players.values()].filter((own) => own.length >= 6);
    expect([document.players, document.dimension, document.samples]).toEqual([chosen.length, 2, 6]);
    expect(document.truth.mean[0]).toBeCloseTo(
      average(chosen.map((own) => average(own.map((row) => cut(row.y) / 20 - 1)))),
      6,
    );
    expect(document.truth.mean[1]).toBeCloseTo(average(chosen.map((own) => average(own.map((row) => row.z)))), 6);
    // At ε = 8 a sign is a sign: the error is that of 300 players' medians, 1.25·.26/√300 a coordinate, a tenth of it at most to the fourth deviation.
    expect(document.metrics.error).toBeLessThan(0.12);
  });
});

/** The logistic model of least mean loss with weights, by gradient steps of 1/L until nothing moves. */
function logisticFit(ridge: number, weightOf: (row: (typeof rows)[number]) => number): readonly number[] {
  const scale = 1 / Math.sqrt(2);
  const total = rows.reduce((sum, row) => sum + weightOf(row), 0);
  const theta = [0, 0];
  for (let step = 0; step < 4000; step++) {
    const gradient = [ridge * theta[0], ridge * theta[1]];
    for (const row of rows) {
      const label = row.sick ? 1 : -1;
      const x = [scale, scale * row.z];
      const slope = (-label * (weightOf(row) / total)) / (1 + Math.exp(label * (theta[0] * x[0] + theta[1] * x[1])));
      gradient[0] += slope * x[0];
      gradient[1] += slope * x[1];
    }
    for (const j of [0, 1]) theta[j] -= 3.5 * gradient[j];
    const norm = Math.hypot(...theta);
    if (ridge === 0 && norm > 1) for (const j of [0, 1]) theta[j] /= norm;
  }
  return theta;
}

describe('run of a fitted model on a file', () => {
  test('user-level-erm: players count once, and the private fit is where the bound of its plan says', async () => {
    const { document, text } = await run<ModelRunDocument>(
      `user-level-erm ${on('erm')} --epsilon 0.5,8 --repetitions 2`,
    );
    const expected = logisticFit(0, (row) => 1 / players.get(row.who)!.length);
    near(document.baselines.nonPrivate.theta, expected, 4);
    expect([document.players, document.records, document.symbol, document.features]).toEqual([
      600,
      rows.length,
      'ε',
      ['constant', 'z'],
    ]);
    expect(document.baselines.zero.risk).toBeCloseTo(Math.LN2, 6);
    expect(document.baselines.zero.distance).toBeCloseTo(Math.hypot(...expected), 4);
    const planOf = (epsilon: number) =>
      userLevelErmPlan({
        ...{ variant: 'descent', epsilon, players: 600, samples: 1, dimension: 2 },
        ...{ loss: 'logistic', radius: 1, strongConvexity: 0.025, force: true },
      });
    // The bound holds for the largest error of a gradient; a Gaussian one is above four times its expectation once in 10⁴.
    for (const { budget, metrics } of document.runs) {
      const plan = planOf(budget);
      const gradientError = 4 * expectedGradientError(plan, 0.5);
      expect(metrics.distance).toBeLessThan(Math.min(2, descentBound(plan, { start: 1, gradientError })));
      expect(metrics.excessRisk).toBeGreaterThan(-1e-9);
    }
    expect(text).toContain('descent at ε = 0.5: pure, ε = 0.5');
    expect(text).toContain('The theorem asks for');
  });

  test.each(['noisy-newton', 'noisy-gradient-descent'])(
    '%s: a curator’s fit is off by the noise of its steps',
    async (name) => {
      const { document, text } = await run<ModelRunDocument>(`${name} ${on('regression')} --mu 2 --repetitions 2`);
      // Huber regression with Mallows weights by gradient steps, in units of 5.
      const theta = [0, 0];
      for (let step = 0; step < 3000; step++) {
        const gradient = [0, 0];
        for (const row of rows) {
          const residual = cut(row.y) / 5 - theta[0] - theta[1] * row.z;
          const slope =
            (-Math.max(-1.345, Math.min(1.345, residual)) * Math.min(1, 2 / (1 + row.z ** 2))) / rows.length;
          gradient[0] += slope;
          gradient[1] += slope * row.z;
        }
        for (const j of [0, 1]) theta[j] -= 0.5 * gradient[j];
      }
      near(
        document.baselines.nonPrivate.theta,
        theta.map((entry) => 5 * entry),
        3,
      );
      expect([document.players, document.scale, document.unit]).toEqual([rows.length, 5, 'y']);
      expect(document.features).toEqual(['intercept', 'z']);
      expect(document.guarantee).toEqual({ kind: 'gdp', mu: 2 });
      expect(text).toContain('at μ = 2: Gaussian, μ = 2 for one record');
      // The forecast of noisy Newton has every curvature at τ₁, a fifth of those here, and is in the mean square; six times it is a bound that
      // the noise of both algorithms keeps but for 1 in 10⁶, and what is left of the start by the descent is below it.
      const asked = { epsilon: 1, delta: 1e-6, mu: 2, players: rows.length, samples: 1, dimension: 1 };
      const bound = 5 * 6 * newton.forecast({ variant: 'newton', ...asked }).error;
      for (const { metrics } of document.runs) expect(metrics.distance).toBeLessThan(bound);
      expect(document.baselines.zero.distance).toBeGreaterThan(bound);
      expect(document.estimate.intervals).toHaveLength(2);
    },
  );

  test('influence-sgd: nothing is promised, and the fit in the clear is that of the ridge', async () => {
    const { document, page, text } = await run<ModelRunDocument>(
      `influence-sgd ${on('records')} --epsilon 1 --repetitions 1`,
    );
    const expected = logisticFit(0.01, () => 1);
    near(document.baselines.nonPrivate.theta, expected, 4);
    expect([document.guarantee, document.certificates, document.refuted?.map(({ holds }) => holds)]).toEqual([
      null,
      [],
      [false, false],
    ]);
    expect(text).toMatch(/printed +nothing +approximate, ε = 1/);
    expect(page).toContain('What is not promised');
    expect(new Set(document.runs.map(({ variant }) => variant))).toEqual(
      new Set(['printed', 'recalibrated', 'output perturbation']),
    );
  });
});

test('run euclidean-median on a file: distances are in the unit of the columns, from the median in the clear', async () => {
  const { document } = await run<PointRunDocument>(`euclidean-median ${on('points')} --epsilon 8 --moved 0 --degree 1`);
  // Weiszfeld's iteration, from the mean.
  let place = [average(rows.map((row) => cut(row.y))), average(rows.map((row) => row.z))];
  for (let step = 0; step < 400; step++) {
    let [sum, across, up] = [0, 0, 0];
    for (const row of rows) {
      const weight = 1 / Math.hypot(cut(row.y) - place[0], row.z - place[1]);
      [sum, across, up] = [sum + weight, across + weight * cut(row.y), up + weight * row.z];
    }
    place = [across / sum, up / sum];
  }
  near(document.baselines.nonPrivate.place, place, 2);
  expect(document.scale).toBeCloseTo(Math.hypot(20, 1), 4);
  expect(document.baselines.centre.distance).toBeCloseTo(Math.hypot(place[0] - 20, place[1]), 2);
  const [off] = [Math.hypot(document.estimate.place[0] - place[0], document.estimate.place[1] - place[1])];
  expect(document.metrics.distance).toBeCloseTo(off, 1);
  expect(off).toBeLessThan(document.scale);
  expect([document.unit, document.players, document.guarantee]).toEqual([
    'metres',
    rows.length,
    { kind: 'pure', epsilon: 8 },
  ]);
});

describe('run online-sgd --model on a file', () => {
  test('linear: the fit beside it is that of least squares', async () => {
    const { document, text } = await run<StreamRunDocument>(`online-sgd ${on('regression')} --model linear --clip 3`);
    const [my, mz] = [average(rows.map((row) => cut(row.y))), average(rows.map((row) => row.z))];
    const slope =
      average(rows.map((row) => (cut(row.y) - my) * (row.z - mz))) / average(rows.map((row) => (row.z - mz) ** 2));
    expect(document.baselines.nonPrivate.theta[0]).toBeCloseTo(my - slope * mz, 3);
    expect(document.baselines.nonPrivate.theta[1]).toBeCloseTo(slope, 3);
    expect(document.model).toEqual({ kind: 'linear', clip: 3 });
    expect(text).toContain('clipped gradients lead elsewhere');
  });

  test('logistic: the label has two sides, and coefficients are log odds', async () => {
    const { document } = await run<StreamRunDocument>(`online-sgd ${on('sides')} --model logistic --epsilon 4`);
    const theta = [0, 0];
    for (let step = 0; step < 4000; step++) {
      const gradient = [0, 0];
      for (const row of rows) {
        const weight = Math.min(1, 2 / (1 + row.z ** 2)) / rows.length;
        const slope = weight * (1 / (1 + Math.exp(-theta[0] - theta[1] * row.z)) - (row.sick ? 1 : 0));
        gradient[0] += slope;
        gradient[1] += slope * row.z;
      }
      for (const j of [0, 1]) theta[j] -= 1.9 * gradient[j];
    }
    near(document.baselines.nonPrivate.theta, theta, 4);
    expect([document.unit, document.scale, document.features]).toEqual(['log odds', 1, ['intercept', 'z']]);
    expect(document.certificate.claimed).toEqual({ kind: 'pure', epsilon: 4 });
  });

  test.each([
    ['expectile --tau 0.9', { kind: 'expectile', tau: 0.9 }, 'regression', 2],
    ['quantile --tau 0.9', { kind: 'quantile', tau: 0.9, bandwidth: 0.5 }, 'regression', 2],
    ['multinomial', { kind: 'multinomial', classes: 3 }, 'bands', 4],
  ] as const)('%s', async (words, model, schema, dimension) => {
    const { document } = await run<StreamRunDocument>(`online-sgd ${on(schema)} --model ${words}`);
    expect([document.model, document.dimension]).toEqual([model, dimension]);
    const { nonPrivate, constant } = document.baselines;
    expect(constant.risk).toBeGreaterThan(nonPrivate.risk);
    if (model.kind === 'multinomial') {
      expect(document.features).toEqual(['≤ 25: intercept', '≤ 25: z', '> 25: intercept', '> 25: z']);
      return;
    }
    // Nine tenths of the responses lie below the quantile at most but for its bandwidth, and below the expectile more than half.
    const below = average(rows.map((row) => Number(cut(row.y) < nonPrivate.theta[0] + nonPrivate.theta[1] * row.z)));
    expect(below).toBeGreaterThan(model.kind === 'quantile' ? 0.85 : 0.6);
    expect(below).toBeLessThan(0.95);
  });
});

describe('what cannot be is refused in plain words, and no cell is told', () => {
  const secret = '8675309';
  write('one.csv', 'who,y,z,state\nanna,1,0,sick\nanna,2,0,well\n');
  write('nan.csv', `who,y,z,state\nanna,1,0,sick\n${secret},NaN,0,sick\n${secret},3,0,well\n`);
  write('gap.csv', `who,y,z,state\nanna,${secret},0,sick\n,2,0,well\nanna,3,0,sick\n`);
  write('names.csv', `who,y,y,state\nanna,${secret},0,sick\n`);
  write('header.csv', 'who,y,z,state\n');
  test.concurrent.each([
    [`user-level-mean ${on('nobody')}`, '"player" expected the column that says whose a row is'],
    [`user-level-mean ${on('mean')} --player nobody`, '"data" expected a column named "nobody" in the header row'],
    [
      `user-level-mean ${on('nobody')} --player z`,
      '"data" expected several records of a player by "z"; each record is of another one',
    ],
    [
      `user-level-mean ${on('mean', 'one.csv')}`,
      '"data" expected two or more players by "who"; all records are of one',
    ],
    [`user-level-mean ${on('mean', 'empty.csv')}`, '"data" expected a file that is not empty'],
    [`user-level-mean ${on('mean', 'header.csv')}`, '"data" expected a file with one or more records'],
    [`user-level-mean ${on('mean', 'nan.csv')}`, '"y" expected a finite number in row 2'],
    [`user-level-mean ${on('mean', 'gap.csv')}`, '"who" expected the name or the number of a player in row 2'],
    [`user-level-mean ${on('mean', 'names.csv')}`, '"data" expected only one column named "y"'],
    [`user-level-mean ${on('mean')} --samples 8`, '"samples" expected a number that two or more players have, got 8'],
    [
      `user-level-mean ${on('twice')}`,
      '"coordinates[1].column" expected a column that no other coordinate has, got "y"',
    ],
    [`user-level-mean ${on('own')}`, '"player" expected a column that is neither the label nor a coordinate, got "y"'],
    [
      `user-level-mean ${on('mean')} --player y`,
      '"player" expected a column that is neither the label nor a coordinate, got "y"',
    ],
    [`user-level-mean ${on('unbounded')}`, '"coordinates[0].minimum" expected to be given'],
    [`user-level-mean ${on('labelled')}`, '"label" expected to be absent (there is no such key)'],
    [`user-level-mean ${on('mean')} --profile hours`, '"profile" expected none: it is a question to the flights'],
    ['user-level-mean --player who', '"player" expected none: the flights say it themselves'],
    [`euclidean-median ${on('line')}`, '"coordinates" expected a list of two or more coordinates'],
    [`euclidean-median ${on('both')}`, '"player" expected to be absent (there is no such key)'],
    [`user-level-erm ${on('records')}`, '"player" expected the column that says whose a row is'],
    [`user-level-erm ${on('mean')}`, '"label" expected'],
    [`user-level-erm ${on('erm')} --mu 1`, '"mu" expected none: the budget of user-level-erm is in ε'],
    [`user-level-erm ${on('erm')} --delta 0.1`, '"delta" expected none: the budget of user-level-erm is pure'],
    [`noisy-newton ${on('regression')} --epsilon 1`, '"epsilon" expected none: the budget of noisy-newton is in μ'],
    [
      `noisy-newton ${on('regression')} --player who`,
      '"player" expected none: in noisy-newton a curator holds single records',
    ],
    [`noisy-newton ${on('records')}`, '"label.minimum" expected to be given'],
    [
      `noisy-gradient-descent ${on('regression', 'one.csv')}`,
      '"players" expected more records than the 2 coefficients, got 2',
    ],
    [`influence-sgd ${on('regression')}`, '"label.positive" expected to be given'],
    [`online-sgd ${on('regression')} --model logistic`, '"label.positive" expected to be given'],
    [`online-sgd ${on('regression')} --model cubic`, '"model" expected one of huber, linear, logistic'],
    [`online-sgd ${on('regression')} --tau 0.5`, '"tau" expected none: the model huber has none'],
    [`online-sgd ${on('regression')} --model quantile --tau 1`, '"tau" expected a number strictly between 0 and 1'],
    ['hinge --model linear', '"model" expected none: hinge is no stream of players'],
  ])('%s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit(`run ${words}`);
    const refusals = stderr.split('\n').filter((line) => line.startsWith('ldpkit: '));
    expect([words, status, stdout]).toEqual([words, 2, '']);
    // Mistakes of a schema are told together, one on a line.
    expect(refusals.filter((line) => line.includes(message))).toHaveLength(1);
    expect(stderr).not.toContain(secret);
    expect(stderr).not.toContain('anna');
  });

  test.concurrent.each([
    ['certify noisy-newton --epsilon .1', '"epsilon" expected none: the budget of noisy-newton is in μ'],
    [
      'audit noisy-gradient-descent --epsilon 1',
      '"epsilon" expected none: the budget of noisy-gradient-descent is in μ',
    ],
    ['forecast noisy-newton --delta 0.1', '"delta" expected none: the budget of noisy-newton is in μ'],
    ['forecast user-level-erm --delta 0.1', '"delta" expected none: the budget of user-level-erm is pure'],
    ['certify user-level-mean --mu 1', '"mu" expected none: the budget of user-level-mean is in ε'],
    ['certify online-sgd --variant gdp --epsilon 1', '"epsilon" expected none: the budget of gdp is --mu'],
    ['audit online-sgd --variant privUnit --mu 1', '"mu" expected none: the budget of privUnit is --epsilon'],
    ['forecast online-sgd --variant laplace --delta 0.1', '"delta" expected none: the budget of laplace is pure'],
  ])('%s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit(words);
    expect([words, status, stdout]).toEqual([words, 2, '']);
    expect(stderr).toContain(message);
  });
});
