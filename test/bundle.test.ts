import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type BuildResult, build, transform } from 'esbuild';
import { frequency } from '../protocols/frequency/index.ts';
import { direct, lifted, sampled } from '../protocols/hinge/index.ts';
import { mean } from '../protocols/mean/index.ts';
import { programsOf } from './documentation/markdown.ts';

/** What a page needs to answer one query of the hinge protocol, and nothing else. */
const ANSWER = `
  export function answer({ agreed }, datum) {
    const { player, report, make } = liftedHinge;
    const parameters = make(agreed.request);
    return report.encode(parameters, player.randomize(parameters, datum, secureRandom()));
  }
`;

/** From the rooms themselves. */
const ROOMS = `
  import { liftedHinge } from './protocols/hinge/player.ts';
  import { secureRandom } from './src/random/secure.ts';
  ${ANSWER}
`;

/** From what the package exports: the bundler leaves out what is not used. */
const EXPORTS = `
  import { liftedHinge } from './protocols/hinge/index.ts';
  import { secureRandom } from './src/index.ts';
  ${ANSWER}
`;

/**
 * The device of docs/trust.md, word by word: the imports and the lines from "On a device" to the server's part, whose request and
 * digest come from outside. A page that prints another program has this one measured.
 */
function printedDevice(page: string): string {
  const program = programsOf('docs/trust.md', page).find(({ code }) => code.includes('deployedPlayer('))?.code ?? '';
  const device = /^\/\/ On a device\..*\n([\s\S]*?)^\/\/ On the server/m.exec(program)?.[1];
  if (device === undefined)
    throw new Error('docs/trust.md expected a program with "// On a device." and "// On the server"');
  const imports = program.match(/^import .*$/gm) ?? [];
  const answered = device.replace(
    /const bytes = (player\.report\()\{.*\}\);/,
    'export const answer = (datum) => $1datum);',
  );
  return [...imports, 'const { request, digest } = globalThis.agreed;', answered]
    .join('\n')
    .replaceAll(/'ldpkit(\/[^']*)?'/g, (_, entry) =>
      entry === undefined ? "'./src/index.ts'" : `'.${entry}/index.ts'`,
    );
}

/** The same device for many answers: every one is another occasion. */
const DEVICE = `
  import { createLedger, deployedPlayer, memoryStore, pureCap } from './src/index.ts';
  import { liftedHinge } from './protocols/hinge/index.ts';
  const ledger = createLedger({ cap: pureCap(100), store: memoryStore() });
  let count = 0;
  export function answer({ agreed }, datum) {
    return deployedPlayer(liftedHinge, agreed, { ledger, occasion: String(count++) }).report(datum);
  }
`;

/** 12 kB: less than a small picture. */
const LARGEST = 12_000;

/** Traces in a metafile of what must not be on a player's device. */
const UNWANTED =
  /(?:^|\/)node_modules\/(?:ml-matrix|mathjs|seedrandom)\/|^node:|\/src\/node\/|(?:^|\/)src\/(?:random|simulation)\/[a-z-]*(?:kernel|block-players)/;

/** A query of a few dimensions. */
const REQUEST = { dimension: 3, degree: 2, epsilon: 1, grade: 'deployment' } as const;
const QUERIES = {
  direct: { agreed: direct(REQUEST) },
  lifted: { agreed: lifted(REQUEST) },
  sampled: { agreed: sampled(REQUEST) },
} as const;
const DATUM = { features: [0.6, 0, -0.8], label: 1 };

interface Bundle {
  readonly code: string;
  /** Every file that was read. */
  readonly inputs: readonly string[];
  /** The files of which something is left in the code. */
  readonly used: readonly string[];
}

const root = resolve(__dirname, '..');

/** One file for a browser. A module of Node makes the build itself fail, since the platform has none. */
async function bundle(contents: string): Promise<Bundle> {
  const result: BuildResult<{ write: false; metafile: true }> = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(result.metafile.outputs);
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    code: result.outputFiles[0].text,
    inputs: Object.keys(result.metafile.inputs),
    used: used.map(([path]) => path),
  };
}

