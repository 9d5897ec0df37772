import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  computedImports,
  danglingImports,
  evidenceImports,
  FLOORS,
  foreignImports,
  heavyPlayers,
  importCycles,
  nodeImports,
  playerMeetsServer,
  playgroundImports,
  strayExpressions,
  undeclaredPackages,
  upwardImports,
} from './architecture/arrows.ts';
import { SOUND } from './architecture/fixture.ts';
import { type Project, parseProject, readTexts, type Texts } from './architecture/project.ts';
import { plainErrors, readMessages } from './architecture/refusals.ts';
import { emptyProject, missingRooms, protocolsOf, ROOMS, thinPages } from './architecture/rooms.ts';
import { coinsOfServers, dataOfServers, datumTypes, idleHolders, serversOf } from './architecture/sides.ts';
import {
  badNames,
  classes,
  enums,
  hiddenCoins,
  longFiles,
  nodeGlobals,
  strayParsing,
  strayPrinting,
} from './architecture/words.ts';

/** A rule, and broken variants of the sound little project, each of which the rule must catch. */
interface Rule {
  readonly sentence: string;
  readonly violations: (project: Project) => string[];
  readonly controls: Readonly<Record<string, Texts>>;
}

const without = (...paths: readonly string[]): Texts =>
  Object.fromEntries(Object.entries(SOUND).filter(([path]) => !paths.includes(path)));

const player = 'protocols/coin/player.ts';
const server = 'protocols/coin/server.ts';
const page = 'protocols/coin/README.md';

