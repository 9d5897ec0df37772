import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { RefusedKind } from '../../../src/check/refusal.ts';
import { commandsOf } from '../../../src/node/studies.ts';
import { programsOf } from '../../documentation/markdown.ts';
import { bits } from '../../protocols/defined/bits.ts';
import { commandHost } from './command-host.ts';
import { ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('empty.json', '{}'));
const host = commandHost();
const ldpkit = (words: string) => host(folder, words.split(' '));

/** A module with four commands of its own, each with an option that no other protocol has. */
const OWN = `
import { bits } from './extending.mjs';
const petals = { flags: '--petals <number>', help: 'how many petals', read: (name, typed) => {
  if (!(Number(typed) > 0)) throw new RangeError('"' + name + '" expected a number of petals, got ' + typed);
  return Number(typed);
}, otherwise: '5' };
const wilted = { flags: '--half-wilted', help: 'whether half of it is wilted' };
const request = { epsilon: 1, categories: 4 };
const parameters = () => bits.make(request);
const certificate = { schema: 'ldpkit-certificate', schemaVersion: 1, ...bits.theory.certificate(parameters()) };
export const study = { protocol: bits, commands: {
  run: { offers: 'petals', options: { petals, halfWilted: wilted }, notes: '\\nNotes on petals.', does: ({ petals, halfWilted = false }) => ({
    document: { protocol: bits.name, title: 'flowers', seed: 'none', petals, halfWilted },
    result: async () => ({
      verdict: { learnt: 'Petals: ' + petals + '.', distance: 'None.', cost: 'None.', promise: 'None.' },
      tiles: [], about: [], parts: [{ heading: 'Flowers', rows: [['petals'], [String(petals)]] }],
    }),
  }) },
  certify: { offers: 'petals', options: { petals }, does: async () => (await import('LDPKIT')).certify === undefined ? [] : [(await import('LDPKIT')).certify(bits, parameters(), request)] },
  audit: { offers: 'petals', options: { petals }, does: ({ petals }) => ({ request: { ...request, petals }, variant: 'flower', grade: 'simulation', delta: 1e-6 }),
    target: () => ({ player: bits.player, auditing: bits.auditing, parameters: parameters(), claimed: bits.theory.guarantee(parameters()) }) },
  forecast: { offers: 'petals', options: { petals }, does: ({ petals }) => ({ document: { petals }, lines: ['petals to come: ' + petals] }) },
} };
`;

const does = () => undefined;
const run = (options: object) => ({ run: { offers: 'x', options, does } });

/** Commands of another shape, and what is said of them. */
const SHAPES: Readonly<Record<string, readonly [commands: unknown, said: string]>> = {
  text: ['run', '"study.commands" expected an object with some of run, certify, audit, forecast, got "run"'],
  command: [{ run: 'x' }, '"study.commands.run" expected a command: offers, options and does, got "x"'],
  offers: [{ run: { options: {}, does } }, '"study.commands.run.offers" expected a text, got undefined'],
  does: [{ run: { offers: 'x', options: {} } }, '"study.commands.run.does" expected a function, got undefined'],
  options: [
    { run: { offers: 'x', does } },
    '"study.commands.run.options" expected an object of options, got undefined',
  ],
  target: [
    { audit: { offers: 'x', options: {}, does } },
    '"study.commands.audit.target" expected a function, got undefined',
  ],
  flags: [
    run({ x: { flags: '-x', help: '' } }),
    '"study.commands.run.options.x.flags" expected --name, or --name <value>, got "-x"',
  ],
  name: [
    run({ y: { flags: '--x', help: '' } }),
    '"study.commands.run.options.y" expected the name that its flags make, got "--x"',
  ],
  taken: [
    run({ out: { flags: '--out <x>', help: '' } }),
    '"study.commands.run.options.out" expected a name that the command itself does not use, got "out"',
  ],
  read: [
    run({ x: { flags: '--x', help: '', read: does } }),
    '"study.commands.run.options.x.read" expected a function, for a value, got a function',
  ],
};

/** Commands of a module that come to something of another shape. */
const WRONG: Readonly<Record<string, readonly [commands: string, said: string]>> = {
  outcome: ["{ run: { offers: 'x', options: {}, does: () => 3 } }", '"run.document" expected an object, got undefined'],
  document: [
    "{ run: { offers: 'x', options: {}, does: () => ({ document: { protocol: 'x' }, result() {} }) } }",
    '"run.document.title" expected a text, got undefined',
  ],
  verdict: [
    "{ run: { offers: 'x', options: {}, does: () => ({ document: { protocol: 'x', title: 'x', seed: 'x' }, result: () => ({ verdict: {} }) }) } }",
    '"result.verdict.learnt" expected a verdict, got undefined',
  ],
  bigint: [
    "{ run: { offers: 'x', options: {}, does: () => ({ document: { protocol: 'x', title: 'x', seed: 'x', players: 3n }, result() {} }) } }",
    '"document" expected what JSON has: no bigint, and nothing inside itself',
  ],
  refusal: ["{ run: { offers: 'x', options: {}, async does() { throw new RangeError('not today') } } }", 'not today'],
};

