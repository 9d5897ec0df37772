import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test file run against mutants: the text of every mutated file, by its full path, and the mutants to try. */
export interface Trial {
  /** The root of the project. */
  readonly root: string;
  /** The test file, its full path. */
  readonly test: string;
  readonly woven: Readonly<Record<string, string>>;
  readonly mutants: readonly number[];
}

/** What became of one mutant in one test file. */
export interface Outcome {
  readonly mutant: number;
  readonly killed: boolean;
  /** The test that failed, or why there was none. */
  readonly by?: string;
  readonly message?: string;
  /** How many tests passed: none where no test comes by the mutated place. */
  readonly passed: number;
}

interface Original extends Outcome {
  readonly seconds: number;
  readonly visits: readonly (readonly [string, readonly number[]])[];
}

/** A mutant that takes so many times longer than the original, and so many seconds, does not come to an end. */
const PATIENCE = 8;
const LEAST_PATIENCE = 20;

/** Seconds of an original that nobody has timed yet. */
const SLOWEST = 100;

const POLL_MILLISECONDS = 200;

/**
 * The outcome of every mutant of a trial, in the order of the trial; an error where the tests fail or are none without a mutant. A
 * mutant that does not end, or ends its process, is killed by that.
 */
export async function tryMutants({ root, test, woven, mutants }: Trial): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-mutation-'));
  const results = join(folder, 'results.jsonl');
  const places = Math.max(0, ...mutants) + 1;
  try {
    const plain = JSON.parse(readFileSync(join(root, 'test/jest.config.json'), 'utf8'));
    const here = (name: string): string => join(root, 'test/mutation', name);
    const config = {
      ...plain,
      rootDir: root,
      testMatch: [test],
      testEnvironment: here('environment.cjs'),
      transform: { '\\.(ts|js|mjs)$': here('transform.cjs') },
      runner: here('runner.cjs'),
      reporters: [here('reporter.cjs')],
      testTimeout: 600_000,
    };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'woven.json'), JSON.stringify(woven));
    const outcomes = new Map<number, Outcome>();
    let original: Original | undefined;
    for (;;) {
      const left = mutants.filter((mutant) => !outcomes.has(mutant));
      if (left.length === 0 && original !== undefined) return mutants.map((mutant) => outcomes.get(mutant)!);
      writeFileSync(join(folder, 'orders.json'), JSON.stringify({ places, mutants: left, original }));
      writeFileSync(results, '');
      const said = await untilStuck(root, folder, original?.seconds);
      let open: number | undefined;
      for (const outcome of linesOf(results)) {
        open = outcome.started ? outcome.mutant : undefined;
        if (outcome.started) continue;
        if (outcome.mutant === 0) original = outcome;
        else outcomes.set(outcome.mutant, outcome);
      }
      if (original === undefined) throw new Error(`${test}: does not run\n${said}`);
      if (original.killed || original.passed === 0) {
        throw new Error(`${test}: fails without a mutant\n${original.by}\n${original.message}`);
      }
      if (open !== undefined) outcomes.set(open, { mutant: open, killed: true, by: 'it does not end', passed: 0 });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Line extends Original {
  readonly started?: boolean;
}

function linesOf(results: string): readonly Line[] {
  const lines = readFileSync(results, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/**
 * Runs jest in a process of its own until it ends, or until it has written nothing for much longer than the original took. What it
 * says.
 */
function untilStuck(root: string, folder: string, original: number | undefined): Promise<string> {
  return new Promise((resolve) => {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const config = ['--config', join(folder, 'jest.config.json'), '--maxWorkers=1', '--silent'];
    const child = spawn(process.execPath, ['--max-old-space-size=3000', jest, ...config], {
      cwd: root,
      env: { ...process.env, LDPKIT_MUTATION: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said = `${said}${chunk}`.slice(-4000);
      });
    }
    const results = join(folder, 'results.jsonl');
    let length = 0;
    let quiet = 0;
    const timer = setInterval(() => {
      const now = statSync(results).size;
      quiet = now === length ? quiet + POLL_MILLISECONDS / 1000 : 0;
      length = now;
      if (quiet < LEAST_PATIENCE) return;
      const seconds = original ?? linesOf(results).find(({ mutant, started }) => mutant === 0 && !started)?.seconds;
      if (quiet > LEAST_PATIENCE + PATIENCE * (seconds ?? SLOWEST)) child.kill('SIGKILL');
    }, POLL_MILLISECONDS);
    child.on('close', () => {
      clearInterval(timer);
      resolve(said);
    });
  });
}
