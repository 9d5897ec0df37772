import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { StreamCheckpoint, StreamRunDocument } from '../../../src/node/kinds/stream/request.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';
import { withoutScript } from './page-text.ts';
import { scratchFolder } from './scratch.ts';
import { REGRESSION_SCHEMA, regressionCsv } from './stream/made-up.ts';

const write = scratchFolder();
const folder = dirname(write('readings.csv', regressionCsv(4000)));
write('readings.json', JSON.stringify(REGRESSION_SCHEMA));
const ldpkit = (...words: readonly string[]) => ldpkitIn(folder, words);
const run = 'run online-sgd'.split(' ');
const readings = [...run, ...'--data readings.csv --schema readings.json'.split(' ')];

describe('ldpkit run online-sgd on the flights', () => {
  let document: StreamRunDocument;
  let table = '';
  let page = '';

  beforeAll(async () => {
    const { status, stdout, stderr } = await ldpkit(...run, ...'--mu 1 --out flights'.split(' '));
    expect({ status, stderr: stderr.split('\n')[0] }).toEqual({ status: 0, stderr: 'reading the records' });
    table = stdout;
    document = JSON.parse(readFileSync(join(folder, 'flights/result.json'), 'utf8'));
    page = readFileSync(join(folder, 'flights/report.html'), 'utf8');
    // Seconds on a machine of its own; a crowded one may take longer than a test has.
  });

  test('has three million players in the order of the file, which is that of time', () => {
    const { players, dimension, features, unit, sorted, guarantee, certificate, budget } = document;
    expect({ players, dimension, unit, sorted, budget }).toEqual({
      players: 3_000_000,
      dimension: 6,
      unit: 'minutes',
      sorted: false,
      budget: { mu: 1 },
    });
    expect(features).toEqual(['intercept', 'sin hour', 'cos hour', '1000 miles', 'from a hub', 'to a hub']);
    expect([guarantee, certificate.claimed]).toEqual([
      { kind: 'gdp', mu: 1 },
      { kind: 'gdp', mu: 1 },
    ]);
  });

  test('fits all flights in the clear as reweighted least squares does', () => {
    // Computed independently with NumPy from the same file, by reweighting; features here are 32-bit numbers.
    const expected = [1.0582373835, -2.6264677831, 1.2717902164, -0.8259838606, -0.2140761567, -1.4470777508];
    const errors = [0.0131739571, 0.0122265336, 0.0195000935, 0.0194884174, 0.0198191562, 0.019474149];
    const { theta, standardErrors, risk } = document.baselines.nonPrivate;
    for (const [i, value] of theta.entries()) expect(value).toBeCloseTo(expected[i], 6);
    for (const [i, value] of standardErrors.entries()) expect(value).toBeCloseTo(errors[i], 6);
    expect(risk).toBeCloseTo(0.66022270847, 7);
    expect(document.baselines.constant.theta).toBeCloseTo(0.9667960919, 6);
  });

  test('gives an estimate whose intervals shrink along the stream and hold the fit', () => {
    const { checkpoints, estimate, metrics, baselines } = document;
    expect(checkpoints.map(({ players }) => players)).toEqual([
      1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 3_000_000,
    ]);
    expect(checkpoints[11].until).toBe('2001-07-01T00:00');
    expect(checkpoints[11].estimate).toEqual(estimate);
    expect([estimate.level, estimate.method]).toEqual([0.95, 'random scaling']);
    estimate.intervals?.forEach(([low, high], i) => {
      expect((low + high) / 2).toBeCloseTo(estimate.theta[i], 9);
    });
    const widths = checkpoints.slice(7).map(({ errors }) => errors.halfWidth ?? Number.NaN);
    expect(widths).toEqual([...widths].sort((a, b) => b - a));
    // One coordinate in twenty may be outside, more than two of six only once in 450 seeds.
    expect(metrics.coverage).toBeGreaterThanOrEqual(4 / 6);
    expect(metrics.halfWidth).toBeLessThan(2);
    expect(metrics.distance).toBeCloseTo(
      Math.hypot(...estimate.theta.map((value, i) => value - baselines.nonPrivate.theta[i])),
      9,
    );
    expect(metrics.excessRisk).toBeLessThan(baselines.constant.excessRisk / 5);
    expect(baselines.stream.metrics.distance).toBeLessThan(1);
  });

  test('prints the coordinates and the moments, and writes both files', () => {
    expect(table).toMatch(/^intercept +\S+ +\[\S+, \S+\] +1\.06 +(yes|no) /m);
    expect(table).toMatch(/^ *1,000,000 {2}2001-03-02 22:18 +± /m);
    expect(table).toMatch(/^gradient of the loss at the iterate +Gaussian +Gaussian, μ = 1$/m);
    expect(readdirSync(join(folder, 'flights')).sort()).toEqual(['report.html', 'result.json']);
  });

  test('writes a page with a chart for each coordinate, which loads nothing', () => {
    expect(withoutScript(page)).not.toMatch(/https?:|<script|<link|<img|<iframe|@import|url\(|\b(?:src|href|on\w+)=/i);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page.match(/<svg viewBox="[^"]*" role="img"/g)).toHaveLength(7);
    expect(page.match(/class="band s0"/g)).toHaveLength(6);
    for (const name of document.features) expect(page).toContain(`<figcaption>${name}</figcaption>`);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    expect(page).toContain('<pre>ldpkit run online-sgd --mu 1 --out flights</pre>');
  });
});

test('more columns than a model has are counted before the file is read', async () => {
  const features = Array.from({ length: 10_001 }, (_, i) => ({ column: `f${i}`, minimum: 0, maximum: 1 }));
  write('wide.json', JSON.stringify({ label: { column: 'reading', minimum: -30, maximum: 40 }, features }));
  const { status, stderr } = await ldpkit(...run, ...'--data readings.csv --schema wide.json'.split(' '));
  expect([status, stderr]).toEqual([2, 'ldpkit: "features" expected at most 10000 columns, got 10001\n']);
});

test('a column that the others make is named before the stream is played; without a document it does not matter', async () => {
  const columns = ['speed', 'slope', 'reading'];
  const rows = Array.from({ length: 300 }, (_, i) => [i % 50, 0.25, ((7 * i) % 40) - 10].join(','));
  write('constant.csv', `${columns.join(',')}\n${rows.join('\n')}\n`);
  const feature = (column: string) => ({ column, minimum: 0, maximum: 50 });
  const label = { column: 'reading', minimum: -30, maximum: 40, unit: 2 };
  write('constant.json', JSON.stringify({ label, features: ['speed', 'slope'].map(feature) }));
  const words = [...run, ...'--data constant.csv --schema constant.json'.split(' ')];
  expect(await ldpkit(...words, '--json')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'reading the records\nthe fit to all records in the clear\n' +
      'ldpkit: "features" expected columns that are no combinations of each other and of 1: "slope" is one\n',
  });
  expect((await ldpkit(...words, '--ndjson')).status).toBe(0);
});

