// Runs the commands of docs/gallery.md with the built command line and writes the figures named below each of them, out of
// the pages that the commands write, to docs/figures, or to another folder. It takes about a minute.
//
//   node docs/gallery.mjs [FOLDER]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = process.argv[2] ?? here('figures');
const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
try {
  mkdirSync(target, { recursive: true });
  let page = '';
  for (const line of readFileSync(here('gallery.md'), 'utf8').split('\n')) {
    const [, command] = /^ {4}npx ldpkit (.*)$/.exec(line) ?? [];
    if (command !== undefined) page = pageOf(command.split(' '));
    const [, label, name] = /^!\[(.*)\]\(figures\/(gallery-.*\.svg)\)$/.exec(line) ?? [];
    if (name !== undefined) writeFileSync(join(target, name), pictureOf(page, label));
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** The page that a command writes. */
function pageOf(words) {
  const file = join(folder, words[0] === 'run' ? 'report.html' : 'page.html');
  const out = words[0] === 'run' ? ['--out', folder] : ['--html', file];
  const { status, stderr } = spawnSync(process.execPath, [here('../dist/src/node/main.js'), ...words, ...out], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(file, 'utf8');
}

/** The picture of this label as a file of its own, with the style that the page gives it. */
function pictureOf(page, label) {
  const [, style] = /<style class="pictures">(.*?)<\/style>/s.exec(page);
  const drawn = page.match(/<svg [^>]*role="img".*?<\/svg>/gs) ?? [];
  const svg = drawn.find((one) => one.includes(` aria-label="${label}"`));
  if (svg === undefined) throw new Error(`no picture of "${label}"`);
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg);
  const size = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`;
  return `${svg.replace(/^<svg (.*?)>/, `<svg ${size} $1><style>${style}svg { background: var(--paper); }\n</style>`)}\n`;
}
