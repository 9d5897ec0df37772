// The playground, and the live page of a collector, in a real browser. Closes with one plain line.
//
//   npm run build && node test/browser/run.mjs [--only TEXT]
//
// The page is built anew and opened from a folder. Pictures of both go to out/playground.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attackerTests } from './attacker.mjs';
import { withBrowser } from './chromium.mjs';
import { deviceTests } from './devices.mjs';
import { estimateTests } from './estimates.mjs';
import { liveTests } from './live.mjs';
import { openingTests } from './opening.mjs';
import { buildPage } from './playground.mjs';
import { useTests } from './use.mjs';

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const pictures = fileURLToPath(new URL('../../out/playground', import.meta.url));
const tests = { ...openingTests, ...estimateTests, ...attackerTests, ...deviceTests, ...useTests, ...liveTests };
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ldpkit-playground-')));
let passed = 0;
let failed = 0;
try {
  mkdirSync(pictures, { recursive: true });
  const address = buildPage(folder);
  await withBrowser(async (context) => {
    for (const [name, test] of Object.entries(tests).filter(([sentence]) => sentence.includes(options.only))) {
      try {
        await test({ context, address, folder, pictures });
        passed++;
        process.stdout.write(`✓ ${name}\n`);
      } catch (error) {
        failed++;
        process.stdout.write(`✗ ${name}\n${error.stack}\n`);
      }
    }
  });
} catch (error) {
  failed++;
  process.stdout.write(`${error.stack}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