describe('a stream that is saved', () => {
  test('goes on to the very same state and estimate, whatever the order of the segments', async () => {
    const whole = await ldpkit(...readings, ...'--mu 2 --json --save whole.bin'.split(' '));
    expect(whole.status).toBe(0);
    const words = [...readings, '--mu', '2', '--ndjson'];
    expect((await ldpkit(...words, ...'--players 12 --save a.bin'.split(' '))).status).toBe(0);
    expect((await ldpkit(...words, ...'--players 1777 --resume a.bin --save a.bin'.split(' '))).status).toBe(0);
    const rest = await ldpkit(...readings, ...'--mu 2 --json --resume a.bin --save b.bin'.split(' '));
    expect(readFileSync(join(folder, 'b.bin'))).toEqual(readFileSync(join(folder, 'whole.bin')));
    const [first, second]: StreamRunDocument[] = [whole, rest].map(({ stdout }) => JSON.parse(stdout));
    expect(second.estimate).toEqual(first.estimate);
    expect(second.checkpoints).toEqual(first.checkpoints.slice(-1 - 1));
    expect([first.resumedFrom, second.resumedFrom]).toEqual([0, 1777]);
    // With other coins for the second part it is another state.
    await ldpkit(...words, ...'--resume a.bin --seed other --save c.bin'.split(' '));
    expect(readFileSync(join(folder, 'c.bin'))).not.toEqual(readFileSync(join(folder, 'whole.bin')));
  });

  test('is refused under another plan, with no players left, or where it is no state', async () => {
    await ldpkit(...readings, ...'--players 100 --ndjson --save d.bin'.split(' '));
    writeFileSync(join(folder, 'cut.bin'), readFileSync(join(folder, 'd.bin')).subarray(0, -100));
    for (const [words, message] of [
      ['--resume d.bin --mu 3', '"resume" expected a state of the plan with digest'],
      ['--resume d.bin --players 100', '"players" expected more than the 100 in the saved state, got 100'],
      ['--resume readings.csv', '"resume" expected the bytes of a saved stream, got "readings.csv"'],
      ['--resume cut.bin', '"resume" expected what was saved: its checksum does not fit, got "cut.bin"'],
      ['--resume nothing.bin', '"resume" expected a file that can be read, got "nothing.bin"'],
      ['--save .', '"save" expected a file in a folder that is there, got "."'],
    ]) {
      const { status, stdout, stderr } = await ldpkit(...readings, ...words.split(' '), '--json');
      expect({ words, status, stdout }).toEqual({ words, status: 2, stdout: '' });
      expect(stderr).toContain(message);
    }
  });
});

