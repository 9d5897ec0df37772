import type { Texts } from './project.ts';

const topics = `The problem, the paper, its notation, the guarantee, the estimate and its error, the limits, measured numbers.
The rooms are parameters, report, player, server and theory; \`printed({ epsilon: 1 })\` makes the parameters. `;

/** A small project that obeys every rule. The controls below break it in one place each. */
export const SOUND: Texts = {
  'package.json': '{ "dependencies": { "seedrandom": "1", "ml-matrix": "1", "mathjs": "1", "commander": "1" } }',
  'README.md': '# Sound',
  'src/index.ts': "export * from './check/number.ts';\nexport * from './optimize/oracle.ts';",
  'src/check/number.ts': 'export const first = (x: number[], i: number): number => Math.abs(x[i] + Date.length);',
  'src/numeric/matrix.ts': "import { Matrix } from 'ml-matrix';\nexport const zero = Matrix.zeros(1, 1);",
  'src/random/random.ts': "import seedrandom from 'seedrandom';\nexport const random = { process: seedrandom('1') };",
  'src/check/refusal.ts':
    'export class RefusedValue extends RangeError {}\nexport class RefusedKind extends TypeError {}\nexport class ReportError extends Error {}',
  'src/core/contract.ts': 'export interface Player<Parameters, Datum, Report> { all: [Parameters, Datum, Report] }',
  'src/optimize/oracle.ts': "import { zero } from '../numeric/matrix.ts';\nexport const oracle = () => zero;",
  'src/risk/expression/index.ts': "import { parse } from 'mathjs/number';\nexport const read = parse;",
  'src/node/expression.ts': "export * from '../risk/expression/index.ts';",
  'src/node/index.ts':
    "import { readFileSync } from 'node:fs';\nexport * from '../index.ts';\nreadFileSync(process.cwd());",
  'src/node/main.ts': "import { program } from 'commander';\nconst name = 'x';\nawait import(name);\nprogram.parse();",
  'protocols/coin/README.md': topics.repeat(10),
  'protocols/coin/parameters.ts':
    'export interface Parameters { bias: number }\nexport function printed(): Parameters { return { bias: 1 }; }',
  'protocols/coin/report.ts':
    "import type { Parameters } from './parameters.ts';\nexport const encode = (p: Parameters): number => p.bias;",
  'protocols/coin/player.ts':
    "import type { Player } from '../../src/core/contract.ts';\nimport { encode } from './report.ts';\nimport { type CoinDatum, sideOf } from './record.ts';\nimport { random } from '../../src/random/random.ts';\nexport const randomize = [encode, random, sideOf];\nexport let player: Player<number, CoinDatum, number>;",
  'protocols/coin/record.ts':
    'export interface CoinDatum { side: number }\nexport const sideOf = ({ side }: CoinDatum): number => side;',
  'protocols/coin/server.ts': "import { encode } from './report.ts';\nexport const estimate = encode;",
  'protocols/coin/theory.ts': 'export const error = 1;',
  'protocols/coin/index.ts': "export * from './player.ts';\nexport * from './server.ts';",
  'playground/main.ts':
    "import { error } from 'ldpkit/protocols/coin';\nimport './page.ts';\nexport const page = error;",
  'playground/page.ts': "import { first } from 'ldpkit';\nexport const page = first;",
  'test/bench.mjs': "import { first } from '../dist/src/check/number.js';",
  'test/coin.test.ts': "import { readFileSync } from 'node:fs';\nreadFileSync('Math.random is only a word here');",
};