/** The exports of a bundle that was run with the language, Web Crypto and text encoding only. */
async function runBare(
  code: string,
  agreed?: unknown,
): Promise<{ readonly answer: (query: unknown, datum: unknown) => Uint8Array }> {
  const script = await transform(code, { format: 'iife', globalName: 'page' });
  const context = createContext({ crypto: globalThis.crypto, TextEncoder, TextDecoder, agreed });
  runInContext(script.code, context);
  return runInContext('page', context);
}

/** The same program for another variant. */
const forVariant = (variant: string, program: string): string =>
  program.replaceAll('liftedHinge', `${variant}Hinge`).replace('hinge/index.ts', 'hinge/player.ts');

describe.each([
  ['its rooms', ROOMS, 'lifted'],
  ["the package's exports", EXPORTS, 'lifted'],
  ['the program of a safe device', DEVICE, 'lifted'],
  ["the package's exports, for sampled", forVariant('sampled', EXPORTS), 'sampled'],
  ['the program of a safe device, for sampled', forVariant('sampled', DEVICE), 'sampled'],
  ["the package's exports, for direct", forVariant('direct', EXPORTS), 'direct'],
  ['the program of a safe device, for direct', forVariant('direct', DEVICE), 'direct'],
] as const)('the player of the hinge protocol in a browser, imported from %s,', (place, entry, variant) => {
  let player: Bundle;
  beforeAll(async () => {
    player = await bundle(entry);
  });

  test(`weighs at most ${LARGEST} bytes, minified and gzipped`, () => {
    const weight = gzipSync(player.code, { level: 9 }).length;
    const sizes = `${player.code.length} bytes minified, ${weight} bytes gzipped`;
    process.stderr.write(`hinge player from ${place}: ${sizes}\n`);
    expect(weight).toBeLessThanOrEqual(LARGEST);
    expect(weight).toBeGreaterThan(1000);
  });

  test('carries no matrix library, no seeded coins and nothing of Node', () => {
    expect(player.used).toContain('protocols/generalized-linear/device.ts');
    expect(player.used.filter((path) => UNWANTED.test(path))).toEqual([]);
    expect(player.code).not.toMatch(/node:|\brequire\(|\bprocess\./);
  });

  test('answers a query where only the language, Web Crypto and TextEncoder exist', async () => {
    const page = await runBare(player.code);
    const first = page.answer(QUERIES[variant], DATUM);
    const second = page.answer(QUERIES[variant], DATUM);
    expect(Object.prototype.toString.call(first)).toBe('[object Uint8Array]');
    expect(first.length).toBeGreaterThan(0);
    // Fresh coins: two answers of the same person differ.
    expect([...second]).not.toEqual([...first]);
  });
});

/** Simple statistics: the program of a safe device of each, asked for the variants with the most code. */
const SURVEYS = [
  ['frequency', frequency.make({ epsilon: 1, categories: 40, grade: 'deployment' }), 7],
  ['mean', mean.make({ epsilon: 4, bounds: [[-60, 240]], grade: 'deployment' }), 12.5],
] as const;

test.each(SURVEYS)(
  'the program of a safe device of %s is as small, and answers in a browser',
  async (name, agreed, datum) => {
    const player = await bundle(
      DEVICE.replaceAll('liftedHinge', `${name}Player`).replace(
        'protocols/hinge/index.ts',
        `protocols/${name}/player.ts`,
      ),
    );
    const weight = gzipSync(player.code, { level: 9 }).length;
    process.stderr.write(`${name} player from the program of a safe device: ${weight} bytes gzipped\n`);
    expect(weight).toBeLessThanOrEqual(LARGEST);
    expect(player.used.filter((path) => UNWANTED.test(path) || /server|study|simulation/.test(path))).toEqual([]);
    const page = await runBare(player.code);
    expect(page.answer({ agreed }, datum).length).toBeGreaterThan(0);
  },
);

describe('the device that docs/trust.md prints', () => {
  const page = readFileSync(join(root, 'docs/trust.md'), 'utf8');
  const { agreed } = QUERIES.lifted;
  const { request, digest } = agreed;
  let player: Bundle;
  beforeAll(async () => {
    player = await bundle(printedDevice(page));
  });

  test(`weighs at most ${LARGEST} bytes, as the page says`, () => {
    const weight = gzipSync(player.code, { level: 9 }).length;
    process.stderr.write(`the device of docs/trust.md: ${weight} bytes gzipped\n`);
    expect(weight).toBeLessThanOrEqual(LARGEST);
    expect(weight).toBeGreaterThan(1000);
    const [, said] = /the program above is ([\d.]+) kB/.exec(page)!;
    expect(Math.abs(weight / 1000 - Number(said))).toBeLessThan(0.15);
    expect(player.used.filter((path) => UNWANTED.test(path))).toEqual([]);
  });

  const answerOf = async (sent: unknown) =>
    (await runBare(player.code, sent)).answer as unknown as (datum: unknown) => Uint8Array;

  test('answers a request once', async () => {
    const answer = await answerOf({ request, digest });
    expect(answer(DATUM).length).toBeGreaterThan(0);
    expect(() => answer(DATUM)).toThrow();
  });

  test('refuses a request that is not that of its digest, and one beyond the cap of its owner', async () => {
    // Both refusals come while the program is loaded or when it answers: never an answer.
    const tried = async (sent: unknown) => (await answerOf(sent))(DATUM);
    await expect(tried({ request: { ...request, epsilon: 2 }, digest })).rejects.toThrow('digest');
    const greedy = lifted({ ...REQUEST, epsilon: 3 });
    await expect(tried({ request: greedy.request, digest: greedy.digest })).rejects.toThrow();
    await expect(tried({ request, digest })).resolves.toHaveProperty('length');
  });

  test('is what is measured: another page gives another program, and one without a device none', async () => {
    const heavier = page.replaceAll('liftedHinge', 'hinge');
    const { code } = await bundle(printedDevice(heavier));
    expect(gzipSync(code, { level: 9 }).length).toBeGreaterThan(LARGEST);
    expect(() => printedDevice('# Nothing')).toThrow('docs/trust.md expected');
  });
});

test('the player of the hinge protocol does not even read what it must not carry', async () => {
  const { inputs } = await bundle(ROOMS);
  expect(inputs.filter((path) => UNWANTED.test(path))).toEqual([]);
});

describe('in a browser all of the library but its Node floor', () => {
  const entries = [
    'src/index.ts',
    ...['privacy', 'mechanism', 'inference', 'polynomial', 'optimize', 'audit', 'simulation', 'testing'].map(
      (floor) => `src/${floor}/index.ts`,
    ),
    'src/risk/expression/index.ts',
    ...readdirSync(join(root, 'protocols')).map((name) => `protocols/${name}/index.ts`),
  ];

  test.each(entries)('loads: %s', async (entry) => {
    const { code, inputs } = await bundle(`export * from './${entry}';`);
    expect(inputs).toContain(entry);
    expect(Object.keys(await runBare(code)).length).toBeGreaterThan(0);
  });
});

describe('the checks themselves catch', () => {
  test('a module of Node', async () => {
    await expect(bundle("import { randomFillSync } from 'node:crypto'; randomFillSync;")).rejects.toThrow(
      'node:crypto',
    );
  });

  test('a matrix library, whose weight is above the limit', async () => {
    const { code, inputs, used } = await bundle("export * from 'ml-matrix';");
    expect(inputs.some((path) => UNWANTED.test(path))).toBe(true);
    expect(used.some((path) => UNWANTED.test(path))).toBe(true);
    expect(gzipSync(code, { level: 9 }).length).toBeGreaterThan(LARGEST);
  });

  test('seeded coins', async () => {
    const { inputs } = await bundle("import seedrandom from 'seedrandom'; export const coin = seedrandom('1');");
    expect(inputs.some((path) => UNWANTED.test(path))).toBe(true);
  });

  test('a global of Node or of a page', async () => {
    for (const name of ['Buffer', 'process', 'setTimeout', 'performance', 'document']) {
      const { code } = await bundle(`export const answer = () => ${name}.toString();`);
      const page = await runBare(code);
      expect(() => page.answer(undefined, undefined)).toThrow(`${name} is not defined`);
    }
  });
});