describe('ldpkit run online-sgd on the records of a file', () => {
  test('prints a line of JSON for every moment, and nothing else', async () => {
    const { status, stdout } = await ldpkit(...readings, ...'--epsilon 4 --level 0.9 --ndjson'.split(' '));
    expect(status).toBe(0);
    const lines: StreamCheckpoint[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ players }) => players)).toEqual([10, 20, 50, 100, 200, 500, 1000, 2000, 4000]);
    expect(Object.keys(lines[8])).toEqual(['players', 'until', 'estimate']);
    const { theta, intervals, level, method } = lines[8].estimate;
    expect([theta.length, intervals?.length, level, method]).toEqual([3, 3, 0.9, 'random scaling']);
  });

  test('finds what the records were made of, in their unit, with every variant of a budget', async () => {
    const runs = ['--epsilon 8', '--epsilon 8 --variant gaussian', '--mu 4', '--epsilon 8 --grade deployment'];
    const endings = await Promise.all(runs.map((words) => ldpkit(...readings, ...words.split(' '), '--json')));
    const documents: StreamRunDocument[] = endings.map(({ stdout }) => JSON.parse(stdout));
    expect(documents.map(({ variant, grade, sorted }) => [variant, grade, sorted])).toEqual([
      ['privUnit', 'simulation', true],
      ['gaussian', 'simulation', true],
      ['gdp', 'simulation', true],
      ['privUnit', 'deployment', true],
    ]);
    for (const { baselines, metrics } of documents) {
      // Intercept 6, 10 for the speed from −1 to 1, 4 between the kinds; standard errors are about 0.05.
      const differences = [6, 10, 4].map((value, i) => Math.abs(baselines.nonPrivate.theta[i] - value));
      expect(Math.max(...differences)).toBeLessThan(0.3);
      expect(metrics.distance).toBeLessThan(2);
    }
  });

  test.each(['batch-means', 'plug-in', 'disjoint-batch-means', 'none'])(
    'knows the method %s or says why not',
    async (method) => {
      const { status, stdout, stderr } = await ldpkit(...readings, '--method', method, '--json');
      if (method.endsWith('batch-means')) {
        // ⌊4000^.245⌋; the records are read, for nobody knew how many there are, and nobody plays.
        const message = `"method" expected random-scaling, or more players: ${method} need 10 batches, which 4000 players do not make`;
        expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
        expect(stderr).toContain('reading the records\n');
        expect(stderr).not.toContain('playing');
        return;
      }
      const { estimate, metrics }: StreamRunDocument = JSON.parse(stdout);
      expect(estimate.method).toBe(method.replaceAll('-', ' ').replace('plug in', 'plug-in'));
      expect([estimate.intervals === null, metrics.coverage === null]).toEqual([method === 'none', method === 'none']);
    },
  );

  test('says of batch means of few batches that their intervals hold less often, and names no effect', async () => {
    // ⌊4000^.4⌋ batches.
    const words = [...readings, ...'--method batch-means --alpha 0.2'.split(' ')];
    const { estimate, uncertainty }: StreamRunDocument = JSON.parse((await ldpkit(...words, '--json')).stdout);
    expect([estimate.fewBatches, uncertainty]).toEqual([27, null]);
    const text = (await ldpkit(...words)).stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('intervals of so few batches hold less often than they say');
    expect(text).toContain('batch means have 27 batches here');
  });

  test('a second release of every player is in the certificate', async () => {
    const words = '--mu 1 --hessian-mu 0.5 --method plug-in --burn-in 1000 --json'.split(' ');
    const { guarantee, certificate, checkpoints }: StreamRunDocument = JSON.parse(
      (await ldpkit(...readings, ...words)).stdout,
    );
    expect(guarantee).toEqual({ kind: 'gdp', mu: Math.hypot(1, 0.5) });
    expect(certificate.releases).toHaveLength(2);
    expect(checkpoints.map(({ players }) => players)).toEqual([2000, 4000]);
  });
});