beforeAll(() => {
  const [{ code }] = programsOf('docs/extending.md', readFileSync(join(ROOT, 'docs/extending.md'), 'utf8'));
  write('extending.ts', code.replace(/\nassert\w+\(.*\);|\nconsole\.log\(.*\);/g, ''));
  const entry = (name: string) => [
    name === 'index' ? 'ldpkit' : `ldpkit/${name}`,
    join(ROOT, `dist/src/${name}/index.js`),
  ];
  const entries = ['mechanism', 'privacy', 'audit', 'testing', 'node'].map(entry);
  buildSync({
    entryPoints: [join(folder, 'extending.ts')],
    outfile: join(folder, 'extending.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: [join(ROOT, 'dist/*')],
    alias: {
      ...Object.fromEntries(entries),
      'ldpkit/simulate': join(ROOT, 'dist/src/simulation/index.js'),
      ldpkit: join(ROOT, 'dist/src/index.js'),
    },
  });
  write('own.mjs', OWN.replaceAll('LDPKIT', `file://${join(ROOT, 'dist/src/index.js')}`));
  for (const [name, [commands]] of Object.entries(WRONG)) {
    write(
      `wrong-${name}.mjs`,
      `import { bits } from './extending.mjs';\nexport const study = { protocol: bits, commands: ${commands} };\n`,
    );
  }
});

describe('the module of docs/extending.md', () => {
  test('has a run of its own, with its options, a table and a page', async () => {
    const { status, stdout } = await ldpkit('run ./extending.mjs --share 0.2 --players 1000 --out results');
    expect(status).toBe(0);
    expect(stdout).toContain('In the clear it is 0.2.');
    expect(stdout).toMatch(/^players +estimate$/m);
    const document = JSON.parse(readFileSync(join(folder, 'results/result.json'), 'utf8'));
    expect(document).toMatchObject({ protocol: 'category-bits', share: 0.2, version: expect.any(String) });
    expect(document.command).toBe('ldpkit run ./extending.mjs --share 0.2 --players 1000 --out results');
    const page = readFileSync(join(folder, 'results/report.html'), 'utf8');
    expect(page).toContain('<svg');
    expect(page).toContain('In the clear it is 0.2.');
  });

  test('has the other commands of its kind', async () => {
    const [certified, forecast] = await Promise.all([
      ldpkit('certify ./extending.mjs --json'),
      ldpkit('forecast ./extending.mjs'),
    ]);
    expect(JSON.parse(certified.stdout)).toMatchObject({
      protocol: 'category-bits',
      request: { epsilon: 1, categories: 4 },
    });
    expect(forecast.stdout).toContain('standard error of one frequency');
  });

  test.each([
    ['--share 0', '"share" expected a finite number > 0, got 0'],
    ['--players 3', '"players" expected a whole number >= 100, got 3'],
    ['--epsilon 3', '"epsilon" expected none: the request of category-bits (--request) says everything, got "3"'],
  ])('refuses %s', async (words, message) => {
    expect(await ldpkit(`run ./extending.mjs ${words}`)).toEqual({
      status: 2,
      stdout: '',
      stderr: `ldpkit: ${message}\n`,
    });
  });
});

describe('a module with its own commands only', () => {
  test('answers run, forecast, certify and audit', async () => {
    const [run, forecast, certified, audited] = await Promise.all([
      ldpkit('run ./own.mjs --petals 7 --half-wilted --json'),
      ldpkit('forecast ./own.mjs --petals 8'),
      ldpkit('certify ./own.mjs --petals 3'),
      ldpkit('audit ./own.mjs --petals 4 --trials 20000 --threads 1 --json'),
    ]);
    expect(JSON.parse(run.stdout)).toMatchObject({ title: 'flowers', petals: 7, halfWilted: true });
    expect(forecast.stdout).toBe('petals to come: 8\n');
    expect(certified.stdout).toMatch(/^Certificate of category-bits/);
    expect(JSON.parse(audited.stdout)).toMatchObject({ petals: 4, verdict: 'consistent' });
    expect([run, forecast, certified, audited].map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  });

  test('shows its own options in its help, and writes its page', async () => {
    const { stdout } = await ldpkit('run ./own.mjs --help');
    expect(stdout).toMatch(/^ {2}--petals <number> +how many petals \(default: 5\)$/m);
    expect(stdout).toContain('Notes on petals.');
    expect(stdout).not.toMatch(/--(?:epsilon|variant) /);
    await ldpkit('run ./own.mjs --out page');
    expect(existsSync(join(folder, 'page/report.html'))).toBe(true);
  });

  test.each([
    ['run ./own.mjs --petals x', 'ldpkit: "petals" expected a number of petals, got x\n'],
    ['run ./own.mjs --epsilon 1', 'ldpkit: "epsilon" expected none: category-bits has no such option, got "1"\n'],
    ['run ./own.mjs --thorns 1', "error: unknown option '--thorns'\n"],
  ])('refuses %s', async (words, stderr) => {
    expect(await ldpkit(words)).toEqual({ status: 2, stdout: '', stderr });
  });
});

test.each(Object.entries(SHAPES))('commands of another shape are refused: %s', (_, [commands, said]) => {
  expect(() => commandsOf({ protocol: bits as never, commands }, 'a word')).toThrow(new RefusedKind(said));
});

test.each(Object.entries(WRONG))('what they come to in another shape is refused: %s', async (name, [, said]) => {
  expect(await ldpkit(`run ./wrong-${name}.mjs`)).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${said}\n` });
});
