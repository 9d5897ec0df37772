import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** The folder of the project. */
export const ROOT: string = resolve(__dirname, '../../..');

const main = resolve(ROOT, 'dist/src/node/main.js');
if (!existsSync(main)) throw new Error('there is no dist/src/node/main.js: "npm run build" makes it');

/** How a command ended. */
export interface Ending {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The commands of a checkout, which are not in the package: `npm run validate`, `npm run reproduce`. */
const checkout = resolve(ROOT, 'test/evidence/run.mjs');

/** Whether a command is one of the checkout. */
export function ofCheckout([command]: readonly string[]): boolean {
  return command === 'validate' || command === 'reproduce';
}

/** What only a slow machine prints, after ten seconds: "measuring the models: 3 of 12 (25 %)". */
const STILL_BUSY = /^[^"\n:]+: [\d,]+(?: of [\d,]+ \(\d+ %\))?(?:; .*)?\n/gm;

/** What a command says, without the lines of progress that only a slow machine prints. */
export function withoutProgress(said: string): string {
  return said.replace(STILL_BUSY, '');
}

/**
 * Runs a command of the built package, or of the checkout, in a folder and a process of its own, to its end. `program` may be
 * another copy of it.
 */
export function ldpkit(
  folder: string,
  words: readonly string[],
  program: string = ofCheckout(words) ? checkout : main,
): Promise<Ending> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', failed).on('close', (status) => done({ status, stdout, stderr: withoutProgress(stderr) }));
  });
}

/** The path of the built command line. */
export const MAIN: string = main;

/** How the records of {@link peopleCsv} are read. The names try to break out of a page. */
export const PEOPLE_SCHEMA: object = {
  title: '<script>alert("1")</script> & people',
  label: { column: 'happy', positive: 'yes', negative: 'no' },
  features: [
    { constant: 1 },
    { column: 'age', minimum: 0, maximum: 90 },
    { column: '<b>job</b>', indicator: ["x&'y"], categories: ["x&'y", 'z'] },
  ],
  normalize: 'unit',
};

/** Made-up records: the older are happier, and so are those with the other job. */
export function peopleCsv(count: number): string {
  const random = seededRandom('people');
  const lines = ['age,<b>job</b>,happy'];
  for (let i = 0; i < count; i++) {
    const age = Math.floor(90 * uniform(random));
    const job = uniform(random) < 0.4 ? "x&'y" : 'z';
    const happy = uniform(random) < age / 90 + (job === 'z' ? 0.2 : -0.2);
    lines.push(`${age},${job},${happy ? 'yes' : 'no'}`);
  }
  return `${lines.join('\n')}\n`;
}
