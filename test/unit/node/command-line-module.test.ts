import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { commandHost } from './command-host.ts';
import { PEOPLE_SCHEMA, peopleCsv, ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('records.csv', 'age\n40\n'));
const host = commandHost();
const ldpkit = (...words: readonly string[]) => host(folder, words);

// The protocol of docs/extending.md, as its designer compiles it.
beforeAll(() => {
  buildSync({
    entryPoints: [join(ROOT, 'test/protocols/defined/bits.ts')],
    outfile: join(folder, 'bits.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    alias: {
      ldpkit: join(ROOT, 'dist/src/index.js'),
      'ldpkit/mechanism': join(ROOT, 'dist/src/mechanism/index.js'),
      'ldpkit/privacy': join(ROOT, 'dist/src/privacy/index.js'),
    },
    mainFields: ['module', 'main'],
  });
  write(
    'default.mjs',
    "import { bits } from './bits.mjs';\nexport const other = { ...bits, name: 'other' };\nexport { bits as default, bits };\n",
  );
  write(
    'two.mjs',
    "import { bits } from './bits.mjs';\nexport const other = { ...bits, name: 'other' };\nexport { bits };\n",
  );
  const forecast = "() => ({ what: 'error', assumption: 'none', error: 0 / 0, floor: 0 })";
  write(
    'nowhere.mjs',
    `import { bits } from './bits.mjs';\nexport const wrong = { ...bits, theory: { ...bits.theory, forecast: ${forecast} } };\n`,
  );
  const library = JSON.stringify(`file://${join(ROOT, 'dist/src/index.js')}`);
  write(
    'half.mjs',
    `import { defineProtocol } from ${library};\nexport default defineProtocol({ name: 'half', version: 1 });\n`,
  );
  write(
    'uncertified.mjs',
    `import { bits } from './bits.mjs';
const theory = {
  ...bits.theory,
  certificate(parameters) {
    const certificate = bits.theory.certificate(parameters);
    const totals = certificate.totals.map((total) => ({ ...total, withinClaim: false }));
    return { ...certificate, claimed: { kind: 'pure', epsilon: 0.5 }, totals };
  },
  forecast: ${forecast},
};
const trial = { about: 'all alike', names: () => ['first'], datum: () => 0, truth: () => [1], found: (_, { frequencies }) => [frequencies[0]] };
const protocol = { ...bits, theory };
export const study = { kind: 'plain', protocol, request: ${REQUEST}, trial };
export const unforecast = { ...study, protocol: { ...protocol, theory: { ...theory, forecast: undefined } } };
`,
  );
  write(
    'mistaken.mjs',
    "import { unforecast } from './uncertified.mjs';\nconst found = (no) => no.such();\nexport const study = { ...unforecast, trial: { ...unforecast.trial, found } };\n",
  );
  for (const [file, field] of [
    ['nameless.mjs', 'names: () => 5'],
    ['lost.mjs', 'found: () => undefined'],
  ]) {
    const study = `{ ...unforecast, trial: { ...unforecast.trial, ${field} } }`;
    write(file, `import { unforecast } from './uncertified.mjs';\nexport const study = ${study};\n`);
  }
  write(
    'silent.mjs',
    "import { bits } from './bits.mjs';\nexport const silent = { ...bits, theory: { ...bits.theory, forecast: () => undefined } };\n",
  );
  write('unforecast.mjs', "export { unforecast as study } from './uncertified.mjs';\n");
  write('getter.mjs', 'export default { get name() { throw new Error("no name today"); } };\n');
  write('none.mjs', 'export const name = "bits";\nexport const make = () => ({});\n');
  write(
    'study.mjs',
    `export { study } from ${JSON.stringify(`file://${join(ROOT, 'dist/protocols/hinge/protocol.js')}`)};\n`,
  );
  write(
    'own-forecast.mjs',
    `import { study as whole } from './study.mjs';
const found = { bias: 0, noise: 0, excessRisk: 0.25, deviation: 0, floor: 0 };
const forecaster = ({ dimension }) => ({ degree }) => {
  if (degree > 1) throw new RangeError('"degree" expected at most 1, got ' + degree);
  return { ...found, excessRisk: dimension + degree / 4 };
};
export const study = { ...whole, variants: ['lifted'], plan: undefined, forecaster };
`,
  );
  write(
    'unknown.mjs',
    "import { bits } from './bits.mjs';\nexport const study = { kind: 'toString', protocol: bits };\n",
  );
  write(
    'lacking.mjs',
    "import { study as whole } from './study.mjs';\nconst { variants, ...study } = whole;\nexport { study };\n",
  );
  write('request.json', REQUEST);
});