describe('the floor of the Hessian', () => {
  test('where it is told lengths may rest on it, and the run says so', async () => {
    const words = '--method plug-in --hessian-floor 2 --json'.split(' ');
    const { estimate }: StreamRunDocument = JSON.parse((await ldpkit(...readings, ...words)).stdout);
    expect(estimate.raisedHessian).toBeGreaterThan(0);
    const { stdout } = await ldpkit(...readings, '--method', 'plug-in', '--hessian-floor', '2');
    expect(stdout).toMatch(/Intervals: plug-in, level 0.95; (?:1 eigenvalue|\d eigenvalues) raised to the floor/);
  });

  test('where it is not told and needed, intervals are refused at the end, and the state is kept', async () => {
    const words = '--mu 0.3 --players 100 --method plug-in --json --save floor.bin'.split(' ');
    const { status, stdout, stderr } = await ldpkit(...readings, ...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /wrote floor\.bin\nldpkit: "hessian-floor" expected a number > 0, or more players: eigenvalues of the Hessian are below 0\.01\n$/,
    );
    expect(stderr).not.toContain('undefined');
    // With a floor the state that was kept goes on.
    const again = [
      ...words.slice(0, 2),
      ...'--method plug-in --hessian-floor 0.1 --json --resume floor.bin'.split(' '),
    ];
    const resumed = await ldpkit(...readings, ...again);
    expect([resumed.status, JSON.parse(resumed.stdout).resumedFrom]).toEqual([0, 100]);
  });
});

