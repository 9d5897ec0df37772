import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RefusedValue } from '../../check/refusal.ts';
import { fileRefusal, writeTogether } from '../files.ts';
import { print } from '../print.ts';
import { BEGINNING, endOf, ROUNDS_COLLECTION, ROUNDS_FILE, STREAM_COLLECTION, STREAM_FILE } from './new-interactive.ts';

/** What a definition takes for a name; it is also the name of a folder. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The kinds of protocols that there is a beginning of: one report, rounds, or a stream. */
export const NEW_KINDS = ['one-shot', 'rounds', 'stream'] as const;

type NewKind = (typeof NEW_KINDS)[number];

/**
 * `ldpkit new`: writes a folder with a protocol that works, its broken twin, its tests and its README.
 * @throws RangeError for a name that no protocol can have, and for a folder that is there.
 */
export async function startProtocol(name: string, kind: NewKind): Promise<void> {
  if (!NAME.test(name) || name.length > 40) {
    throw new RefusedValue('name', 'at most 40 lower-case letters and digits, words joined by hyphens', name);
  }
  if (name === 'broken') throw new RefusedValue('name', 'another one than that of the broken twin', name);
  if (await lstat(resolve(name)).catch(() => undefined)) {
    throw fileRefusal('name', 'a folder that is not there yet', name);
  }
  const files = await writeTogether('name', name, newProtocol(name, kind));
  print([
    ...files.map((file) => `wrote ${file}`),
    '',
    `Next: cd ${name}`,
    `  npx ldpkit audit ./${name}.mjs      an attack that finds nothing`,
    '  npx ldpkit audit ./broken.mjs      one that finds the mistake: exit code 3',
    `  npx ldpkit run ./${name}.mjs        made-up players, and a page`,
    '  node --test                        its tests',
  ]);
}

/** The files of a new protocol by their names: a small sound one that a designer changes part by part. */
function newProtocol(name: string, kind: NewKind): Readonly<Record<string, string>> {
  // No word of the language or of the files begins like this.
  const variable = `my${name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`;
  const fill = (text: string): string => text.replaceAll('NAME', name).replaceAll('PROTOCOL', variable);
  const { protocol, broken, test, readme } = TEMPLATES[kind];
  return {
    [`${name}.mjs`]: fill(protocol),
    'broken.mjs': fill(broken),
    [`${name}.test.mjs`]: fill(test),
    'README.md': fill(readme),
  };
}

const PROTOCOL_FILE = `// How often each of k categories occurs, from k noisy bits of each player. Change it part by part into your own.
import { checkInteger, checkPositive, defineProtocol } from 'ldpkit';
import { COIN_UNITS, exactCoin, twoLevels, uniform } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

/** How a bit is kept: two data differ in two bits, their own and the other's, so each bit has half of epsilon. */
export const coin = (epsilon) => twoLevels(epsilon, 1, 1, 2);

${BEGINNING}    // 1. What everybody must know, from the request alone.
    make(request) {
      const epsilon = checkPositive('epsilon', request.epsilon);
      const categories = checkInteger('categories', request.categories, 2, 1024);
      const { keep, contrast } = coinOf(epsilon);
      return { epsilon, categories, keep, contrast };
    },
    // 2. What a player may hold, and what a device makes of anything else: it refuses nothing.
    datum: {
      expected: 'a whole number from 0 to below the number of categories',
      accepts: ({ categories }, value) => Number.isInteger(value) && value >= 0 && value < categories,
      clip: ({ categories }, value) => Math.min(typeof value === 'number' && value > 0 ? Math.floor(value) : 0, categories - 1),
    },
    // 3. What travels.
    report: { values: 'uint32', length: ({ categories }) => categories, accepts: (_, report) => report.every((bit) => bit < 2) },
    // 4. The channel: a bit for each category, 1 for one's own; every bit is kept with probability keep/2^53, exactly.
    channel: {
      deployment({ keep }, category, random, report) {
        for (let i = 0; i < report.length; i++) report[i] = exactCoin(keep, random) === (i === category) ? 1 : 0;
      },
    },
    // 5. What the server keeps: sums.
    tally: {
      sums: ({ categories }) => ({ ones: categories }),
      add(_, { ones }, report) {
        for (let i = 0; i < report.length; i++) ones[i] += report[i];
      },
    },
    // 6. The estimator, unbiased: a bit is 1 with probability "stray", and "contrast" more where the category is one's own.
    estimate({ keep, contrast }, { players, sums }) {
      const stray = 1 - keep / COIN_UNITS;
      return { players, frequencies: Array.from(sums.ones, (ones) => (ones / players - stray) / contrast) };
    },
    // 7. The claim, release by release.
    privacy: {
      guarantee: ({ epsilon }) => pure(epsilon),
      releases: ({ epsilon }) => [
        { what: 'the bits', count: 1, mechanism: 'randomized bits', sensitivity: 2, scale: 2 / epsilon, guarantee: pure(epsilon) },
      ],
      neighbourDistance: () => Math.SQRT2,
    },
    // 8. What an attacker knows: a worst pair of data, and how much likelier a report is under the first of them.
    audit: {
      pairs: ({ categories }) => [{ name: 'first and last', first: 0, second: categories - 1 }],
      logLikelihoodRatio({ keep }, { first, second }) {
        const step = Math.log(keep / (COIN_UNITS - keep));
        return (report) => (first === second ? 0 : 2 * step * (report[first] - report[second]));
      },
    },
    // 9. What to expect of one frequency: the noise of n bits, and of who is asked.
    forecast({ keep, contrast }, { players }) {
      const p = keep / COIN_UNITS;
      const error = Math.sqrt((p * (1 - p)) / players) / contrast;
      return { what: 'standard error of one frequency', assumption: 'a rare category', error, floor: 0 };
    },
  };
}

${endOf(
  'defineProtocol',
  "{ epsilon: 1, categories: 12, grade: 'deployment' }",
  `    about: 'low categories are more frequent than high ones',
    names: ({ categories }) => Array.from({ length: categories }, (_, i) => \`category \${i}\`),
    datum: ({ categories }, random) => Math.floor(categories * uniform(random) ** 2),
    truth: ({ categories }, data) =>
      Array.from({ length: categories }, (_, i) => data.filter((category) => category === i).length / data.length),
    found: (_, estimate) => estimate.frequencies,`,
)}`;

/** The tests that every new protocol has. */
const LAWS = `test('it keeps the laws of a protocol', () => assertContract(PROTOCOL, cases));
test('and the laws notice each way to break it', () => assertControls(PROTOCOL, cases));