const REQUEST = '{"epsilon":2,"categories":4}';

describe('a module file in the place of a protocol', () => {
  test('is audited by worker threads, under the name of its protocol', async () => {
    const words = ['--request', REQUEST, '--trials', '40000', '--threads', '2', '--json'];
    const { status, stdout, stderr } = await ldpkit('audit', './bits.mjs', ...words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'attacking category-bits (defined)\n' });
    const { protocol, epsilon, categories, verdict, lowerBound, trials } = JSON.parse(stdout);
    expect({ protocol, epsilon, categories, verdict, trials }).toEqual({
      protocol: 'category-bits',
      epsilon: 2,
      categories: 4,
      verdict: 'consistent',
      trials: 40_000,
    });
    // The seed is fixed; a bound is above the truth with probability 0.01 at most.
    expect(lowerBound).toBeGreaterThan(1.5);
    expect(lowerBound).toBeLessThanOrEqual(2);
  });

  test('is forecast by worker threads: what its forecaster refuses is refused, or is no row where another degree has one', async () => {
    const forecast = (...words: readonly string[]) =>
      ldpkit('forecast', './own-forecast.mjs', '--dimension', '3', ...words);
    const { status, stdout } = await forecast('--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).rows).toMatchObject([{ variant: 'lifted', degree: 0, excessRisk: 3 }]);
    const refused = await forecast('--degree', '2');
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('ldpkit: "degree" expected at most 1, got 2\n');
  });

  test('is certified, and what is printed is verified with it and by nothing else', async () => {
    const { status, stdout } = await ldpkit('certify', './bits.mjs', '--request', 'request.json', '--json');
    expect(status).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      protocol: 'category-bits',
      claimed: { kind: 'pure', epsilon: 2 },
      request: JSON.parse(REQUEST),
    });
    write('certificate.json', stdout);
    write('tampered.json', JSON.stringify({ ...document, claimed: { kind: 'pure', epsilon: 1 } }));
    const [verified, tampered, alone] = await Promise.all([
      ldpkit('verify', 'certificate.json', '--protocol', './bits.mjs'),
      ldpkit('verify', 'tampered.json', '--protocol', './bits.mjs'),
      ldpkit('verify', 'certificate.json'),
    ]);
    expect([verified.status, tampered.status, alone.status]).toEqual([0, 3, 3]);
    expect(verified.stdout).toMatch(/^category-bits \(defined\): verified\n/);
    expect(tampered.stdout).toContain('claimed.epsilon: expected 2, got 1');
    expect(alone.stdout).toContain('protocol: expected one of euclidean-median, ');
  });

  test('is forecast by what its protocol says', async () => {
    const { status, stdout } = await ldpkit('forecast', './bits.mjs', '--request', REQUEST, '--players', '1e4');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^category-bits: 10,000 players, .*\nassumed: a rare category; no data\n\nstandard error of one frequency: 0\.00\d+\n/,
    );
  });

  test('is refused where it forecasts what is no number', async () => {
    const { status, stdout, stderr } = await ldpkit('forecast', './nowhere.mjs', '--request', REQUEST);
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: 'ldpkit: "forecast.error" expected a finite number >= 0, got NaN\n',
    });
  });

  test('is verified with a word where its certificate does not imply its claim, and then promises nothing', async () => {
    const { status: certified, stdout } = await ldpkit('certify', './unforecast.mjs', '--json');
    write('uncertified.json', stdout);
    const { status, stdout: verified } = await ldpkit('verify', 'uncertified.json', '--protocol', './unforecast.mjs');
    expect([certified, status, verified.split('\n').slice(0, 3)]).toEqual([
      3,
      3,
      [
        'category-bits (defined): verified',
        '  claimed: pure, ε = 0.5',
        '  NOT certified: none of its totals implies this claim',
      ],
    ]);
    const run = await ldpkit('run', './unforecast.mjs', '--players', '64', '--repetitions', '2');
    expect(run.stdout).toMatch(/^the promise +Nothing: pure, ε = 2 is claimed, and none of the totals/m);
  });

  test('is not run where it forecasts what is no number', async () => {
    const { status, stderr } = await ldpkit('run', './uncertified.mjs', '--players', '64', '--repetitions', '2');
    expect([status, stderr]).toEqual([
      2,
      'playing category-bits\nldpkit: "forecast.error" expected a finite number >= 0, got NaN\n',
    ]);
  });

  test('is not run where a function of its trial makes a mistake, which is told without a stack', async () => {
    const { status, stdout, stderr } = await ldpkit('run', './mistaken.mjs', '--players', '64');
    const message = '"study.trial.found" expected a function that answers, got no.such is not a function';
    expect([status, stdout, stderr]).toEqual([2, '', `playing category-bits\nldpkit: ${message}\n`]);
  });

  test.each([
    ['run ./nameless.mjs', '"trial.names" expected a list of one or more texts, got 5'],
    ['run ./lost.mjs', '"trial.found" expected 1 finite numbers, one for each name, got undefined'],
    [`forecast ./silent.mjs --request ${REQUEST}`, '"forecast" expected an object, got undefined'],
  ])('is refused where a function of it answers with something else: %s', async (words, message) => {
    const { status, stderr } = await ldpkit(...words.split(' '));
    expect([status, stderr.split('\n').at(-2)]).toEqual([2, `ldpkit: ${message}`]);
  });

  test('may have its protocol as its default export, or a study, whose options it then has', async () => {
    const [one, other] = await Promise.all([
      ldpkit('certify', './default.mjs', '--request', REQUEST, '--json'),
      ldpkit('certify', './study.mjs', '--variant', 'lifted', '--json'),
    ]);
    expect(JSON.parse(one.stdout).protocol).toBe('category-bits');
    expect(JSON.parse(other.stdout)).toMatchObject({ protocol: 'hinge', variant: 'lifted' });
  });

  test('is run where it exports a study', async () => {
    write('people.json', JSON.stringify(PEOPLE_SCHEMA));
    write('people.csv', peopleCsv(60));
    const words = ['--data', 'people.csv', '--schema', 'people.json', '--threads', '1', '--json'];
    const { status, stdout } = await ldpkit('run', './study.mjs', ...words);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).protocol).toBe('hinge');
  });

  test('has the options of its own in its help', async () => {
    const { stdout } = await ldpkit('audit', './bits.mjs', '--help');
    expect(stdout).toMatch(/^ {2}--request <json> /m);
    expect(stdout).not.toMatch(/--(?:epsilon|variant|degree) /);
  });

  test.each([
    [
      'certify ./none.mjs',
      '"protocol" expected a module that exports a protocol (see defineProtocol), got "./none.mjs"',
    ],
    [
      'certify ./two.mjs',
      '"protocol" expected a module that exports one protocol, or one of them as its default export, not category-bits, other, got "./two.mjs"',
    ],
    [
      'certify ./getter.mjs',
      '"protocol" expected a module whose exports can be read (a getter of one throws), got "./getter.mjs"',
    ],
    ['certify ./half.mjs', '"make" expected a function, got undefined'],
    ['certify ./missing.mjs', '"protocol" expected a module file that is there, got "./missing.mjs"'],
    [
      'certify records.csv',
      '"protocol" expected a module that Node loads (node FILE says what is wrong with it), got "records.csv"',
    ],
    [
      'certify ./unknown.mjs',
      '"study" expected one of the kinds records, points, users, stream, model, survey, plain, got "toString"',
    ],
    ...['run', 'certify', 'audit', 'forecast'].map((command) => [
      `${command} ./lacking.mjs`,
      '"study.variants" expected a list of one or more texts, got undefined',
    ]),
    [
      'certify ./bits.mjs',
      '"request" expected an object of JSON, or a file with one, of which the protocol makes parameters, got "none"',
    ],
    ['certify ./bits.mjs --request [1]', '"request" expected a file that can be read, got "[1]"'],
    ['certify ./bits.mjs --request {', '"request" expected an object of JSON, got "{"'],
    ['certify ./bits.mjs --request {"epsilon":0}', '"epsilon" expected a finite number > 0, got 0'],
    [
      'certify ./bits.mjs --epsilon 1',
      '"epsilon" expected none: the request of category-bits (--request) says everything, got "1"',
    ],
    [
      'run ./bits.mjs',
      '"protocol" expected one that can be played: a study of records, or with a trial that makes up players, got "category-bits"',
    ],
  ])('is refused with what was expected: %s', async (words, message) => {
    expect(await ldpkit(...words.split(' '))).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});
