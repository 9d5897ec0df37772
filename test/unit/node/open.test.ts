import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { openerOf, openPage } from '../../../src/node/commands/show.ts';

test('a page is one argument of the program of the system, as an address without a sign of a shell', () => {
  const path = `${tmpdir()}/a "b" & $(c); d.html`;
  for (const [platform, program] of [
    ['linux', 'xdg-open'],
    ['darwin', 'open'],
    ['win32', 'rundll32.exe'],
  ]) {
    const words = openerOf(path, platform);
    expect([words[0], words[words.length - 1]]).toEqual([program, pathToFileURL(path).href]);
    expect(words[words.length - 1]).not.toMatch(/[\s"<>|]/);
  }
});

test('what opens it gets the address, and where there is no such program nothing happens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-open-'));
  const system = { platform: 'linux', env: { PATH: folder } } as const;
  try {
    expect(await openPage('page.html', system)).toBe(false);
    const told = join(folder, 'told');
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\necho "$#" "$1" > '${told}.part'\n/bin/mv '${told}.part' '${told}'\n`,
    );
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const page = join(folder, 'a $(page) & more.html');
    expect(await openPage(page, system)).toBe(true);
    while (!existsSync(told)) await setTimeout(10);
    expect(readFileSync(told, 'utf8')).toBe(`1 ${pathToFileURL(page).href}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
