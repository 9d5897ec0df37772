// Draws the figure of docs/waves.md from the numbers in docs/waves.json, or measures them again.
//
//   node docs/waves.mjs [FOLDER]                      draws, into docs/figures or another folder
//   node docs/waves.mjs measure SKIN.csv SCHEMA.json  runs the built command line, which takes a quarter of an hour, and writes docs/waves.json
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const numbers = here('waves.json');
const WAVES = [2, 5, 10, 20, 50];

/** Mean and standard error of the excess risk of the runs of a command. */
function excess(words) {
  const main = here('../dist/src/node/main.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [main, 'run', ...words, '--seed', 'figure', '--json'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  if (status !== 0) throw new Error(stderr);
  const values = JSON.parse(stdout).runs.map(({ metrics }) => metrics.excessRisk);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length), runs: values.length };
}

/** One curve: T = 1 is one report of the protocol hinge, whose records are split where they are those of a file. */
function measure(name, words, repetitions) {
  const asked = [...words, '--epsilon', '1'];
  const one = excess([
    'hinge',
    '--variant',
    'lifted',
    '--degree',
    '1',
    ...asked,
    '--repetitions',
    String(repetitions / 2),
  ]);
  const waves = WAVES.map((count) => ({
    waves: count,
    ...excess(['gradient-waves', '--waves', String(count), ...asked, '--repetitions', String(repetitions)]),
  }));
  return { name, points: [{ waves: 1, ...one }, ...waves] };
}

async function draw(target) {
  const folder = mkdtempSync(join(tmpdir(), 'waves-'));
  try {
    const outfile = join(folder, 'figure.mjs');
    const source = here('../test/evidence/engine/figure.ts');
    await build({ entryPoints: [source], bundle: true, format: 'esm', platform: 'node', outfile });
    const { figureFiles } = await import(pathToFileURL(outfile).href);
    const curves = JSON.parse(readFileSync(numbers, 'utf8')).map(({ name, points }, style) => ({
      name,
      style,
      dashed: false,
      points: points.map(({ waves, mean, error }) => ({ x: waves, y: mean, low: mean - error, high: mean + error })),
    }));
    const figure = {
      kind: 'curves',
      name: 'waves-excess',
      title: 'Excess hinge risk against the number of waves, ε = 1',
      x: { label: 'waves T', logarithmic: true },
      y: { label: 'excess risk', logarithmic: true },
      curves,
      levels: [],
    };
    mkdirSync(target, { recursive: true });
    for (const [name, svg] of Object.entries(figureFiles([figure]))) writeFileSync(join(target, name), svg);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [first, data, schema] = process.argv.slice(2);
if (first === 'measure') {
  const skin = ['--data', data, '--schema', schema];
  const curves = [
    measure('Skin, p = 4, R = 2', [...skin, '--radius', '2'], 16),
    measure('Skin, p = 4, R = 4', [...skin, '--radius', '4'], 16),
    measure('flights, p = 14, R = 1', ['--radius', '1'], 8),
  ];
  writeFileSync(numbers, `${JSON.stringify(curves, undefined, 2)}\n`);
} else {
  await draw(first ?? here('figures'));
}