const rules: readonly Rule[] = [
  {
    sentence: 'the project is all there',
    violations: emptyProject,
    controls: {
      'no protocol': Object.fromEntries(Object.entries(SOUND).filter(([path]) => !path.startsWith('protocols/'))),
      'no entry point': without('src/index.ts'),
      'no command': without('src/node/main.ts'),
      'an empty floor': without('src/numeric/matrix.ts'),
    },
  },
  {
    sentence: 'every relative import leads to a file',
    violations: danglingImports,
    controls: {
      'a missing file': { 'src/check/a.ts': "import { b } from './b.ts';" },
      'a missing extension': { 'src/check/a.ts': "import { first } from './number';" },
      'a built file without a source': { 'test/bench.mjs': "import { a } from '../dist/src/check/a.js';" },
      'a file that would be emitted': { 'src/check/a.ts': "import { first } from './number.js';" },
    },
  },
  {
    sentence: 'outside src/node no import is computed',
    violations: computedImports,
    controls: { 'a dynamic import': { 'src/check/a.ts': "const name = 'x'; await import(name);" } },
  },
  {
    sentence: 'arrows between the floors of src lead downwards only',
    violations: upwardImports,
    controls: {
      'an import': { 'src/check/a.ts': "import { oracle } from '../optimize/oracle.ts';" },
      'a type': { 'src/numeric/a.ts': "import type { random } from '../random/random.ts';" },
      'a re-export': { 'src/risk/a.ts': "export * from '../optimize/oracle.ts';" },
      'an import() type': { 'src/check/a.ts': "let a: import('../random/random.ts').Random;" },
      'a dynamic import': { 'src/check/a.ts': "await import('../random/random.ts');" },
      'the index from below': { 'src/check/a.ts': "import { oracle } from '../index.ts';" },
      'node from the index': { 'src/index.ts': "export * from './node/index.ts';" },
      'a protocol from src': { 'src/optimize/a.ts': "import '../../protocols/coin/index.ts';" },
      'a test from src': { 'src/node/main.ts': "import '../../test/coin.test.ts';" },
      'an unknown floor': { 'src/attic/a.ts': '' },
      'a file beside the floors': { 'src/a.ts': '' },
    },
  },
  {
    sentence: 'no file imports itself by way of others',
    violations: importCycles,
    controls: {
      'two files': {
        'src/check/a.ts': "import { b } from './b.ts';\nexport const a = b;",
        'src/check/b.ts': "import type { a } from './a.ts';\nexport const b = 1;",
      },
      'three files': {
        'src/check/a.ts': "import './b.ts';",
        'src/check/b.ts': "import './c.ts';",
        'src/check/c.ts': "import './a.ts';",
      },
      itself: { 'src/check/a.ts': "import './a.ts';" },
    },
  },
  {
    sentence: 'a protocol imports only src, its own rooms and the protocols that it stands on',
    violations: foreignImports,
    controls: {
      'another protocol': { 'protocols/dice/theory.ts': "import { error } from '../coin/theory.ts';" },
      'against the order': {
        'protocols/user-level-mean/a.ts': "import '../user-level-erm/theory.ts';",
        'protocols/user-level-erm/theory.ts': '',
      },
      'a package': { 'protocols/coin/theory.ts': "import { Matrix } from 'ml-matrix';" },
      'the Node floor': { 'protocols/coin/theory.ts': "import '../../src/node/index.ts';" },
      'a test': { 'protocols/coin/theory.ts': "import '../../test/coin.test.ts';" },
    },
  },
  {
    sentence: 'the evidence imports public entries only',
    violations: evidenceImports,
    controls: {
      'a file of the library': { 'test/evidence/a.ts': "import { first } from '../../src/check/number.ts';" },
      'an index by its path': {
        'test/evidence/coin/a.ts': "import type { error } from '../../../protocols/coin/index.ts';",
      },
      'a unit test': { 'test/evidence/a.ts': "import '../coin.test.ts';" },
    },
  },
  {
    sentence: 'the playground imports public entries only',
    violations: playgroundImports,
    controls: {
      'a file of the library': { 'playground/a.ts': "import { first } from '../src/check/number.ts';" },
      'a type of it': { 'playground/a.ts': "import type { error } from '../protocols/coin/index.ts';" },
      'the entry for Node': { 'playground/a.ts': "import 'ldpkit/node';" },
      'a module of Node': { 'playground/a.ts': "import 'node:fs';" },
      'another package': { 'playground/a.ts': "import 'd3-scale';" },
      'a namesake': { 'playground/a.ts': "import 'ldpkit-more';" },
    },
  },
  {
    sentence: 'a player and a server never reach each other',
    violations: playerMeetsServer,
    controls: {
      'a player that imports the server': { [player]: "import { estimate } from './server.ts';" },
      'a server that imports the player': { [server]: "import { randomize } from './player.ts';" },
      'a type': { [server]: "import type { randomize } from './player.ts';" },
      'the way by the index': { [player]: "import { estimate } from './index.ts';" },
      'the way by another room': { 'protocols/coin/report.ts': "export * from './server.ts';" },
    },
  },
  {
    sentence: 'servers and reports draw no coins, and reach neither secret coins nor a player',
    violations: coinsOfServers,
    controls: {
      'a server': { [server]: "import { random } from '../../src/random/random.ts';" },
      'a report': { 'protocols/coin/report.ts': "import type { Random } from '../../src/random/random.ts';" },
      'secret coins on the way': {
        'src/random/secure.ts': 'export const secure = 1;',
        'src/optimize/oracle.ts': "import { secure } from '../random/secure.ts';\nexport const oracle = secure;",
        [server]: "import { oracle } from '../../src/optimize/oracle.ts';\nexport const estimate = oracle;",
      },
      'a part of a player': {
        'protocols/coin/wide-player.ts': 'export const randomize = 1;',
        'protocols/coin/theory.ts': "import { randomize } from './wide-player.ts';\nexport const error = randomize;",
        [server]: "import { error } from './theory.ts';\nexport const estimate = error;",
      },
      'a draw on the way': {
        'src/optimize/draw.ts':
          "import type { Random } from '../random/random.ts';\nexport const draw = (coins: Random): number => coins();",
        'protocols/coin/theory.ts': "import { draw } from '../../src/optimize/draw.ts';\nexport const error = draw;",
        [server]: "import { error } from './theory.ts';\nexport const estimate = error;",
      },
      'an answer that a player draws': {
        'protocols/coin/answer.ts':
          'export function answer(y: number, random: () => number): number { return y + random(); }',
        'protocols/coin/tallying.ts': "import { answer } from './answer.ts';\nexport const add = answer;",
      },
      'what a protocol makes a server of': {
        'protocols/coin/fold.ts': "import { randomize } from './player.ts';\nexport const fold = randomize;",
        'protocols/coin/protocol.ts': "import { fold } from './fold.ts';\nexport const coin = { rounds: [fold] };",
      },
    },
  },
  {
    sentence: 'servers, decoders and tallies reach nothing that takes a datum',
    violations: dataOfServers,
    controls: {
      'a report in a folder, and the record beside it': {
        'protocols/coin/margin/record.ts':
          "import type { CoinDatum as Side } from '../record.ts';\nexport function signed(one: Side): number { return one.side; }",
        'protocols/coin/margin/report.ts': "import { signed } from './record.ts';\nexport const decode = signed;",
      },
      'an import that nothing uses': { [server]: "import './record.ts';\nexport const estimate = 1;" },
      'a tally, and the local mean of a player': {
        'protocols/coin/local-mean.ts':
          "import type { CoinDatum } from './record.ts';\nexport const localMean = (all: readonly CoinDatum[]): number => all.length;",
        'protocols/coin/scalar/tallying.ts':
          "import { localMean } from '../local-mean.ts';\nexport const add = localMean;",
      },
      'the state of a stream, and a gradient of src': {
        'src/risk/gradient.ts':
          'export function fill(model: number, datum: unknown): unknown { return [model, datum]; }',
        'src/inference/sum.ts': "import { fill } from '../risk/gradient.ts';\nexport const sum = fill;",
        'protocols/coin/state.ts': "import { sum } from '../../src/inference/sum.ts';\nexport const accept = sum;",
      },
      'a channel with a function of a datum': {
        'protocols/coin/wide-channel.ts':
          "import type { CoinDatum } from './record.ts';\nexport const channel = { logRatio({ side }: CoinDatum) { return side; } };",
      },
      'what a protocol makes a server of': {
        'protocols/coin/fold.ts': "import { sideOf } from './record.ts';\nexport const fold = sideOf;",
        'protocols/coin/protocol.ts': "import { fold } from './fold.ts';\nexport const coin = { rounds: fold };",
      },
      'a datum in the file of a mechanism, which coins alone are excused in': {
        'src/mechanism/a.ts': 'export const draw = (datum: number, random: () => number): number => datum + random();',
        [server]: "import { draw } from '../../src/mechanism/a.ts';\nexport const estimate = draw;",
      },
    },
  },
  {
    sentence: 'nothing outside src/node imports Node',
    violations: nodeImports,
    controls: {
      'a module of Node': { 'src/random/a.ts': "import { randomFillSync } from 'node:crypto';" },
      'a module of Node under its bare name': { 'src/random/a.ts': "import { readFile } from 'fs/promises';" },
      'a dynamic import': { 'src/random/a.ts': "await import('node:crypto');" },
      'a package that needs Node': { 'src/random/a.ts': "import { program } from 'commander';" },
      'the Node floor from a protocol': { [player]: "import '../../src/node/main.ts';" },
      'a module of Node in a protocol': { [player]: "import 'node:fs';" },
    },
  },
  {
    sentence: 'nothing outside src/node uses a global of Node',
    violations: nodeGlobals,
    controls: {
      process: { 'src/check/a.ts': 'export const a = process.env;' },
      Buffer: { [player]: 'export const a = Buffer.from([1]);' },
      'by globalThis': { 'src/check/a.ts': 'export const a = globalThis.process;' },
    },
  },
  {
    sentence: 'every imported package is among the dependencies',
    violations: undeclaredPackages,
    controls: {
      'an undeclared package': { 'src/numeric/a.ts': "import 'valibot';" },
      'a part of a scoped one': { 'src/numeric/a.ts': "import { hmac } from '@noble/hashes/hmac.js';" },
    },
  },
  {
    sentence: 'no player reaches ml-matrix or mathjs',
    violations: heavyPlayers,
    controls: {
      directly: { [player]: "import { Matrix } from 'ml-matrix';" },
      'by two others': {
        [player]: "import { printed } from './parameters.ts';",
        'protocols/coin/parameters.ts': "import { oracle } from '../../src/optimize/oracle.ts';",
      },
      'a part of mathjs': { [player]: "await import('mathjs/number');" },
    },
  },
  {
    sentence: 'only the entry for expressions loads mathjs, and only the Node floor builds on it',
    violations: strayExpressions,
    controls: {
      'mathjs on another floor': { 'src/numeric/a.ts': "import { parse } from 'mathjs';" },
      'mathjs in Node': { 'src/node/a.ts': "await import('mathjs/number');" },
      'the entry from the index': { 'src/index.ts': "export * from './risk/expression/index.ts';" },
      'the entry from its own floor': { 'src/risk/a.ts': "import { read } from './expression/index.ts';" },
      'the entry from a protocol': {
        'protocols/coin/theory.ts': "import { read } from '../../src/risk/expression/index.ts';",
      },
    },
  },
  {
    sentence: 'Math.random and Date.now appear nowhere, tests included',
    violations: hiddenCoins,
    controls: {
      'in src': { 'src/check/a.ts': 'export const a = Math.random();' },
      'in a protocol': { [player]: 'export const a = Date.now();' },
      'in a test': { 'test/a.test.ts': 'const a = Math.random;' },
      'in a script': { 'test/run.mjs': 'export const a = globalThis.Date.now();' },
      'in brackets': { 'src/check/a.ts': "export const a = Math['random']();" },
      'taken apart': { 'src/check/a.ts': 'const { log, random } = Math;' },
      'taken apart and renamed': { 'src/check/a.ts': 'const { now: start } = Date;' },
    },
  },
  {
    sentence: 'every protocol has all its rooms',
    violations: missingRooms,
    controls: {
      ...Object.fromEntries(ROOMS.map((room) => [`no ${room}`, without(`protocols/coin/${room}`)])),
      'a second protocol with one room': { 'protocols/dice/index.ts': '' },
      'a central protocol without its curator': {
        'protocols/dice/README.md': '# dice\n\nCentral model: a curator throws.\n',
        'protocols/dice/parameters.ts': '',
        'protocols/dice/theory.ts': '',
        'protocols/dice/index.ts': '',
      },
      'a file outside the protocols': { 'protocols/index.ts': '' },
    },
  },
  {
    sentence: 'the page of every protocol covers its subjects, its rooms and its variants',
    violations: thinPages,
    controls: {
      'a stub': { [page]: (SOUND[page] ?? '').slice(0, 300) },
      'a silence about the guarantee': { [page]: (SOUND[page] ?? '').replaceAll('guarantee', 'promise') },
      'a silence about a room': { [page]: (SOUND[page] ?? '').replaceAll('server', 'collector') },
      'an undocumented variant': { 'protocols/coin/parameters.ts': 'export const lifted = () => 1;' },
      'no variant': { 'protocols/coin/parameters.ts': 'export const lifted = 1;' },
    },
  },
  {
    sentence: 'only one file prints, and escapes what it prints',
    violations: strayPrinting,
    controls: {
      'an output of the process': { 'src/node/a.ts': "process.stdout.write('a');" },
      'an error of the process': { 'src/node/main.ts': "process.stderr.write('a');" },
      'in brackets': { 'src/node/a.ts': "process['stdout'].write('a');" },
      'taken apart': { 'src/node/a.ts': 'const { stderr } = process;' },
      'taken apart and renamed': { 'src/node/a.ts': 'const { stdout: out } = process;' },
      'the console': { [player]: "console.log('a');" },
      'an import': { 'src/node/a.ts': "import { stdout as out } from 'node:process';" },
    },
  },
  {
    sentence: 'JSON of others is parsed in one place',
    violations: strayParsing,
    controls: { 'a parser': { 'src/node/a.ts': "JSON.parse('{}');" } },
  },
  {
    sentence: 'whoever refuses says so by a class',
    violations: plainErrors,
    controls: {
      'an error of the language': { 'src/core/a.ts': "throw new RangeError('a');" },
      'of another kind': { [player]: "export const refuse = () => TypeError('a');" },
      'chosen by a condition': { 'src/node/a.ts': "throw new (1 > 0 ? RangeError : Error)('a');" },
      'a class of its own': { 'src/core/a.ts': 'export class A extends RangeError {}' },
      'taken for a refusal': { [server]: 'export const refused = (e: unknown) => e instanceof RangeError;' },
      'made where one may only be met': { 'src/core/certify.ts': "export const a = new TypeError('a');" },
      'an excuse of nobody': { 'src/node/files.ts': 'export const a = 1;' },
    },
  },
  {
    sentence: 'nothing is decided by what an error says',
    violations: readMessages,
    controls: {
      'how it begins': { 'src/node/a.ts': "export const a = (e: Error) => e.message.startsWith('a');" },
      'a pattern': { 'src/node/a.ts': 'export const a = (e: Error) => /a/.test(e.message);' },
      'the other way round': { [server]: 'export const a = (e: Error) => e.message.match(/a/);' },
      'of something unknown': {
        'src/core/a.ts': "export const a = (e: unknown) => (e as Error).message.includes('a');",
      },
      'a comparison': { 'src/core/a.ts': "export const a = (e: Error) => e.message === 'a';" },
      'in brackets': { 'src/core/a.ts': "export const a = (e: Error) => e['message'][0];" },
      'a switch': { 'src/core/a.ts': "export function a(e: Error) { switch (e.message) { case 'a': } }" },
    },
  },
  {
    sentence: 'files of src and protocols stay short',
    violations: longFiles,
    controls: {
      'a long file': { 'src/check/a.ts': `${'\n'.repeat(400)}export {};\n` },
      'a long room': { [server]: '//\n'.repeat(401) },
    },
  },
  {
    sentence: 'the only classes are errors',
    violations: classes,
    controls: {
      'a class': { 'src/check/a.ts': 'export class A {}' },
      'a class of something': { 'src/check/a.ts': 'export class A extends Map {}' },
      'a class expression': { [server]: 'export const a = class {};' },
    },
  },
  {
    sentence: 'there is no enum',
    violations: enums,
    controls: {
      'an enum': { 'src/check/a.ts': 'export enum A { B }' },
      'a constant enum': { 'src/check/a.ts': 'declare const enum A { B }' },
    },
  },
  {
    sentence: 'files are named in whole lower-case words that say something',
    violations: badNames,
    controls: {
      utils: { 'src/check/utils.ts': '' },
      'string-helpers': { 'src/check/string-helpers.ts': '' },
      'camel case': { 'src/check/unitBall.ts': '' },
      'a folder': { 'protocols/Coin/index.ts': '' },
    },
  },
];