test('its certificate verifies', () => {
  const certificate = certify(PROTOCOL, PROTOCOL.make(request), request);
  assert.ok(verifyCertificate(PROTOCOL, JSON.parse(JSON.stringify(certificate))).verified);
});
`;

const TEST_FILE = `// node --test: the laws of the contract, their controls, the certificate, the audit of both twins, and the rate of the error.
import assert from 'node:assert/strict';
import test from 'node:test';
import { certify, seededRandom, verifyCertificate } from 'ldpkit';
import { audit } from 'ldpkit/audit';
import { simulate } from 'ldpkit/simulate';
import { assertContract, assertControls, measuredMean, rateFit, ratePoints, slopeClaim } from 'ldpkit/testing';
import broken from './broken.mjs';
import PROTOCOL, { study } from './NAME.mjs';

const { request } = study;
const cases = [
  {
    name: 'the request of the study',
    make: () => PROTOCOL.make(request),
    others: [PROTOCOL.make({ ...request, epsilon: 2 }), PROTOCOL.make({ ...request, grade: 'simulation' })],
    data: [0, 1, 2, 5, 7, 11],
    refused: { null: null, 'a text': '3.16227766', 'a fraction': 3.16227766, 'too much': 1234567.5, 'a list': [3] },
  },
];

${LAWS}
// Bounds hold with probability 0.99, so a sound protocol is refuted by one seed in a hundred at most; the seed is fixed.
const attack = { trials: 100_000, random: seededRandom('audit') };
const verdict = (protocol) => audit({ ...protocol, parameters: protocol.make(request) }, attack).verdict;
test('an audit refutes nothing', () => assert.equal(verdict(PROTOCOL), 'consistent'));
test('and it refutes the broken twin', () => assert.equal(verdict(broken), 'violation'));

