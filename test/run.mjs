// Runs jest and closes with one plain line, counted from jest's own JSON result.
//
//   node test/run.mjs [--long] [OPTIONS OF JEST] [PATHS]
//
// Without paths the tests of all files run but of those named *.long.test.ts; with --long those alone; with paths what they name.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jestArguments } from './suites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-test-'));
const result = join(folder, 'result.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/jest/bin/jest.js'),
    '--config',
    join(root, 'test/jest.config.json'),
    '--json',
    '--outputFile',
    result,
    ...jestArguments(process.argv.slice(2)),
  ],
  { cwd: root, stdio: ['inherit', 'ignore', 'inherit'] },
);
let counts;
try {
  counts = JSON.parse(readFileSync(result, 'utf8'));
} catch {
  process.stderr.write('jest wrote no result\n');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (counts === undefined) process.exit(status || 1);
// A suite that cannot even load has no tests to count: it counts as one failure.
const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
process.stdout.write(`${counts.numPassedTests} passed, ${failed} failed, ${counts.numPendingTests} skipped\n`);
process.exit(status === 0 && failed === 0 && counts.numPassedTests > 0 ? 0 : 1);
