import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const ROOT = resolve(__dirname, '../../..');

// The control of a test in kernel.test.ts, on a copy of the sources.
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-kernel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const part of ['kernel', 'scripts', 'src/random/kernel-program.ts']) {
  cpSync(join(ROOT, part), join(folder, part), { recursive: true });
}
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

test('the bytes of the kernel are not what another source compiles to', () => {
  const path = join(folder, 'kernel/words.ts');
  writeFileSync(path, readFileSync(path, 'utf8').replace('(z, 21) + word', '(z, 20) + word'));
  expect(
    spawnSync(process.execPath, [join(folder, 'scripts/kernel.mjs'), '--check'], { encoding: 'utf8' }),
  ).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm run kernel'),
  });
});
