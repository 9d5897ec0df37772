// Builds the playground, one page that loads nothing:
//
//   npm run playground            writes dist-playground/index.html
//   npm run playground -- FILE    writes another file, for example in the folder of a site
//
// It is made of what users import, so dist/ has to be built.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = (name) => join(root, 'playground', name);
const target = resolve(process.argv[2] ?? join(root, 'dist-playground', 'index.html'));

const [style, program] = await Promise.all([packed('style.css'), packed('main.ts')]);
// A function in the place of the text: a text could contain $&.
const page = readFileSync(source('index.html'), 'utf8')
  .replace('/* style */', () => style)
  .replace('/* program */', () => program.replaceAll('</script', '<\\/script'))
  .replace('>{}<', () => `>${JSON.stringify({ animals: penguins() })}<`);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
process.stdout.write(`${target}: ${page.length} characters\n`);

/** A file of the playground with all that it imports. */
async function packed(name) {
  const { outputFiles } = await build({
    entryPoints: [source(name)],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2023',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text.trim();
}

/** Four measurements of each penguin without gaps, and whether it is an Adelie. */
function penguins() {
  const all = JSON.parse(readFileSync(join(root, 'node_modules/vega-datasets/data/penguins.json'), 'utf8'));
  const fields = ['Beak Length (mm)', 'Beak Depth (mm)', 'Flipper Length (mm)', 'Body Mass (g)'];
  return all
    .filter((penguin) => fields.every((field) => typeof penguin[field] === 'number'))
    .map((penguin) => [...fields.map((field) => penguin[field]), penguin.Species === 'Adelie' ? 1 : -1]);
}
