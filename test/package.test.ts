import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { linksOf } from './documentation/markdown.ts';
import { deadLinks, documentsOf, LISTING, leaks, wrongFiles } from './package/contents.mjs';

// The package itself is packed, installed and used by test/package/try.mjs, which runs outside the tests: it installs from the network.
const root = resolve(__dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const files = [
  ...readdirSync(root),
  ...['docs', 'protocols'].flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${place}/${file.replaceAll('\\', '/')}`,
    ),
  ),
].filter((file) => statSync(join(root, file)).isFile());
const documents: string[] = documentsOf(manifest.files, files);
const sourceOf = (target: string): string => target.replace(/^\.\/dist\//, '').replace(/(?:\.d\.ts|\.js)$/, '.ts');

describe('the manifest', () => {
  test('leads every public name to a source', () => {
    const protocols = readdirSync(join(root, 'protocols'));
    const missing: string[] = [];
    for (const [name, target] of Object.entries<Record<string, string> | string>(manifest.exports)) {
      for (const path of typeof target === 'string' ? [target] : Object.values(target)) {
        for (const protocol of name.includes('*') ? protocols : ['']) {
          // A curator holds the records of a central protocol: it has no players.
          if (name.endsWith('/player') && existsSync(join(root, 'protocols', protocol, 'curator.ts'))) continue;
          const source = sourceOf(path.replace('*', protocol));
          if (!existsSync(join(root, source))) missing.push(`${name} → ${source}`);
        }
      }
    }
    expect(protocols).toContain('hinge');
    expect(missing).toEqual([]);
  });

  test('names the types of a public name before its code: a compiler takes the first that fits', () => {
    const order = Object.values(manifest.exports).filter((target) => typeof target === 'object');
    expect(order.map((target) => Object.keys(target as object))).toEqual(order.map(() => ['types', 'default']));
  });

  test('leads the command to a source that begins with a shebang', () => {
    expect(read(sourceOf(manifest.bin.ldpkit))).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('pins every dependency to one version', () => {
    const versions = Object.values<string>({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('asks for no dependency that nothing imports', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const text = files.filter((file) => file.endsWith('.ts')).map((file) => read(join('src', file)));
    const imported = (name: string) => text.some((code) => code.includes(`'${name}'`) || code.includes(`'${name}/`));
    expect(Object.keys(manifest.dependencies).filter((name) => !imported(name))).toEqual([]);
  });

  test('is packed with its documents, and no install script runs', () => {
    expect(documents).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'SECURITY.md', 'docs/trust.md', 'protocols/hinge/README.md']),
    );
    expect(documents.filter((document) => /\.(?:ts|mjs)$/.test(document))).toEqual([]);
    expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
  });

  test('is packed with every file that a link of a packed page leads to', () => {
    expect(deadLinks(documents, (page) => linksOf(read(page)))).toEqual([]);
    const alone = documents.filter((document) => !document.startsWith('docs/'));
    expect(deadLinks(alone, (page) => linksOf(read(page)))).toContain(
      'README.md leads to docs/trust.md, which is not in the package',
    );
  });

  test('has a lock file of the same version without addresses', () => {
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.name, lock.version]).toEqual([manifest.name, manifest.version]);
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/);
  });
});

describe('the checks of the packed files', () => {
  const sources = ['src/index.ts'];
  const packed = [...documents, LISTING, 'dist/src/index.js', 'dist/src/index.d.ts'];

  test('accept what belongs in the package', () => {
    expect(wrongFiles(packed, sources, documents)).toEqual([]);
    expect(leaks('import "./a.js"; // see docs/a.md or /rooted', '/checkout/of/ldpkit')).toEqual([]);
  });

  test.each([
    'test/a.test.ts',
    'src/index.ts',
    'dist/src/index.js.map',
    'dist/src/deleted.js',
    'dist/test/a.js',
    '.npmrc',
  ])('refuse %s', (file) => {
    expect(wrongFiles([...packed, file], sources, documents)).toEqual([`${file} does not belong in the package`]);
  });

  test.each(['README.md', 'docs/trust.md', 'dist/src/index.js', 'dist/src/index.d.ts'])('miss %s', (file) => {
    const rest = packed.filter((other) => other !== file);
    expect(wrongFiles(rest, sources, documents)).toEqual([`${file} is missing from the package`]);
  });

  test('see the folder of the checkout, a folder of a person and a source map', () => {
    expect(leaks('at /checkout/of/ldpkit/src', '/checkout/of/ldpkit')).toEqual(['the folder of the checkout']);
    expect(leaks('"/home/ada/a"', '/checkout')).toEqual(['a folder of a person']);
    expect(leaks('/Users/ada/a', '/checkout')).toEqual(['a folder of a person']);
    expect(leaks('//# sourceMappingURL=a.js.map', '/checkout')).toEqual(['a source map']);
  });
});