test('its mean square error falls like 1/n', () => {
  const parameters = PROTOCOL.make(request);
  const sizes = [100, 400, 1600];
  const means = sizes.map((players) => {
    // A third of the players is in category 3.
    const population = { players, datum: (index) => (index % 3 === 0 ? 3 : 8) };
    const truth = Math.ceil(players / 3) / players;
    const squares = Array.from({ length: 300 }, (_, seed) => {
      const tally = simulate(PROTOCOL, parameters, population, { seed: \`\${players} \${seed}\` });
      return (PROTOCOL.server.estimate(parameters, tally).frequencies[3] - truth) ** 2;
    });
    return measuredMean(squares);
  });
  // Off by chance for less than one seed in a thousand (see DEVIATIONS in ldpkit/testing); the seeds are fixed.
  const fit = rateFit(ratePoints(sizes, means));
  assert.ok(slopeClaim({ what: 'slope of the mean square error', expected: -1 }, fit).met);
  // The control: another rate is not met.
  assert.ok(!slopeClaim({ what: 'slope of the mean square error', expected: -0.5 }, fit).met);
});
`;

const README_FILE = `# NAME

How often each of k categories occurs, from k noisy bits of each player; pure epsilon. Written by \`ldpkit new\`.

| file | what it is |
|---|---|
| NAME.mjs | the protocol, in nine parts, and the made-up players that \`run\` plays it with |
| broken.mjs | the control: the same with a mistake, which the audit must notice |
| NAME.test.mjs | the laws of a protocol, certificate, audit and rate, with a control each |

    npx ldpkit audit ./NAME.mjs           # consistent
    npx ldpkit audit ./broken.mjs         # VIOLATION, exit code 3
    npx ldpkit certify ./NAME.mjs
    npx ldpkit forecast ./NAME.mjs --players 1e5
    npx ldpkit run ./NAME.mjs             # a table, out/result.json and out/report.html
    node --test                           # all of the tests

Node finds \`ldpkit\` where it is installed: \`npm install ldpkit\` in this folder or above it.

Change one part at a time and run the audit after each. What each part has to keep: the guide "Design your own protocol" and
docs/extending.md of ldpkit.
`;

/** The broken twin of a protocol, which has other coins than it claims. */
function brokenTwin(define: string, mistake: string, imported: string, coin: string): string {
  return `// The control: the same protocol with a mistake${mistake} The audit must notice.
import { ${define} } from 'ldpkit';
${imported}

const broken = ${define}(definition('NAME-broken', (epsilon) => ${coin}));

export const study = { ...sound, protocol: broken };

export default broken;
`;
}

/** The same of a protocol in rounds or of a stream, whose bits have twice the epsilon that is claimed. */
function surerTwin(define: string): string {
  const imported = "import { coin, definition, study as sound } from './NAME.mjs';";
  return brokenTwin(define, ', coins that are twice as sure as the claim says.', imported, 'coin(2 * epsilon)');
}

const INTERACTIVE_TEST = `// node --test: the laws of the contract, their controls, the certificate, and a real collection of devices and a server.
import assert from 'node:assert/strict';
import test from 'node:test';
import { certify, open, seededRandom, verifyCertificate } from 'ldpkit';
import { assertContract, assertControls } from 'ldpkit/testing';
import PROTOCOL, { study } from './NAME.mjs';

const { request } = study;
const cases = [
  {
    name: 'the request of the study',
    make: () => PROTOCOL.make(request),
    others: [PROTOCOL.make({ ...request, epsilon: 1 }), PROTOCOL.make({ ...request, grade: 'simulation' })],
    data: Array.from({ length: 12 }, (_, i) => (i + 0.5) / 12),
    refused: { null: null, 'a text': '3.16227766', 'a negative number': -2.2360679, 'too much': 1234567.5, 'a list': [0.5] },
  },
];

${LAWS}
COLLECTION
`;

function interactiveReadme(about: string, tests: string): string {
  return README_FILE.replace(/How often each .* pure epsilon\./, about)
    .replace('in nine parts', 'in ten parts')
    .replace('certificate, audit and rate, with a control each', tests);
}

const TESTS = 'the certificate, and a collection of devices and a server';

const BROKEN_FILE = brokenTwin(
  'defineProtocol',
  ` that is easily made. As if two data differed in one bit, every bit gets all
// of epsilon, and the claim stays what it was.`,
  `import { twoLevels } from 'ldpkit/mechanism';
import { definition, study as sound } from './NAME.mjs';`,
  'twoLevels(epsilon, 1, 1)',
);

/** The files of each kind, with NAME and PROTOCOL in the place of the name. */
const TEMPLATES: Readonly<Record<NewKind, Readonly<Record<'protocol' | 'broken' | 'test' | 'readme', string>>>> = {
  'one-shot': { protocol: PROTOCOL_FILE, broken: BROKEN_FILE, test: TEST_FILE, readme: README_FILE },
  rounds: {
    protocol: ROUNDS_FILE,
    broken: surerTwin('defineRounds'),
    test: INTERACTIVE_TEST.replace('COLLECTION', ROUNDS_COLLECTION),
    readme: interactiveReadme('A mean in two rounds: a pilot, and bits around what it found; pure epsilon.', TESTS),
  },
  stream: {
    protocol: STREAM_FILE,
    broken: surerTwin('defineStream'),
    test: INTERACTIVE_TEST.replace('COLLECTION', STREAM_COLLECTION),
    readme: interactiveReadme('A quantile from a stream of bits, each about the current guess; pure epsilon.', TESTS),
  },
};
