import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

const folder = resolve(__dirname, '../bench/cases');

/** What goes wrong when these modules are loaded, one line each. */
function faultsOf(modules: readonly string[]): string {
  const program = `for (const url of ${JSON.stringify(modules)}) {
    await import(url).then(({ default: it }) => {
      if (typeof it.name !== 'string' || typeof it.run !== 'function') console.log(url + ': no case');
    }, ({ message }) => console.log(url + ': ' + message));
  }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('every case of the benches can be loaded, with what the package exports today', () => {
  const cases = readdirSync(folder).map((name) => pathToFileURL(resolve(folder, name)).href);
  expect(cases.length).toBeGreaterThan(10);
  expect(faultsOf(cases)).toBe('');
});

test('a case that imports what is not exported is found', () => {
  const missing = `data:text/javascript,import { notThere } from "${pathToFileURL(resolve(folder, 'online-sgd.mjs')).href}"`;
  expect(faultsOf([missing])).toContain('notThere');
});