const root = resolve(__dirname, '..');
const project = parseProject(
  readTexts(root, ['src', 'protocols', 'playground', 'scripts', 'test', 'README.md', 'package.json']),
);

describe.each(rules)('$sentence', ({ violations, controls }) => {
  test('in this project', () => {
    expect(violations(project)).toEqual([]);
  });

  test('in the sound little project of the controls', () => {
    expect(violations(parseProject(SOUND))).toEqual([]);
  });

  test.each(Object.keys(controls))('and the rule catches: %s', (name) => {
    const changes = controls[name];
    // A control is either the whole broken project or the few files that break the sound one.
    const texts = 'package.json' in changes ? changes : { ...SOUND, ...changes };
    expect(violations(parseProject(texts))).not.toEqual([]);
  });
});

test('the sides of players and servers are found, and nothing is excused that need not be', () => {
  expect([...datumTypes(project)]).toEqual(
    expect.arrayContaining([
      'MarginDatum',
      'LabelledRecord',
      'EuclideanMedianDatum',
      'UserDatum',
      'ErmDatum',
      'OnlineDatum',
    ]),
  );
  const servers = [...serversOf(project)];
  for (const file of ['user-level-mean/parameters', 'user-level-erm/descent', 'online-sgd/state', 'hinge/server']) {
    expect(servers).toContain(`protocols/${file}.ts`);
  }
  expect(idleHolders(project)).toEqual([]);
});

test('the rules look at what is there', () => {
  const paths = [...project.sources.keys()];
  const floors = ['check', 'numeric', 'random', 'privacy', 'polynomial', 'mechanism', 'risk', 'optimize', 'core'];
  for (const floor of floors) expect(paths).toContainEqual(expect.stringMatching(`^src/${floor}/.*[.]ts$`));
  expect(FLOORS).toEqual(expect.arrayContaining(floors));
  expect(protocolsOf(project)).toContain('protocols/hinge');
  expect(paths).toContain('test/architecture.test.ts');
  // The parser sees arrows at all: this very file leads to the rules.
  const targets = project.sources.get('test/architecture.test.ts')?.arrows.map(({ target }) => target);
  expect(targets).toContain('test/architecture/arrows.ts');
});