describe('options that cannot be', () => {
  test('are refused by name, with nothing on the standard output', async () => {
    for (const [words, message] of [
      ['--players 4001', '"players" expected a whole number from 1 to 4000, got 4001'],
      ['--burn-in 4000', '"burn-in" expected fewer than the 4000 players, got 4000'],
      ['--grade deployment', '"grade" expected simulation'],
      ['--json --ndjson', '"ndjson" expected not to be given with --json'],
      ['--alpha 1 --ndjson', '"alpha" expected below 1 for intervals'],
      ['--alpha 1 --method disjoint-batch-means', '"alpha" expected below 1 for intervals'],
      [
        '--method batch-means --players 2000',
        'ldpkit: "method" expected random-scaling, or more players: batch-means need',
      ],
      ['--method batch-means --ndjson', '"method" expected random-scaling, or more players'],
      ['--hessian-floor 1', '"hessian-floor" expected none: only plug-in'],
      ['--method plug-in --hessian-floor 0', '"hessian-floor" expected a finite number > 0'],
      ['--repetitions 3', '"repetitions" expected none: online-sgd is a stream'],
    ]) {
      const { status, stdout, stderr } = await ldpkit(...readings, ...words.split(' '));
      expect({ words, status, stdout }).toEqual({ words, status: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });

  test('those of streams are refused elsewhere', async () => {
    const { status, stderr } = await ldpkit('run', 'hinge', '--ndjson');
    expect([status, stderr]).toEqual([2, 'ldpkit: "ndjson" expected none: hinge is no stream of players, got true\n']);
  });
});

describe('the other commands know the protocol', () => {
  test('ldpkit list names it with its variants', async () => {
    const { stdout } = await ldpkit('list');
    expect(stdout).toMatch(/^online-sgd: robust linear regression.*\n {2}variants: privUnit, gdp, gaussian, /m);
  });

  test('ldpkit certify certifies all variants, and ldpkit verify verifies what it printed', async () => {
    const { status, stdout } = await ldpkit(
      ...'certify online-sgd --mu 0.5 --epsilon 2 --dimension 5 --json'.split(' '),
    );
    // 3: printedGdp is not certified.
    expect(status).toBe(3);
    const documents: readonly { readonly variant: string; readonly request: object; readonly claimed: object }[] =
      JSON.parse(stdout);
    expect(documents.map(({ variant }) => variant)).toEqual(
      'privUnit gdp gaussian laplace printedGaussian printedGdp'.split(' '),
    );
    expect(documents[1].request).toEqual({
      variant: 'gdp',
      model: { kind: 'huber', features: 5 },
      mu: 0.5,
      grade: 'simulation',
    });
    expect(documents[0].claimed).toEqual({ kind: 'pure', epsilon: 2 });
    write('certificates.json', stdout);
    const verified = await ldpkit('verify', 'certificates.json');
    expect([verified.status, verified.stdout.match(/: verified$/gm)?.length]).toEqual([3, 6]);
    write('forged.json', stdout.replace('"mu": 0.5', '"mu": 0.25'));
    const forged = await ldpkit('verify', 'forged.json');
    expect([forged.status, forged.stdout.match(/: verified$/gm)?.length]).toEqual([3, 5]);
  });

  test('in a deployment only variants with integers are certified', async () => {
    const { stdout } = await ldpkit('certify', 'online-sgd', '--grade', 'deployment', '--json');
    const variants = (JSON.parse(stdout) as readonly { readonly variant: string }[]).map(({ variant }) => variant);
    expect(variants).toEqual(['privUnit', 'gaussian']);
  });

  test('ldpkit audit attacks the player of a step and refutes nothing', async () => {
    const words = 'audit online-sgd --variant gdp --mu 1 --trials 1e5 --dimension 3 --json';
    const { status, stdout } = await ldpkit(...words.split(' '));
    const { verdict, lowerBound, claimed, mu } = JSON.parse(stdout);
    expect({ status, verdict, claimed, mu }).toEqual({
      status: 0,
      verdict: 'consistent',
      claimed: { kind: 'gdp', mu: 1 },
      mu: 1,
    });
    // The attack on a Gaussian at its largest distance is sharp: a μ of 0.9 is an ε of 4.3 at δ = 1e-6.
    expect(lowerBound).toBeGreaterThan(4);
  });

  test('ldpkit audit finds the printed noise too small, and says so with its exit code (control)', async () => {
    const words = 'audit online-sgd --variant printedGdp --mu 0.25 --trials 2e5 --dimension 3';
    const { status, stdout } = await ldpkit(...words.split(' '));
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Claimed: Gaussian, μ = 0\.25; .*REFUTED$/m);
    expect(stdout).toContain('Verdict: VIOLATION');
  });

  test('ldpkit forecast says what to expect by the limit law', async () => {
    const words = 'forecast online-sgd --players 100000 --dimension 3 --mu 1 --epsilon 1 --json'.split(' ');
    const { status, stdout } = await ldpkit(...words);
    expect(status).toBe(0);
    const { rows } = JSON.parse(stdout) as {
      rows: readonly { variant: string; error: number; floor: number; half: number }[];
    };
    const of = (name: string) => rows.find(({ variant }) => variant === name)!;
    expect(of('privUnit').error).toBeLessThan(of('laplace').error / 2);
    expect(of('gdp').error).toBe(of('printedGdp').error);
    for (const { error, floor, half } of rows) {
      expect(error).toBeGreaterThan(floor);
      expect(half / error).toBeCloseTo(1.959964, 5);
    }
    const { stdout: text } = await ldpkit(...words.slice(0, -1));
    expect(text).toMatch(/^gdp +μ = 1 +0\.0\d+ +0\.00\d+ +± 0\.0\d+$/m);
  });

  test('ldpkit forecast knows every model of one inner product that is not clipped', async () => {
    const errors = await Promise.all(
      ['huber', 'expectile --tau 0.9', 'quantile --tau 0.9 --bandwidth 0.2', 'logistic'].map(async (model) => {
        const words = `forecast online-sgd --variant gdp --dimension 3 --model ${model} --json`;
        const { status, stdout } = await ldpkit(...words.split(' '));
        expect(status).toBe(0);
        const { rows, spread } = JSON.parse(stdout);
        expect(spread).toBe(model === 'logistic' ? undefined : 0.5);
        return rows[0].error;
      }),
    );
    expect(new Set(errors).size).toBe(4);
  });

  test.each([
    ['forecast online-sgd --model linear', 'not clipped, which moves its minimiser, for a forecast, got "linear"'],
    [
      'forecast online-sgd --model multinomial',
      '"model" expected one with one inner product, for a forecast, got "multinomial"',
    ],
    ['forecast online-sgd --model logistic --spread 1', '"spread" expected none: responses of logistic are labels'],
    ['forecast online-sgd --tau 0.5', '"tau" expected none: the model huber has none'],
    ['certify online-sgd --classes 3', '"classes" expected none: the model huber has none, got 3'],
    ['audit online-sgd --model logistic --classes 4', '"classes" expected none: the model logistic has none, got 4'],
    ['certify hinge --mu 1', '"mu" expected none: the budget of hinge is in ε, got "1"'],
    ['audit user-level-mean --mu 1', '"mu" expected none: the budget of user-level-mean is in ε, got "1"'],
    ['forecast hinge --mu 1', '"mu" expected none: the budget of hinge is in ε, got "1"'],
    [
      'forecast online-sgd --loss hinge',
      '"loss" expected none: online-sgd is a stream, in which each player answers once, got "hinge"',
    ],
    ['audit online-sgd --round 0', '"round" expected none: online-sgd has no rounds, got "0"'],
    ['audit online-sgd --variant nonPrivate', '"variant" expected one of privUnit, gdp'],
  ])('refuses %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit(...words.split(' '));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
