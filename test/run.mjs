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

const LONG = '\\.long\\.test\\.ts$';
const SHORT = '(?<!\\.long)\\.test\\.ts$';

const words = process.argv.slice(2).filter((word) => word !== '--long');
const paths = words.some((word) => !word.startsWith('-')) ? [] : [process.argv.includes('--long') ? LONG : SHORT];
// Every core: jest leaves one idle, which on a machine of two is half of it. Said twice, jest would take both for a hundred.
const workers = words.some((word) => /^(?:--maxWorkers|-w|--runInBand|-i)\b/.test(word)) ? [] : ['--maxWorkers=100%'];
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-test-'));
const result = join(folder, 'result.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/jest/bin/jest.js'),
    '--config',
    join(root, 'test/jest.config.json'),
    ...workers,
    '--json',
    '--outputFile',
    result,
    ...words,
    // After "--": no option takes it for one of its values.
    ...(paths.length > 0 ? ['--', ...paths] : []),
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
