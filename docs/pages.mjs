// The pages of the site that no file holds. They are made anew whenever they are read: from the map of the papers' items in
// test/documentation/theory, from the tags `@theorem` of the sources, from the validations in test/evidence, and from what the last long run
// of these measured.
//
//   npm run theory        prints the map as Markdown; `npm run docs` makes both pages part of the site
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The entries of the package, as its manifest names them, from their sources. */
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const protocols = readdirSync(join(root, 'protocols'));
const alias = Object.fromEntries(
  Object.entries(entries)
    .filter(([, entry]) => typeof entry !== 'string')
    .flatMap(([name, entry]) =>
      (name.includes('*') ? protocols : ['']).map((protocol) => [name, entry.default, protocol]),
    )
    .map(([name, path, protocol]) => [
      `ldpkit${name.slice(1).replace('*', protocol)}`,
      join(root, path.replace('./dist/', '').replace('*', protocol).replace(/\.js$/, '.ts')),
    ]),
);

/**
 * The made pages: where each would stand beside the other documents, and its Markdown.
 *
 * @returns {Promise<{ path: string, text: string }[]>}
 */
export async function madePages() {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  /** The exports of a text that is a TypeScript module in the root of the project. */
  const load = async (contents, name) => {
    const outfile = join(folder, `${name}.mjs`);
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias,
      outfile,
    });
    return import(pathToFileURL(outfile).href);
  };
  try {
    const parts = ['theory/page', 'theory/tags', 'theory/validations', 'validation-page'].map(
      (name) => `export * from './test/documentation/${name}.ts';`,
    );
    const maker = await load(parts.join('\n'), 'maker');
    const validations = [];
    for (const [i, path] of maker.validationModules(root).entries()) {
      const module = await load(`export { validations } from ${JSON.stringify(path)};`, `validations-${i}`);
      validations.push(...module.validations);
    }
    const measured = JSON.parse(readFileSync(join(root, 'test/evidence/measured.json'), 'utf8'));
    return [
      { path: 'docs/theory.md', text: maker.theoryPage(maker.theoryMap(root), maker.collectTags(root), validations) },
      { path: 'docs/validation.md', text: maker.validationPage(measured, validations) },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [theory] = await madePages();
  process.stdout.write(theory.text);
}
