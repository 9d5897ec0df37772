import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { MAIN, ROOT } from './command-line.ts';

// How long a start takes depends on the machine; what it loads does not. An engine that measures coverage tells every
// script that it has run.

interface Loaded {
  readonly packages: readonly string[];
  readonly files: readonly string[];
  readonly stdout: string;
}

/** The packages and the files of dist/ that a command loads, and what it prints. */
function loadedBy(...words: readonly string[]): Loaded {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-start-'));
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      cwd: folder,
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      encoding: 'utf8',
    });
    expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: '' });
    const [file] = readdirSync(folder).filter((name) => name.startsWith('coverage-'));
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
    const paths = result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => fileURLToPath(url).replaceAll('\\', '/'));
    const packages = paths.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    const files = paths.flatMap((path) =>
      path.includes('/node_modules/') ? [] : (/\/dist\/(.*)/.exec(path)?.[1] ?? []),
    );
    return { packages: [...new Set(packages)].sort(), files, stdout };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('list loads two packages and no protocol', () => {
  const { packages, files } = loadedBy('list');
  expect(packages).toEqual(['@noble/hashes', 'commander']);
  expect(files).toContain('src/node/studies.js');
  const heavy = /^protocols\/[^/]+\/(?:protocol|study|index)\.js$|^src\/(?:optimize|mechanism|random|inference)\//;
  expect(files.filter((file) => heavy.test(file))).toEqual([]);
});

test.each(['hinge', 'user-level-mean --variant vector', 'online-sgd', 'noisy-newton'])(
  'certify %s loads what certificates need: no expressions, schemas, tables, charts or threads',
  (protocol) => {
    const { packages, files } = loadedBy('certify', ...protocol.split(' '));
    const needed = ['@noble/hashes', 'commander', 'ml-matrix', 'seedrandom'];
    expect(packages.filter((name) => !needed.includes(name))).toEqual([]);
    expect(files).toContain('src/node/commands/certify.js');
    const others = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies);
    expect(others).toEqual(expect.arrayContaining(['mathjs', 'valibot', 'papaparse', 'piscina', 'd3-scale']));
  },
);

test('the control: to verify a certificate is to check a shape, which takes a package more', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-start-'));
  try {
    const file = join(folder, 'certificate.json');
    writeFileSync(file, loadedBy('certify', 'online-sgd', '--json').stdout);
    expect(loadedBy('verify', file).packages).toContain('valibot');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('list prints what the build found, and that is what the protocols say now', () => {
  const listing = pathToFileURL(join(ROOT, 'dist/src/node/studies.js')).href;
  const program = `import { listing } from '${listing}'; console.log(JSON.stringify(await listing()));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(JSON.parse(loadedBy('list', '--json').stdout)).toEqual(JSON.parse(stdout));
});
