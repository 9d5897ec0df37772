import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const ROOT = resolve(__dirname, '../../..');

const check = (root: string) =>
  spawnSync(process.execPath, [join(root, 'scripts/kernel.mjs'), '--check'], { encoding: 'utf8' });

// The control is played on a copy of the sources.
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-kernel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const part of ['kernel', 'scripts', 'src/random/kernel-program.ts']) {
  cpSync(join(ROOT, part), join(folder, part), { recursive: true });
}
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

test('the bytes of the kernel are what its source compiles to', () => {
  expect(check(ROOT)).toMatchObject({ status: 0, stderr: '' });
});

test('and are not what another source compiles to', () => {
  const path = join(folder, 'kernel/words.ts');
  writeFileSync(path, readFileSync(path, 'utf8').replace('(z, 21) + word', '(z, 20) + word'));
  expect(check(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run kernel') });
});
