// Checks the site that `npm run docs` wrote: every link within it leads somewhere, and no page is too large to read.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Largest page, in bytes. */
const LARGEST = 200_000;

/**
 * What is wrong with a site: pages that are too large, and links that lead nowhere.
 *
 * @param {string} folder
 * @returns {{ pages: number, links: number, wrong: string[] }}
 */
export function checkSite(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  const texts = new Map(pages.map((page) => [join(folder, page), readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map();
  const anchorsOf = (file) => {
    if (!anchors.has(file)) {
      anchors.set(file, new Set([...texts.get(file).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => plain(id))));
    }
    return anchors.get(file);
  };
  const wrong = [];
  let links = 0;
  for (const [file, text] of texts) {
    const page = file.slice(folder.length + 1);
    const { size } = statSync(file);
    if (size > LARGEST) wrong.push(`${page} has ${size} bytes, more than ${LARGEST}`);
    const targets = new Set(
      [...text.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, to]) => to),
    );
    for (const target of targets) {
      if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) continue;
      links++;
      const [path, anchor] = plain(target).split('#');
      const to = path === '' ? file : resolve(dirname(file), decodeURIComponent(path.replace(/\?.*$/, '')));
      if (!existsSync(to)) wrong.push(`${page} links to ${target}, which is not there`);
      else if (anchor && texts.has(to) && !anchorsOf(to).has(decodeURIComponent(anchor))) {
        wrong.push(`${page} links to ${target}, a place that is not there`);
      }
    }
  }
  return { pages: pages.length, links, wrong };
}

function plain(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { pages, links, wrong } = checkSite(fileURLToPath(new URL('../../docs/reference', import.meta.url)));
  for (const one of wrong) console.error(one);
  console.log(`${pages} pages, ${links} links within the site, ${wrong.length} wrong`);
  if (wrong.length > 0 || pages === 0) process.exitCode = 1;
}
